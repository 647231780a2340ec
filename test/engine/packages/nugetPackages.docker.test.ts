import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { Options } from '../../../src/engine/options.ts';
import type { Engine, Owner } from '../../../src/engine/types.ts';
import { createLocalEngine } from '../../../src/local/localEngine.ts';
import { cell, installingEngine, openSession, PERSON } from './installing.ts';
import { archiveOf, type NugetFeed, nugetFeed } from './nugetFeed.ts';

const run = promisify(execFile);
const BUILD_MS = 300_000;
const AGENT: Owner = { id: 'agent', kind: 'mcp', label: 'agent' };
const machine = `packages-${randomBytes(8).toString('hex')}`;

const greeting = (text: string) =>
  `namespace Greeting { public static class Words { public static string Text = "${text}"; } }`;
/** Assemblies by their name: C#, and the assemblies that it refers to. */
const SOURCES: Readonly<Record<string, readonly [code: string, ...references: string[]]>> = {
  one: [greeting('one')],
  two: [greeting('two')],
  three: [greeting('three')],
  // Stands for the assembly of that name while those for .NET Standard are compiled.
  netstandard: [
    '[assembly: System.Reflection.AssemblyVersion("2.0.0.0")] namespace System.Collections.Generic { public class SortedSet<T> { public bool Add(T item) { return true; } public int Count { get { return 0; } } } }',
  ],
  Modern: [
    'using System.Collections.Generic; namespace Modern { public static class Words { public static string Text { get { var set = new SortedSet<int>(); set.Add(1); set.Add(1); return "modern " + Greeting.Words.Text + set.Count; } } } }',
    'netstandard',
    'Greeting',
  ],
};

let home: string;
let engine: Engine;
/** With environments. */
let local: Engine;
let feed: NugetFeed;
let own: Buffer;
const opened: string[] = [];

/** Compiles with mcs, in the image of an environment that has it. */
async function compiled(image: string): Promise<(name: string) => Promise<Buffer>> {
  const folder = join(home, 'assemblies');
  const script = ['set -e', 'cd /assemblies', 'mkdir one two three'];
  await run('mkdir', [folder]);
  for (const [name, [code, ...references]] of Object.entries(SOURCES)) {
    await writeFile(join(folder, `${name}.cs`), code);
    const isGreeting = code.includes('namespace Greeting');
    const target = isGreeting ? `${name}/Greeting.dll` : `${name}.dll`;
    const given = references.map((one) => `-r:${one === 'Greeting' ? 'one/Greeting' : one}.dll`).join(' ');
    script.push(`mcs -noconfig -target:library ${given} -out:${target} ${name}.cs`);
  }
  await run('docker', ['run', '--rm', '--volume', `${folder}:/assemblies`, image, 'sh', '-c', script.join('\n')]);
  return (name) => readFile(join(folder, name === 'Modern' ? 'Modern.dll' : `${name}/Greeting.dll`));
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hothouse-nuget-'));
  const imagesFolder = join(import.meta.dirname, '../../../images');
  const options = Options.parse({ pool: { size: 1 } });
  local = await createLocalEngine({ options, log: silentLog, env: process.env, home, imagesFolder });
  const compiler = await local.environments.create({
    name: 'compiler',
    language: 'csharp',
    packages: { apt: ['mono-mcs'] },
  });
  if (!compiler.ok) throw new Error(compiler.error.message);
  const dll = await compiled(compiler.value.image);
  const of = async (name: string, path: string) => ({ [path]: await dll(name) });
  const modern = await of('Modern', 'lib/netstandard2.0/Modern.dll');
  own = await archiveOf({ name: 'Own', version: '1.0.0', files: await of('one', 'lib/net45/Greeting.dll') });
  feed = await nugetFeed([
    {
      name: 'Greeting',
      version: '1.0.0',
      files: { ...(await of('one', 'lib/net45/Greeting.dll')), 'lib/net45/Greeting.xml': 'x' },
    },
    {
      name: 'Greeting',
      version: '2.0.0',
      files: {
        ...(await of('one', 'lib/net45/Greeting.dll')),
        ...(await of('two', 'lib/net472/Greeting.dll')),
        ...(await of('one', 'lib/netstandard2.0/Greeting.dll')),
        'lib/net8.0/Greeting.dll': 'no assembly of Mono',
      },
    },
    { name: 'Greeting', version: '3.0.0-beta.1', files: await of('three', 'lib/netstandard2.0/Greeting.dll') },
    {
      name: 'Modern',
      version: '1.0.0',
      files: { ...modern, 'lib/net8.0/Modern.dll': 'no assembly of Mono' },
      requires:
        '<group targetFramework=".NETStandard2.0"><dependency id="greeting" version="[1.0, 2.0)" exclude="Build,Analyzers" /></group><group targetFramework="net8.0"><dependency id="Not.There" version="1.0" /></group>',
    },
    { name: 'Strict', version: '1.0.0', files: {}, requires: '<dependency id="Greeting" version="[1.0]" />' },
    { name: 'Future', version: '1.0.0', files: { 'lib/net8.0/Future.dll': 'x', 'lib/net6.0/Future.dll': 'x' } },
    { name: 'Lonely', version: '1.0.0', files: {}, requires: '<dependency id="Not.There" version="2.0" />' },
  ]);
  engine = await installingEngine(machine, { packages: { nugetIndex: feed.url, agents: 'allow' } });
}, BUILD_MS);

