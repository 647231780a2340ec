import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { Options } from '../../../src/engine/options.ts';
import type { Engine, Owner } from '../../../src/engine/types.ts';
import { dockerHost } from '../../../src/host/docker/dockerHost.ts';
import { thisOwner } from '../../../src/host/identity.ts';
import { LANGUAGES } from '../../../src/languages/registry.ts';
import { installerPrograms } from '../../../src/local/installerPrograms.ts';
import { loadAgent } from '../../../src/sandbox/agentBundle.ts';
import { type LocalRegistry, localRegistry, type RegisteredPackage } from './localRegistry.ts';

const IMAGES = path.resolve(import.meta.dirname, '../../../images');
const OWNER: Owner = { id: 'person', kind: 'notebook', label: 'notebook' };
const SPY = `
const fs = require('fs');
const look = (folder) => { try { return fs.readdirSync(folder); } catch (error) { return error.code; } };
fs.writeFileSync('found.json', JSON.stringify([look('/cache'), look('/packages'), look('/workspace'), process.getuid()]));
`;

const PACKAGES: readonly RegisteredPackage[] = [
  ['greeting', '1.0.0', { 'index.js': 'exports.text = "one"' }],
  ['greeting', '2.0.0', { 'index.js': 'exports.text = "two"' }],
  [
    '@own/modern',
    '1.0.0',
    { 'index.js': 'import greeting from "greeting"; export const text = "modern " + greeting.text;' },
    { type: 'module', dependencies: { greeting: '^1.0.0' } },
  ],
  [
    'program',
    '1.0.0',
    { 'index.js': '#!/usr/bin/env node\nconsole.log("program runs")' },
    { bin: { program: 'index.js' } },
  ],
  [
    'spying',
    '1.0.0',
    { 'spy.js': SPY, 'index.js': 'module.exports = require("./found.json")' },
    { scripts: { postinstall: 'node spy.js' } },
  ],
];

let engine: Engine;
let registry: LocalRegistry;
const machine = `packages-${randomBytes(8).toString('hex')}`;

beforeAll(async () => {
  registry = await localRegistry(PACKAGES);
  engine = createEngine({
    connect: () => dockerHost({ env: process.env, home: process.env.HOME ?? '/', log: silentLog }),
    agent: await loadAgent(path.join(IMAGES, 'agent')),
    options: Options.parse({ pool: { size: 1 }, packages: { npmIndex: registry.url } }),
    clock: systemClock,
    log: silentLog,
    identity: { machine, owner: await thisOwner() },
    languages: LANGUAGES,
    images: async () => ({ context: IMAGES, buildArgs: {} }),
    installers: installerPrograms(IMAGES),
  });
});
afterAll(async () => {
  await engine.dispose();
  registry.close();
  await promisify(execFile)('docker', ['volume', 'rm', '--force', `hothouse-packages-${machine}`]);
});

async function open(): Promise<(code: string) => Promise<Awaited<ReturnType<Engine['run']>>>> {
  const opened = await engine.openSession('node', OWNER);
  if (!opened.ok) throw new Error(opened.error.message);
  const sessionId = opened.value.id;
  return (code) => engine.run({ language: 'node', code, owner: OWNER, sessionId });
}

describe('packages of npm', () => {
  it('come into a living session for require, import and programs; its variables stay, and it has no network', async () => {
    const cell = await open();
    await cell('const x = 41');
    const installed = await cell('!npm install greeting@1.0.0\nconst g = require("greeting"); [x + 1, g.text]');
    expect(installed).toMatchObject({ status: 'ok', result: { 'text/plain': "[ 42, 'one' ]" } });
    expect(await cell('%npm i @own/modern program\nimport { text } from "@own/modern"; text')).toMatchObject({
      result: { 'text/plain': "'modern one'" },
    });
    expect(await cell('require("child_process").execSync("program").toString()')).toMatchObject({
      result: { 'text/plain': "'program runs\\n'" },
    });
    const writes =
      'let code; try { require("fs").writeFileSync(require.resolve("greeting"), ""); } catch (error) { code = error.code; }\ncode';
    expect(await cell(writes)).toMatchObject({ result: { 'text/plain': "'EACCES'" } });
    const lines =
      'require("fs").readFileSync("/proc/net/dev", "latin1").split("\\n").filter((l) => l.includes(":")).length';
    expect(await cell(lines)).toMatchObject({ result: { 'text/plain': '1' } });
  });

  it('run their scripts in the installer alone, without the session, the cache or rights', async () => {
    const cell = await open();
    await cell('require("fs").writeFileSync("secret.txt", "a secret")');
    expect(await cell('!npm install spying\nJSON.stringify(require("spying"))')).toMatchObject({
      result: { 'text/plain': expect.stringContaining('["ENOENT","ENOENT",[],65000]') },
    });
  });

  it('are refused in the words of npm when there is no such package, and the session lives', async () => {
    const cell = await open();
    await cell('let x = 1');
    const refused = await cell('!npm install no-such-package-at-all\nx = 2');
    expect(refused).toMatchObject({ status: 'error', error: { name: 'InstallError' } });
    expect(refused.error?.message).toContain('no-such-package-at-all');
    expect((await cell('x')).result).toMatchObject({ 'text/plain': '1' });
    for (const entry of ['--registry=http://evil.test x', 'https://evil.test/x.tgz', '../x', 'git+ssh://evil.test/x']) {
      expect(await cell(`!npm install ${entry}`)).toMatchObject({ status: 'rejected' });
    }
  });
});

it('is a line of the error that says how to install a missing package, or why a name is not resolved', async () => {
  const cell = await open();
  expect((await cell('require("@own/missing/deep")')).error?.message).toContain('`!npm install @own/missing`');
  expect((await cell('import "missing"')).error?.message).toContain('`!npm install missing`');
  expect((await cell('require("./missing")')).error?.message).not.toContain('npm install');
  expect((await cell('await fetch("http://example.test/")')).error?.message).toContain('Sandboxes have no network.');
});
