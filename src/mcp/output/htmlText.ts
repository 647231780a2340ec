/** Characters of HTML that are read, and of text that is returned. */
const MAX_HTML = 65_536;
const MAX_TEXT = 4_096;

/** Tags, and what is between them. No part can match in two ways, so that hostile HTML takes no longer. */
const PARTS = /<[^<>]*>|[^<]+|</g;
const TAG = /^<(\/?)([a-z][a-z0-9]*)/i;
const HIDDEN = new Set(['script', 'style', 'head', 'template', 'noscript', 'svg']);
const LINES = new Set(['br', 'p', 'div', 'tr', 'li', 'table', 'pre', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol']);
const CELLS = new Set(['td', 'th']);
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'", nbsp: ' ' };

/** The beginning of what HTML says, as plain text for a preview: rows on lines, cells apart by tabs. */
export function htmlText(html: string): string {
  const texts: string[] = [];
  let hidden: string | null = null;
  for (const [part] of html.slice(0, MAX_HTML).matchAll(PARTS)) {
    const [, slash, given = ''] = TAG.exec(part) ?? [];
    const name = given.toLowerCase();
    if (hidden !== null) {
      if (slash === '/' && name === hidden) hidden = null;
    } else if (part.startsWith('<') && part.length > 1) {
      if (slash === '' && HIDDEN.has(name)) hidden = name;
      else if (slash === '/' && CELLS.has(name)) texts.push('\t');
      else if (LINES.has(name)) texts.push('\n');
    } else texts.push(part.replace(/\s+/g, ' '));
  }
  const text = texts.join('').replace(/&(#39|[a-z]{2,4});/g, (whole, name: string) => ENTITIES[name] ?? whole);
  const lines = text.split('\n').map((line) => line.trim());
  const kept = lines.filter((line) => line !== '').join('\n');
  return kept.length > MAX_TEXT ? `${kept.slice(0, MAX_TEXT).toWellFormed()}…` : kept;
}