afterAll(async () => {
  await engine.dispose();
  for (const { name } of await local.environments.list()) await local.environments.remove(name);
  await local.dispose();
  await feed.close();
  await rm(home, { recursive: true });
  await run('docker', ['volume', 'rm', '--force', `hothouse-packages-${machine}`]);
});

afterEach(() => Promise.all(opened.splice(0).map((id) => engine.closeSession(id))));

async function open() {
  const id = await openSession(engine, 'csharp');
  opened.push(id);
  return { id, cell: (code: string) => cell(engine, id, code, 'csharp') };
}

describe('packages of NuGet', () => {
  it('come into a living session, whose variables stay and which has no network', async () => {
    const { cell } = await open();
    await cell('var x = 41;');
    const installed = await cell('#r "nuget: Greeting, 1.0.0"\nusing Greeting;\nx + 1 + Words.Text');
    expect(installed).toMatchObject({ error: null, result: { 'text/plain': '"42one"' } });
    expect(installed.stdout).toBe('Installed Greeting 1.0.0\n');
    const asked = feed.asked.length;
    expect(await cell('#r "nuget: Greeting, 1.0.0"\nx')).toMatchObject({ stdout: '', result: { 'text/plain': '41' } });
    expect(feed.asked.length).toBe(asked);
    const lines = 'File.ReadLines("/proc/net/dev").Count(line => line.Contains(":"))';
    expect((await cell(lines)).result).toMatchObject({ 'text/plain': '1' });
    const write = 'File.WriteAllText(typeof(Words).Assembly.Location, "")';
    expect((await cell(write)).error?.name).toBe('UnauthorizedAccessException');
  });

  it('bring what they require, with the assemblies for .NET Standard', async () => {
    const { cell } = await open();
    const installed = await cell('#r "nuget: modern"\nModern.Words.Text');
    expect(installed).toMatchObject({ error: null, result: { 'text/plain': '"modern one1"' } });
    expect(installed.stdout).toBe('Installed Greeting 1.0.0\nInstalled Modern 1.0.0\n');
  });

  it.each([
    ['Greeting', 'two'],
    ['Greeting, 1.0', 'one'],
    ['Greeting, 1.5', 'two'],
    ['Greeting, [1.0, 3.0)', 'one'],
    ['Greeting, (1.0, )', 'two'],
    ['Greeting, 1.*', 'one'],
    ['Greeting, *-*', 'three'],
    ['Greeting, 3.0.0-BETA.1', 'three'],
  ])('are chosen by version and framework: %s', async (reference, text) => {
    const { cell } = await open();
    const { result, error } = await cell(`#r "nuget: ${reference}"\nGreeting.Words.Text`);
    expect([error, result?.['text/plain']]).toEqual([null, `"${text}"`]);
  });

  it.each([
    ['#r "nuget: Not.There"', /Unable to find package Not\.There\. The index .* has no package of that name/],
    [
      '#r "nuget: Greeting, 7.0"',
      /Unable to find a version of Greeting that meets 7\.0 \(asked for\)\. The index has 1\.0\.0, 2\.0\.0, 3/,
    ],
    ['#r "nuget: Lonely"', /Unable to find package Not\.There, which is required by lonely 1\.0\.0/],
    ['#r "nuget: Future"', /Future 1\.0\.0 is not compatible with Mono.* It supports net6\.0, net8\.0\./],
    [
      '#r "nuget: Strict"\n#r "nuget: Greeting, 2.0"',
      /Greeting that meets 2\.0 \(asked for\) and \[1\.0\] \(required by strict 1\.0\.0\)/,
    ],
  ])('are refused with the reason, and the session lives: %s', async (code, message) => {
    const { cell } = await open();
    await cell('var x = 1;');
    const refused = await cell(`${code}\nx = 2;`);
    expect(refused).toMatchObject({ status: 'error', sessionLost: false, error: { name: 'InstallError' } });
    expect(refused.error?.message).toMatch(message);
    expect((await cell('x')).result).toMatchObject({ 'text/plain': '1' });
  });

  it('that would replace a loaded one are said to need a restart, after which they are used', async () => {
    const { id, cell } = await open();
    await cell('#r "nuget: Greeting, 1.0.0"\nvar before = Greeting.Words.Text;');
    const replaced = await cell('#r "nuget: Greeting, 2.0.0"\nGreeting.Words.Text');
    expect(replaced.stdout).toContain('Greeting 2.0.0 replaces 1.0.0');
    expect(replaced.result).toMatchObject({ 'text/plain': '"one"' });
    await engine.restartSession(id);
    expect((await cell('Greeting.Words.Text')).result).toMatchObject({ 'text/plain': '"two"' });
  });

  it('come from an archive in the workspace, and by a request', async () => {
    const { id, cell } = await open();
    const written = await engine.files(id).put('own.1.0.0.nupkg', own);
    expect(written.ok).toBe(true);
    expect((await cell('#r "nuget: ./own.1.0.0.nupkg"\nGreeting.Words.Text')).result).toMatchObject({
      'text/plain': '"one"',
    });
    const request = { sessionId: id, owner: AGENT, packages: ['Strict@1.0.0'] };
    const other = await open();
    expect(await engine.installPackages({ ...request, sessionId: other.id })).toMatchObject({
      ok: true,
      value: {
        added: [
          { name: 'Greeting', version: '1.0.0', replaced: null },
          { name: 'Strict', version: '1.0.0' },
        ],
      },
    });
    expect((await other.cell('Greeting.Words.Text')).result).toMatchObject({ 'text/plain': '"one"' });
  });

  it.each(['-x', 'https://evil.test/a.nupkg', '../a', 'A, $(id)', 'A, --version'])(
    'are not named by %s',
    async (name) => {
      const { cell } = await open();
      expect(await cell(`#r "nuget: ${name}"`)).toMatchObject({ status: 'rejected' });
    },
  );

  it('are downloaded once: later installations ask the index for versions only', async () => {
    const { cell } = await open();
    await cell('#r "nuget: Greeting, 1.0.0"');
    const from = feed.asked.length;
    // Another request than the first one, whose result is kept.
    const other = await open();
    expect((await other.cell('#r "nuget: Greeting, [1.0.0, 1.0.1]"\nGreeting.Words.Text')).error).toBeNull();
    expect(feed.asked.slice(from).filter((path) => path.includes('nupkg'))).toEqual([]);
    expect(feed.asked.slice(from)).toContain('/flat/greeting/index.json');
  });
});

