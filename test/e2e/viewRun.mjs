import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { chromium } from 'playwright-core';

const VIEW = 'ui://hothouse/run';
const EVIL = `<img src=x onerror="parent.postMessage('ran','*')"><script>parent.postMessage('ran','*')</script>`;
/** A run with a picture, a table and variables, all with HTML that would run a script. */
const CODE = `
import base64
class Table:
    def _repr_html_(self):
        return '<table onclick="parent.postMessage(1)"><tr><th>city</th></tr><tr><td>Bern ' + EVIL + '<b>bold</b></td></tr></table>' + EVIL
class Picture:
    def _repr_png_(self):
        return base64.b64decode('${'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='}')
EVIL = ${JSON.stringify(EVIL)}
evil = EVIL
print(EVIL)
display(Picture())
Table()
`;

/** A host of MCP Apps: the view in a frame without an origin, and its messages passed on to the MCP client. */
const HOST = `
<iframe id="view" sandbox="allow-scripts"></iframe>
<script>
  window.strange = [];
  const view = document.getElementById('view');
  addEventListener('message', async ({ source, data }) => {
    if (source !== view.contentWindow) return;
    if (!data || data.jsonrpc !== '2.0') return void window.strange.push(data);
    const { id, method, params } = data;
    if (id === undefined) return void (method === 'ui/notifications/initialized' && (window.isReady = true));
    const result = method === 'ui/initialize'
      ? { protocolVersion: '2026-01-26', hostInfo: { name: 'test', version: '1' }, hostContext: {},
          hostCapabilities: { serverTools: {}, serverResources: {} } }
      : await window.server(method, params);
    view.contentWindow.postMessage({ jsonrpc: '2.0', id, result }, '*');
  });
</script>`;

/** Shows results of real runs in the view of the MCP server, in Chromium, and checks that nothing of them runs. */
export async function runViewTests({ root, out, chromium: executablePath, report }) {
  const client = new Client(
    { name: 'view-test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [path.join(root, 'dist/cli.js'), 'mcp'] }),
  );
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const { tools } = await client.listTools();
    const uri = tools.find(({ name }) => name === 'run_code')?._meta?.ui?.resourceUri;
    check(uri === VIEW, 'run_code names the view', report);
    const [{ text, mimeType }] = (await client.readResource({ uri })).contents;
    check(mimeType === 'text/html;profile=mcp-app', 'the view is an MCP App', report);

    const page = await browser.newPage();
    const requests = [];
    const asked = [];
    page.on('request', (request) => void (/^https?:/.test(request.url()) && requests.push(request.url())));
    await page.exposeFunction('server', (method, params) => {
      asked.push(method);
      return method === 'resources/read' ? client.readResource(params) : client.callTool(params);
    });
    await page.setContent(HOST);
    await page.evaluate((html) => {
      document.getElementById('view').srcdoc = html;
    }, text);
    await page.waitForFunction(() => window.isReady);
    const show = (params) =>
      page.evaluate((given) => {
        const message = { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: given };
        document.getElementById('view').contentWindow.postMessage(message, '*');
      }, params);

    const run = (name, args) => client.callTool({ name, arguments: args });
    const { session_id } = (await run('open_session', { language: 'python' })).structuredContent;
    await show(await run('run_code', { code: CODE, session_id }));
    const frame = page.frames()[1];
    await frame.waitForSelector('td');
    const pictures = await frame.$$eval('img', (found) => found.map(({ naturalWidth }) => naturalWidth));
    check(String(pictures) === '1', 'the view shows the picture, and no other', report);
    check((await frame.textContent('td')).startsWith('Bern'), 'the view shows the cells of a table', report);
    check((await frame.$$('td b, td img, script')).length === 1, 'the cells are text', report);
    check((await frame.textContent('pre')).includes('<script>'), 'the output is text', report);
    await page.screenshot({ path: path.join(out, 'view.png') });

    await frame.click('button');
    await frame.waitForSelector('h2:text-is("Variables")');
    const variables = await frame.textContent('table');
    check(variables.includes('evil') && variables.includes('<img src=x'), 'the view lists the variables', report);
    await show({
      content: [{ type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zz4=' }],
      structuredContent: { error: { name: EVIL, message: EVIL }, state: { [EVIL]: EVIL } },
    });
    await frame.waitForFunction(() => document.getElementById('root').textContent.includes('onerror'));
    check((await frame.$$('img')).length === 0, 'an SVG is no picture, and an error is text', report);
    // What the policy would stop, were it ever in the document.
    await frame.evaluate((html) => document.body.append(document.createRange().createContextualFragment(html)), EVIL);
    await page.waitForTimeout(500);
    check((await page.evaluate(() => window.strange.length)) === 0, 'no script of a run has run', report);
    check(requests.length === 0, 'the view has loaded nothing', report);
    check(
      asked.every((method) => ['resources/read', 'tools/call'].includes(method)),
      'the view asks its server only',
      report,
    );
    await run('close_session', { session_id });
  } finally {
    await browser.close();
    await client.close();
  }
}

function check(isTrue, name, report) {
  report(isTrue ? `ok view: ${name}` : `not ok view: ${name}`);
}
