import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OptionsInput } from '../../../src/engine/options.ts';
import type { Engine, RunResult } from '../../../src/engine/types.ts';
import { cell, installingEngine, openSession } from './installing.ts';
import { archiveOf, dockerAddress, type IndexedPackage, type LocalIndex, localIndex } from './localIndex.ts';

const run = promisify(execFile);
const PACKAGES: IndexedPackage[] = [
  { name: 'greeting', version: '1.0', files: { 'greeting/__init__.py': 'text = "one"\n' } },
  {
    name: 'greeting',
    version: '2.0',
    files: { 'greeting/__init__.py': 'text = "two"\n' },
    requires: ['colorful; extra == "color"'],
    extras: ['color'],
  },
  {
    name: 'greeting',
    version: '3.0',
    files: { 'greeting/__init__.py': 'text = "three"\n' },
    requires: ['colorful; extra == "color"'],
    extras: ['color'],
  },
  { name: 'colorful', version: '1.0', files: { 'colorful.py': 'n = 7\n' } },
  { name: 'PySocks', version: '9.0', files: { 'socks_of_the_test.py': 'n = 9\n' } },
];
const OTHERS: IndexedPackage[] = [{ name: 'elsewhere', version: '1.0', files: { 'elsewhere.py': 'n = 5\n' } }];
const machine = `packages-${randomBytes(8).toString('hex')}`;
const engines: Engine[] = [];
const servers: Server[] = [];

let index: LocalIndex;
let other: LocalIndex;
let folder: string;

beforeAll(async () => {
  index = await localIndex(PACKAGES);
  other = await localIndex(OTHERS);
  folder = await mkdtemp(join(tmpdir(), 'hothouse-options-'));
});
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.dispose()));
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await index.close();
  await other.close();
  await rm(folder, { recursive: true });
  await run('docker', ['volume', 'rm', '--force', `hothouse-packages-${machine}`]);
});

/** A session with these options, as a function that runs cells. */
async function session(packages: NonNullable<OptionsInput['packages']>): Promise<(code: string) => Promise<RunResult>> {
  const engine = await installingEngine(machine, { packages: { index: index.url, ...packages } });
  engines.push(engine);
  const id = await openSession(engine);
  return (code) => cell(engine, id, code);
}

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, dockerAddress(), resolve));
  return (server.address() as AddressInfo).port;
}