it('needs agreement for packages of agents, and none for those of the list', async () => {
  const asking = await installingEngine(machine, { packages: { nugetIndex: feed.url, allowed: ['greeting'] } });
  try {
    const sessionId = await openSession(asking, 'csharp');
    const request = { sessionId, owner: AGENT };
    expect(await asking.installPackages({ ...request, packages: ['Modern'] })).toMatchObject({
      ok: false,
      error: { kind: 'needs_approval' },
    });
    expect(await asking.installPackages({ ...request, packages: ['Greeting@1.0.0'] })).toMatchObject({ ok: true });
  } finally {
    await asking.dispose();
  }
});

it('says what to do where no index is known, and where an address is none', async () => {
  const own = process.env.HOME;
  // Of this machine no source has the address of an index.
  await mkdir(join(home, '.nuget/NuGet'), { recursive: true });
  const sources = '<packageSources><add key="mine" value="/home/me/feed" /></packageSources>';
  await writeFile(join(home, '.nuget/NuGet/NuGet.Config'), `<configuration>${sources}</configuration>`);
  process.env.HOME = home;
  try {
    for (const [nugetIndex, message] of [
      ['', /No index of NuGet is known: .*\. Set the option packages\.nugetIndex to an address that ends with/],
      [feed.url.replace('index.json', 'other'), /There is no index of NuGet at /],
      [feed.url.replace('v3/index.json', 'flat/greeting/index.json'), /is no index of NuGet of version 3/],
    ] as const) {
      const other = await installingEngine(machine, { packages: { nugetIndex } });
      try {
        const id = await openSession(other, 'csharp');
        const refused = await cell(other, id, '#r "nuget: Greeting"', 'csharp');
        expect(refused.error?.message).toMatch(message);
      } finally {
        await other.dispose();
      }
    }
  } finally {
    process.env.HOME = own;
  }
});

