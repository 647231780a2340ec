import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createProxy, request as httpRequest, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Options, type OptionsInput } from '../../../src/engine/options.ts';
import type { Engine } from '../../../src/engine/types.ts';
import { installingEngine } from './installing.ts';
import { dockerAddress, type LocalIndex, localIndex } from './localIndex.ts';
import { type LocalRegistry, localRegistry } from './localRegistry.ts';
import { type NugetFeed, nugetFeed } from './nugetFeed.ts';

const run = promisify(execFile);
const BUILDS_MS = 900_000;
const machine = `packages-${randomBytes(8).toString('hex')}`;
const servers: Server[] = [];

let folder: string;
let pip: LocalIndex;
let npm: LocalRegistry;
let nuget: NugetFeed;
let engine: Engine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hothouse-indexes-'));
  pip = await localIndex([{ name: 'greeting', version: '1.0', files: { 'greeting.py': 'text = "one"\n' } }]);
  npm = await localRegistry([['greeting', '1.0.0', { 'index.js': 'exports.text = "one"' }]]);
  nuget = await nugetFeed([{ name: 'Greeting', version: '1.0.0', files: { 'content/one.txt': 'one' } }]);
  const subject = ['-subj', '/CN=index', '-addext', `subjectAltName=IP:${dockerAddress()}`];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
  await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files]);
  engine = await installingEngine(machine, {});
});
afterAll(async () => {
  for (const { name } of await engine.environments.list()) await engine.environments.remove(name);
  await engine.dispose();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await pip.close();
  npm.close();
  await nuget.close();
  await rm(folder, { recursive: true });
});

/** The same index by https, with a certificate of its own. */
async function overTls(address: string): Promise<string> {
  const keys = {
    key: await readFile(join(folder, 'key.pem')),
    cert: await readFile(join(folder, 'certificate.pem')),
  };
  const server = createServer(keys, (request, response) => {
    httpRequest(new URL(request.url ?? '/', address), (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    }).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, dockerAddress(), resolve));
  const { pathname } = new URL(address);
  return `https://${dockerAddress()}:${(server.address() as AddressInfo).port}${pathname === '/' ? '' : pathname}`;
}

/** A proxy that knows where the host `index.invalid` is, and each path that it was asked for. */
async function recordingProxy(address: string): Promise<{ readonly url: string; readonly through: string[] }> {
  const through: string[] = [];
  const proxy = createProxy((request, response) => {
    const { host, pathname } = new URL(request.url ?? '/', 'http://direct.invalid');
    through.push(`${host} ${pathname}`);
    httpRequest(new URL(pathname, address), (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    }).end();
  });
  servers.push(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, dockerAddress(), resolve));
  return { url: `http://${dockerAddress()}:${(proxy.address() as AddressInfo).port}`, through };
}

interface IndexOfOption {
  readonly manager: 'pip' | 'npm' | 'nuget';
  readonly language: string;
  /** The package that it has. */
  readonly name: string;
  /** Below `packages`. */
  readonly option: string;
  readonly address: () => string;
}

const LOCK = /greeting/i;
const INDEXES: readonly IndexOfOption[] = [
  { manager: 'pip', language: 'python', name: 'greeting', option: 'index', address: () => pip.url },
  { manager: 'npm', language: 'node', name: 'greeting', option: 'npmIndex', address: () => npm.url },
  { manager: 'nuget', language: 'csharp', name: 'Greeting', option: 'nugetIndex', address: () => nuget.url },
];
let builds = 0;

/** Builds an environment with the package by these options; resolves to its lock, or to what was said. */
async function build(
  { manager, language, name }: IndexOfOption,
  packages: NonNullable<OptionsInput['packages']>,
): Promise<string | undefined> {
  engine.configure(Options.parse({ packages }));
  builds += 1;
  // Another variable, so that it is built again.
  const environment = { name: `${manager}-${builds}`, language, variables: { COUNT: `${machine}-${builds}` } };
  const built = await engine.environments.create({ ...environment, packages: { [manager]: [name] } });
  return built.ok ? built.value.lock[manager] : built.error.message;
}

it.each(INDEXES)(
  'an environment of $manager comes from the index of the options, whose certificate is checked unless its host is trusted',
  async (one) => {
    const { option, address } = one;
    const index = await overTls(address());
    expect(await build(one, { [option]: index })).toMatch(/certificate/i);
    expect(await build(one, { [option]: index, trustedHosts: [dockerAddress()] })).toMatch(LOCK);
    expect(await build(one, { [option]: index, certificates: join(folder, 'certificate.pem') })).toMatch(LOCK);
    const unreadable = await build(one, { [option]: index, certificates: join(folder, 'none.pem') });
    expect(unreadable).toContain('packages.certificates cannot be read');
  },
  BUILDS_MS,
);

it.each(INDEXES)(
  'an environment of $manager comes through the proxy of the options, except from hosts that it leaves out',
  async (one) => {
    const { option, address } = one;
    const { url, through } = await recordingProxy(address());
    const unknown = `${new URL(new URL(address()).pathname, 'http://index.invalid')}`;
    const trustedHosts = ['index.invalid', dockerAddress()];
    expect(await build(one, { [option]: unknown, trustedHosts, proxy: url })).toMatch(LOCK);
    expect(through.join('\n')).toMatch(/^index\.invalid .*(greeting|index)/m);
    through.length = 0;
    const noProxy = dockerAddress();
    expect(await build(one, { [option]: address(), trustedHosts, proxy: url, noProxy })).toMatch(LOCK);
    expect(through).toEqual([]);
  },
  BUILDS_MS,
);
