import { createHash } from 'node:crypto';
import type { openApi } from './openApi.ts';

type Description = ReturnType<typeof openApi>;

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
code,pre{font:13px/1.45 ui-monospace,monospace}
pre{overflow:auto;padding:.6rem;border:1px solid #8886;border-radius:4px}
summary{cursor:pointer;padding:.3rem 0}
b{display:inline-block;width:4.5rem;text-transform:uppercase}`;

/** The page loads nothing and runs nothing. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
} as const;

/** The OpenAPI description as a page to read. */
export function page({ info, servers, paths, components }: Description): string {
  const [server] = servers;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]) => operationText(method, path, operation)),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => schemaText(name, schema));
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${escaped(info.title)}</title><style>${STYLE}</style>
<h1>${escaped(info.title)}</h1>
<p>Addresses begin with <code>${escaped(server?.url ?? '')}</code>. A request needs the header <code>Authorization: Bearer TOKEN</code> with the token of this server. The description for programs is <a href="openapi.json">openapi.json</a>.</p>
<h2>Operations</h2>
${operations.join('\n')}
<h2>Schemas</h2>
${schemas.join('\n')}
</html>
`;
}

function operationText(method: string, path: string, operation: { readonly description?: string }): string {
  const { description = '', ...rest } = operation;
  return `<details><summary><b>${escaped(method)}</b><code>${escaped(path)}</code> ${escaped(description)}</summary>${json(rest)}</details>`;
}

function schemaText(name: string, schema: unknown): string {
  return `<details id="${escaped(name)}"><summary><code>${escaped(name)}</code></summary>${json(schema)}</details>`;
}

function json(value: unknown): string {
  return `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
