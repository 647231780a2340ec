import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { createServer, type Server } from 'node:https';
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

it.each([
  ['pip', 'python', 'greeting', 'index', () => pip.url],
  ['npm', 'node', 'greeting', 'npmIndex', () => npm.url],
  ['nuget', 'csharp', 'Greeting', 'nugetIndex', () => nuget.url],
] as const)(
  'an environment of %s comes from the index of the options, whose certificate is checked unless its host is trusted',
  async (manager, language, name, option, address) => {
    const index = await overTls(address());
    let count = 0;
    const build = async (packages: NonNullable<OptionsInput['packages']>) => {
      engine.configure(Options.parse({ packages: { [option]: index, ...packages } }));
      count += 1;
      // Another variable, so that it is built again.
      const environment = { name: `${manager}-${count}`, language, variables: { COUNT: `${machine}-${count}` } };
      const built = await engine.environments.create({ ...environment, packages: { [manager]: [name] } });
      return built.ok ? built.value.lock[manager] : built.error.message;
    };
    expect(await build({})).toMatch(/certificate/i);
    const lock = /greeting/i;
    expect(await build({ trustedHosts: [dockerAddress()] })).toMatch(lock);
    expect(await build({ certificates: join(folder, 'certificate.pem') })).toMatch(lock);
    expect(await build({ certificates: join(folder, 'none.pem') })).toContain('packages.certificates cannot be read');
  },
  BUILDS_MS,
);
