/** The script of the view. It makes elements and sets their text only, so that nothing a run has returned becomes HTML. */
export const VIEW_SCRIPT = `
'use strict';
const root = document.getElementById('root');
const waiting = new Map();
let lastId = 0;
let host = {};
const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const ask = (method, params) => new Promise((resolve, reject) => {
  lastId += 1;
  waiting.set(lastId, { resolve, reject });
  post({ id: lastId, method, params });
});
const add = (parent, name, text) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = String(text).slice(0, 100000);
  parent.append(element);
  return element;
};
const section = (title) => {
  const place = add(root, 'section');
  add(place, 'h2', title);
  return place;
};
const table = (place, rows) => {
  const element = add(place, 'table');
  for (const cells of rows.slice(0, 500)) {
    const row = add(element, 'tr');
    for (const [name, text] of cells.slice(0, 50)) add(row, name, text);
  }
};
const texts = (title, text) => { if (typeof text === 'string' && text !== '') add(section(title), 'pre', text); };
const PICTURES = /^image[/](png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const picture = ({ mimeType, data }) => {
  if (!PICTURES.test(mimeType) || !BASE64.test(data)) return;
  const image = add(section('Picture'), 'img');
  image.alt = 'Picture of the run';
  image.src = 'data:' + mimeType + ';base64,' + data;
};
const tables = async ({ uri, name }) => {
  if (!host.serverResources || !/[.]html$/.test(name)) return;
  const { contents } = await ask('resources/read', { uri });
  // A parsed document runs no scripts and loads nothing; only the text of its cells is taken.
  const parsed = new DOMParser().parseFromString(String(contents[0].text), 'text/html');
  for (const found of [...parsed.querySelectorAll('table')].slice(0, 10)) {
    table(section('Table'), [...found.rows].map((row) =>
      [...row.cells].map((cell) => [cell.tagName === 'TH' ? 'th' : 'td', cell.textContent.trim()])));
  }
  resized();
};
const variables = async (session_id) => {
  const { structuredContent } = await ask('tools/call', { name: 'session_variables', arguments: { session_id } });
  render({ structuredContent });
};
const render = ({ content = [], structuredContent: run = {} }) => {
  root.replaceChildren();
  const facts = [run.status, run.duration_ms === undefined ? '' : run.duration_ms + ' ms', run.session_id, run.run_id];
  add(root, 'p', facts.filter(Boolean).join(' · '));
  for (const item of content) if (item.type === 'image') picture(item);
  for (const link of run.links ?? []) tables(link).catch(() => {});
  texts('Output', run.stdout);
  texts('Errors', run.stderr);
  texts('Result', run.result);
  for (const { texts: shown = {} } of run.displays ?? []) texts('Display', shown['text/plain']);
  if (run.error) texts(run.error.name, run.error.traceback || run.error.message);
  const known = run.variables?.map(({ name, type, value }) => [name, type, value ?? '']) ??
    Object.entries(run.state ?? {}).map(([name, value]) => [name, typeof value, JSON.stringify(value)]);
  if (known.length > 0) table(section('Variables'), known.map((row) => row.map((text) => ['td', text])));
  if (run.session_id && !run.variables && host.serverTools) {
    const button = add(root, 'button', 'Show Variables');
    button.addEventListener('click', () => variables(run.session_id).catch((error) => texts('Problem', error.message)));
  }
  resized();
};
const resized = () => post({
  method: 'ui/notifications/size-changed',
  params: { width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight },
});
addEventListener('message', ({ source, data }) => {
  if (source !== parent || !data || data.jsonrpc !== '2.0') return;
  if (data.method === 'ui/notifications/tool-result') return render(data.params);
  if (data.method !== undefined) {
    if (data.id !== undefined) post({ id: data.id, result: {} });
    return;
  }
  const request = waiting.get(data.id);
  waiting.delete(data.id);
  if (data.error) request?.reject(new Error(data.error.message));
  else request?.resolve(data.result);
});
ask('ui/initialize', {
  protocolVersion: '2026-01-26',
  appInfo: { name: 'hothouse', version: '1' },
  appCapabilities: { availableDisplayModes: ['inline'] },
}).then(({ hostCapabilities = {} }) => {
  host = hostCapabilities;
  post({ method: 'ui/notifications/initialized', params: {} });
});
`;
