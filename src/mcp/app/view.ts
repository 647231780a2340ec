import { createHash } from 'node:crypto';
import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { VIEW_SCRIPT } from './viewScript.ts';

/** The extension by which clients show a view of a result inside a chat. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';
/** Address of the view. */
export const VIEW_URI = 'ui://hothouse/run';
const MIME_TYPE = 'text/html;profile=mcp-app';

const STYLE = `
:root { color-scheme: light dark; font: 13px var(--font-sans, system-ui, sans-serif); color: var(--color-text-primary, CanvasText); }
body { margin: 8px; } h2 { font-size: 1em; margin: 8px 0 4px; } img { max-width: 100%; background: white; }
pre { margin: 0; overflow: auto; max-height: 20em; font-family: var(--font-mono, monospace); }
table { border-collapse: collapse; } td, th { border: 1px solid var(--color-border-primary, GrayText); padding: 2px 6px; }
`;

/** Nothing is loaded, and only this script and this style are in force: the policy has their hashes. */
const POLICY = [
  "default-src 'none'",
  `script-src '${hashOf(VIEW_SCRIPT)}'`,
  `style-src '${hashOf(STYLE)}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const HTML = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>Hothouse Run</title>
<style>${STYLE}</style>
</head>
<body>
<div id="root"></div>
<script>${VIEW_SCRIPT}</script>
</body>
</html>
`;

/** What a tool says about its view. */
export const VIEW_META = { ui: { resourceUri: VIEW_URI } };

/** The view as a resource: a client may allow it no domain. */
export function readView(): ReadResourceResult {
  const csp = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
  const _meta = { ui: { csp, prefersBorder: true } };
  return { contents: [{ uri: VIEW_URI, mimeType: MIME_TYPE, text: HTML, _meta }] };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