/** Passes on the bytes of a connection through a proxy. */
function joinTo(socket: Duplex, host: string, port: number): void {
  const target = connect(port, host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  target.pipe(socket).pipe(target);
  target.on('error', () => socket.destroy());
  socket.on('error', () => target.destroy());
}

it('installs with pip where the option says so, and with uv by default', async () => {
  const withPip = await session({ tool: 'pip', trustedHosts: [dockerAddress()] });
  const installed = await withPip('%pip install greeting==1.0\nimport greeting\ngreeting.text');
  expect(installed).toMatchObject({ status: 'ok', result: { 'text/plain': "'one'" } });
  expect(installed.stdout).toContain('Successfully installed greeting-1.0');
  expect((await withPip('%pip install no-such-package')).error?.message).toContain(
    'No matching distribution found for no-such-package',
  );
  const withUv = await session({});
  expect((await withUv('%pip install greeting==1.0')).stdout).toContain(' + greeting==1.0');
});

it('installs what an extra requires, also for packages that the session or its image has already', async () => {
  const run = await session({});
  await run('%pip install greeting==2.0');
  const extra = await run('%pip install greeting[color]\nimport colorful, greeting\n(colorful.n, greeting.text)');
  expect(extra).toMatchObject({ status: 'ok', error: null, result: { 'text/plain': "(7, 'two')" } });
  const ofImage = await run('%pip install requests[socks]\nimport socks_of_the_test, requests\nrequests.__file__');
  expect(ofImage).toMatchObject({ status: 'ok', error: null });
  expect(ofImage.result?.['text/plain']).toContain('/usr/lib/python3/dist-packages/requests/');
});

it('installs from a URL only where the option allows URLs, by cells and by requests', async () => {
  const url = `${new URL('/files/greeting-1.0-py3-none-any.whl', index.url)}`;
  const strict = await session({});
  const before = index.asked.length;
  expect(await strict(`%pip install ${url}`)).toMatchObject({ status: 'rejected' });
  expect(await strict(`%pip install "greeting @ ${url}"`)).toMatchObject({ status: 'rejected' });
  expect(await strict('%pip install file:///workspace/x.whl')).toMatchObject({ status: 'rejected' });
  expect(index.asked.length).toBe(before);
  const open = await session({ urls: true });
  const installed = await open(`%pip install ${url}\nimport greeting\ngreeting.text`);
  expect(installed).toMatchObject({ status: 'ok', error: null, result: { 'text/plain': "'one'" } });
  for (const place of ['file:///etc/passwd', '/workspace', '../x', './x', '-e .', 'ssh://host/x'])
    expect(await open(`%pip install ${place}`)).toMatchObject({ status: 'rejected' });
});

it('searches further indexes', async () => {
  const run = await session({ extraIndexes: [other.url] });
  expect(await run('%pip install elsewhere greeting==1.0\nimport elsewhere, greeting\nelsewhere.n')).toMatchObject({
    result: { 'text/plain': '5' },
  });
});

it('trusts an index with the certificates of the option, or because its host is named, and otherwise not', async () => {
  const file = (name: string) => join(folder, name);
  const made = async (name: string, ...terms: string[]) => {
    const common = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`];
    await run('openssl', [...common, '-keyout', file(`${name}.key`), '-out', file(`${name}.pem`), ...terms]);
  };
  await made('authority', '-addext', 'keyUsage=critical,keyCertSign');
  const signed = ['-CA', file('authority.pem'), '-CAkey', file('authority.key')];
  const leaf = ['-addext', 'basicConstraints=critical,CA:FALSE', '-addext', 'subjectAltName=DNS:index.test'];
  await made('index', ...signed, ...leaf);
  const certificates = file('authority.pem');
  const keys = { key: await readFile(file('index.key')), cert: await readFile(file('index.pem')) };
  const tls = createTlsServer(keys, (request, response) => {
    httpRequest(new URL(request.url ?? '/', index.url), (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    }).end();
  });
  const port = await listen(tls);
  const proxy = createServer();
  proxy.on('connect', (_, socket) => joinTo(socket, dockerAddress(), port));
  const names = { index: 'https://index.test/simple', proxy: `http://${dockerAddress()}:${await listen(proxy)}` };
  const installs = async (packages: NonNullable<OptionsInput['packages']>) => {
    const run = await session({ ...names, cacheMb: 0, ...packages });
    return run('%pip install greeting==1.0\nimport greeting\ngreeting.text');
  };
  const refused = await installs({});
  expect(refused).toMatchObject({ status: 'error', error: { name: 'InstallError' } });
  expect(refused.error?.message).toMatch(/certificate/i);
  const result = { 'text/plain': "'one'" };
  expect(await installs({ certificates })).toMatchObject({ error: null, result });
  expect(await installs({ certificates, tool: 'pip' })).toMatchObject({ error: null, result });
  const trustedHosts = ['index.test'];
  expect(await installs({ trustedHosts })).toMatchObject({ error: null, result });
  expect(await installs({ trustedHosts, tool: 'pip' })).toMatchObject({ error: null, result });
  const missing = await installs({ certificates: file('none.pem') });
  expect(missing.error?.message).toContain('The file of packages.certificates cannot be read');
});

it('goes through the proxy of the option, except to hosts that it leaves out', async () => {
  const through: string[] = [];
  const proxy = createServer((request, response) => {
    through.push(request.url ?? '');
    // Only the proxy knows this host.
    const { pathname } = new URL(request.url ?? '/', 'http://index.invalid');
    httpRequest(new URL(pathname, index.url), (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    }).end();
  });
  proxy.on('connect', (request, socket) => {
    through.push(request.url ?? '');
    const { hostname, port } = new URL(index.url);
    joinTo(socket, hostname, Number(port));
  });
  const address = `http://${dockerAddress()}:${await listen(proxy)}`;
  const code = '%pip install greeting==1.0\nimport greeting\ngreeting.text';
  // pip trusts no index without TLS.
  const trustedHosts = ['index.invalid', dockerAddress()];
  for (const tool of ['uv', 'pip']) {
    const common = { proxy: address, cacheMb: 0, tool, trustedHosts };
    const proxied = await session({ index: 'http://index.invalid/simple', ...common });
    expect(await proxied(code)).toMatchObject({ error: null, result: { 'text/plain': "'one'" } });
    expect(through.some((one) => one.includes('index.invalid'))).toBe(true);
    through.length = 0;
    const direct = await session({ noProxy: dockerAddress(), ...common });
    expect(await direct(code)).toMatchObject({ error: null, result: { 'text/plain': "'one'" } });
    expect(through).toEqual([]);
  }
});

it('installs a wheel of the workspace with pip too', async () => {
  const engine = await installingEngine(machine, { packages: { index: index.url, tool: 'pip' } });
  engines.push(engine);
  const id = await openSession(engine);
  const wheel = await archiveOf({ name: 'mine', version: '3.0', files: { 'mine.py': 'n = 3\n' } }, folder);
  await engine.files(id).put('mine-3.0-py3-none-any.whl', wheel);
  const result = await cell(engine, id, '%pip install mine-3.0-py3-none-any.whl\nimport mine; mine.n');
  expect(result).toMatchObject({ error: null, result: { 'text/plain': '3' } });
});