it('sends the name and password of the address, and never shows them', async () => {
  const nugetIndex = feed.url.replace('http://', 'http://me:pa%2Fss@');
  const other = await installingEngine(machine, { packages: { nugetIndex } });
  try {
    const id = await openSession(other, 'csharp');
    const refused = await cell(other, id, '#r "nuget: Not.There"', 'csharp');
    expect(refused.error?.message).toContain(feed.url);
    expect(JSON.stringify(refused)).not.toContain('pa%2Fss');
    expect(feed.asked).toContain(`/v3/index.json Basic ${Buffer.from('me:pa/ss').toString('base64')}`);
  } finally {
    await other.dispose();
  }
});

describe('an environment with packages of NuGet', () => {
  const input = { name: 'greeting', language: 'csharp', packages: { nuget: ['Modern'] } };
  const code = '#r "nuget: Modern"\nusing Modern;\nWords.Text';
  const once = async (text: string) => {
    const { result, error } = await local.run({
      language: 'csharp',
      owner: PERSON,
      environment: 'greeting',
      code: text,
    });
    return error?.message ?? result?.['text/plain'];
  };

  it(
    'is built with a lock, in which runs and sessions have them, and built again from the lock',
    async () => {
      local.configure(Options.parse({ pool: { size: 1 }, packages: { nugetIndex: feed.url } }));
      const lines: string[] = [];
      const made = await local.environments.create(input, { onLine: (line) => lines.push(line) });
      if (!made.ok) throw new Error(`${made.error.message}\n${lines.join('\n')}`);
      const { lock } = made.value;
      expect(lock.nuget).toMatch(/^Greeting@1\.0\.0 sha512:[0-9a-f]{128}\nModern@1\.0\.0 sha512:[0-9a-f]{128}\n$/);
      expect(lock.nuget).toContain(
        createHash('sha512')
          .update(await archiveOfFeed('modern', '1.0.0'))
          .digest('hex'),
      );
      expect(await once('Modern.Words.Text')).toBe('"modern one1"');
      expect(await once(code)).toBe('"modern one1"');
      expect(await once('#r "nuget: Modern, 2.0"\n1')).toMatch(
        /^The package Modern is there in version 1\.0\.0, not 2\.0\./,
      );
      const session = await local.openSession('csharp', PERSON, undefined, 'greeting');
      if (!session.ok) throw new Error(session.error.message);
      const ours = (text: string) => cell(local, session.value.id, text, 'csharp');
      const asked = feed.asked.length;
      for (const reference of ['Modern', 'modern, 1.0', 'Greeting, 1.0.0+build']) {
        const has = await ours(`#r "nuget: ${reference}"\nModern.Words.Text`);
        expect(has).toMatchObject({ error: null, stdout: '', result: { 'text/plain': '"modern one1"' } });
      }
      expect(feed.asked.length).toBe(asked);
      expect(await ours('#r "nuget: Greeting, [1.0, 2.0)"')).toMatchObject({
        stdout: 'The session has all of them already.\n',
      });

      const again = await local.environments.create({ ...input, name: 'again' }, { lock });
      expect(again).toMatchObject({ ok: true, value: { lock: { nuget: lock.nuget } } });
      const wrong = { ...lock, nuget: lock.nuget?.replace(/[0-9a-f]{128}/, '0'.repeat(128)) };
      const refused = await local.environments.create({ ...input, name: 'wrong' }, { lock: wrong });
      expect(refused).toMatchObject({ ok: false, error: { kind: 'build_failed' } });
      if (!refused.ok) expect(refused.error.message).toContain('Greeting@1.0.0 is not the package of the lock');
    },
    BUILD_MS,
  );

  it(
    'is not built where a package is unknown: the last lines say why',
    async () => {
      const refused = await local.environments.create({ ...input, name: 'wrong', packages: { nuget: ['Not.There'] } });
      expect(refused).toMatchObject({ ok: false, error: { kind: 'build_failed' } });
      if (!refused.ok) expect(refused.error.message).toContain('Unable to find package Not.There.');
    },
    BUILD_MS,
  );
});

async function archiveOfFeed(id: string, version: string): Promise<Buffer> {
  const base = feed.url.replace('/v3/index.json', '/flat');
  return Buffer.from(await (await fetch(`${base}/${id}/${version}/${id}.${version}.nupkg`)).arrayBuffer());
}
