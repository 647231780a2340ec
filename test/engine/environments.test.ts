import { describe, expect, it } from 'vitest';
import {
  definitionHash,
  EnvironmentDefinition,
  type EnvironmentInput,
  EnvironmentLock,
  formatDefinitionProblem,
  parseDefinition,
} from '../../src/engine/environment/definition.ts';
import { dockerfileOf } from '../../src/engine/environment/dockerfile.ts';
import { Options } from '../../src/engine/options.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { ALICE, BOB, EngineBench, until } from './engineBench.ts';

const INPUT: EnvironmentInput = { name: 'data', language: 'python', packages: { pip: ['tqdm', 'requests>=2'] } };
const HASH = '0'.repeat(64);

function problemsOf(input: object): string {
  return parseDefinition({ ...INPUT, ...input }, LANGUAGES)
    .problems.map(formatDefinitionProblem)
    .join('\n');
}

function hashOf(input: Partial<EnvironmentInput>): string {
  return definitionHash(EnvironmentDefinition.parse({ ...INPUT, ...input }));
}

describe('the definition of an environment', () => {
  it('is rejected with each key, package, language and variable that is wrong', () => {
    expect(problemsOf({})).toBe('');
    expect(problemsOf({ pacages: [], packages: { conda: ['x'] } })).toBe(
      'packages.conda: There is no such key.\npacages: There is no such key.',
    );
    expect(problemsOf({ packages: { pip: ['--index-url=http://evil.example'] } })).toContain(
      'packages.pip: "--index-url',
    );
    expect(problemsOf({ packages: { pip: ['Jinja2', 'jinja2==3'] } })).toContain('jinja2 is listed twice');
    expect(problemsOf({ packages: { npm: ['lodash'] } })).toBe(
      'packages.npm: Python has no packages of npm; it has those of pip and apt.',
    );
    const many = Array.from({ length: 501 }, (_, index) => `a${index}`);
    expect(problemsOf({ packages: { pip: many } })).toBe('packages.pip: There are more than 500 packages.');
    expect(problemsOf({ packages: { nuget: ['Newtonsoft.Json'] } })).toBe(
      'packages.nuget: Python has no packages of nuget; it has those of pip and apt.',
    );
    expect(problemsOf({ language: 'csharp', packages: { nuget: ['Newtonsoft.Json@[12.0, 14.0)'] } })).toBe('');
    expect(problemsOf({ language: 'csharp', packages: { pip: ['numpy'] } })).toBe(
      'packages.pip: C# has no packages of pip; it has those of nuget and apt.',
    );
    expect(problemsOf({ language: 'cobol' })).toContain('There is no language "cobol"');
    expect(problemsOf({ name: 'python' })).toContain('is a language');
    for (const name of ['', '../x', 'a b', '-x', 'X', 'a'.repeat(41)]) expect(problemsOf({ name })).toContain('name: ');
    for (const base of ['x\nRUN id', 'x AS y', '--platform=x', '$(id)'])
      expect(problemsOf({ base })).toContain('base: ');
    for (const variable of ['LD_PRELOAD', 'PATH', 'PYTHONPATH', 'a-b', 'GLIBC_TUNABLES']) {
      expect(problemsOf({ variables: { [variable]: 'x' } })).toContain(`variables.${variable}: `);
    }
    expect(problemsOf({ name: 'A b', variables: { '1': 'x', PATH: 'x' } })).toBe(
      [
        'name: Use lower-case letters, digits, ".", "_" and "-", first and last a letter or a digit.',
        'variables.1: This is not the name of a variable.',
        'variables.PATH: This variable cannot be set.',
      ].join('\n'),
    );
  });

  it('has a hash of its content without name and order', () => {
    expect(hashOf({})).toMatch(/^[0-9a-f]{16}$/);
    expect(hashOf({ name: 'other', packages: { pip: ['requests>=2', 'tqdm'] } })).toBe(hashOf({}));
    const others = [{ base: 'debian:12' }, { variables: { A: 'b' } }, { packages: {} }, { network: 'none' as const }];
    expect(new Set([hashOf({}), ...others.map(hashOf)]).size).toBe(5);
  });

  it('has a Dockerfile with steps for its own packages only, in which no text of the user stands', () => {
    const definition = EnvironmentDefinition.parse({ ...INPUT, variables: { SECRET: 'canary' } });
    const file = dockerfileOf({ definition, base: 'hothouse/python:latest', lock: undefined });
    expect(file).toContain('pip.py');
    expect(file).not.toMatch(/apt\.sh|npm\.sh|tqdm|canary/);
  });
});

describe('the lock of an environment', () => {
  const accepts = (lock: object) => EnvironmentLock.safeParse({ base: `sha256:${HASH}`, ...lock }).success;

  it('lists exact versions, with hashes where the manager has them', () => {
    expect(accepts({ pip: `tqdm==4.1 \\\n    --hash=sha256:${HASH} \\\n    --hash=sha256:${HASH}\n` })).toBe(true);
    expect(accepts({ pip: `a[b]==1 ; python_version < "3.14" \\\n    --hash=sha256:${HASH}\n` })).toBe(true);
    expect(accepts({ apt: 'graphviz=2.42\nlibx:amd64=1:2-3\n' })).toBe(true);
    expect(accepts({ apt: `graphviz=2.42 sha256:${HASH}\n` })).toBe(true);
    expect(accepts({ npm: '{"lockfileVersion":3,"packages":{"node_modules/a":{"version":"1.0.0"}}}' })).toBe(true);
  });

  it('names no other place to install from', () => {
    for (const pip of [
      'tqdm==4.1',
      'tqdm',
      `--index-url http://evil.example\ntqdm==4.1 --hash=sha256:${HASH}`,
      `tqdm @ http://evil.example/x.whl --hash=sha256:${HASH}`,
      `-r /etc/passwd`,
      `tqdm==4.1 --hash=sha256:${HASH} --index-url=http://evil.example`,
    ]) {
      expect([pip, accepts({ pip })]).toEqual([pip, false]);
    }
    expect(accepts({ apt: 'graphviz' })).toBe(false);
    expect(accepts({ apt: `graphviz=2.42 sha256:${HASH} -o` })).toBe(false);
    expect(accepts({ apt: '--allow-unauthenticated=1' })).toBe(false);
    expect(accepts({ npm: '{"packages":{"a":{"resolved":"http://evil.example/a.tgz"}}}' })).toBe(false);
  });
});

describe('the environments of an engine', () => {
  it('are built once for the same content, at once and again, and shared by several names', async () => {
    const bench = new EngineBench();
    const { environments } = bench.engine;
    const lines: string[] = [];
    const how = { onLine: (line: string) => lines.push(line) };
    const both = await Promise.all([environments.create(INPUT, how), environments.create(INPUT, how)]);
    expect(both.map(({ ok }) => ok)).toEqual([true, true]);
    expect((await environments.create({ ...INPUT, name: 'same' })).ok).toBe(true);
    expect(bench.host.builds.map(({ tag, hasMounts }) => [tag, hasMounts])).toEqual([
      [`hothouse/environment:${hashOf({})}`, true],
    ]);
    expect(lines).toHaveLength(2);
    expect((await environments.list()).map(({ name }) => name)).toEqual(['data', 'same']);
    await bench.engine.dispose();
  });

  it('keep their image until the last name that uses it is removed', async () => {
    const bench = new EngineBench();
    const { environments } = bench.engine;
    await environments.create(INPUT);
    await environments.create({ ...INPUT, name: 'same' });
    const image = `hothouse/environment:${hashOf({})}`;
    expect((await environments.remove('data')).ok).toBe(true);
    expect(await bench.host.images.find(image)).not.toBeNull();
    expect((await environments.remove('same')).ok).toBe(true);
    expect(await bench.host.images.find(image)).toBeNull();
    expect(await environments.remove('same')).toMatchObject({ ok: false, error: { kind: 'unknown_environment' } });
    await bench.engine.dispose();
  });

  it('run code in sandboxes of their own, with their variables', async () => {
    const bench = new EngineBench();
    await bench.engine.environments.create({ ...INPUT, variables: { GREETING: 'hello' } });
    const run = await bench.run('print hi', { environment: 'data' });
    expect(run.status).toBe('ok');
    const [container] = [...bench.host.containers.values()].filter(({ spec }) => spec.image.includes('environment'));
    expect(container?.spec.env.GREETING).toBe('hello');
    expect(container?.spec.network).toBe('none');
    const opened = await bench.engine.openSession('python', ALICE, undefined, 'data');
    expect(opened).toMatchObject({ ok: true, value: { environment: 'data', language: 'python' } });
    expect(await bench.engine.environments.remove('data')).toMatchObject({ ok: false });
    await bench.engine.dispose();
  });

  it('with the network policy none let nothing be installed into their sessions', async () => {
    const bench = new EngineBench();
    await bench.engine.environments.create({ ...INPUT, network: 'none' });
    const opened = await bench.engine.openSession('python', BOB, undefined, 'data');
    const sessionId = opened.ok ? opened.value.id : '';
    const refused = await bench.engine.installPackages({ sessionId, owner: BOB, packages: ['tqdm'] });
    expect(refused).toMatchObject({ ok: false, error: { kind: 'invalid_request' } });
    expect(JSON.stringify(refused)).toContain('has network: none');
    await bench.engine.dispose();
  });

  it('are refused where the name, the language or the session does not fit', async () => {
    const bench = new EngineBench();
    await bench.engine.environments.create(INPUT);
    const refused = async (rest: object) => (await bench.run('print hi', rest)).error?.message;
    expect(await refused({ environment: 'nowhere' })).toContain('There is no environment "nowhere".');
    expect(await refused({ environment: 'data', language: 'lean' })).toContain('is for python, not for lean');
    const id = await bench.open();
    expect(await refused({ environment: 'data', sessionId: id })).toContain('the session has one');
    const other = await bench.engine.environments.create({ ...INPUT, packages: {} });
    expect(other).toMatchObject({ ok: false, error: { message: 'There is another environment named data.' } });
    expect((await bench.engine.environments.create({ ...INPUT, packages: {} }, { replace: true })).ok).toBe(true);
    await bench.engine.dispose();
  });

  it('give up their warm sandboxes beyond the maximum, the least recently used first', async () => {
    const bench = new EngineBench({ environments: { maxWarm: 2 }, pool: { size: 1 } });
    for (const name of ['one', 'two', 'three']) {
      await bench.engine.environments.create({ ...INPUT, name, variables: { NAME: name } });
      expect((await bench.run('print hi', { environment: name })).status).toBe('ok');
    }
    const warm = () =>
      bench.engine.snapshot().environments.flatMap(({ id, sandboxes }) => (sandboxes.length > 0 ? [id] : []));
    await until(() => !warm().includes('one'));
    expect(warm()).toEqual(['three', 'two']);
    expect((await bench.run('print hi', { environment: 'one' })).status).toBe('ok');
    await until(() => !warm().includes('two'));
    await bench.engine.dispose();
  });

  it('run what waits for their sandboxes before they give them up', async () => {
    const bench = new EngineBench({ environments: { maxWarm: 1 }, pool: { size: 1 } });
    await bench.engine.environments.create({ ...INPUT, name: 'one' });
    await bench.engine.environments.create({ ...INPUT, name: 'two', variables: { NAME: 'two' } });
    const one = () => bench.engine.snapshot().environments.find(({ id }) => id === 'one');
    const long = await bench.begin('sleep 1000', { environment: 'one' });
    const waiting = bench.run('print hi', { owner: BOB, environment: 'one' });
    await until(() => one()?.waiting === 1);
    expect((await bench.run('print hi', { environment: 'two' })).status).toBe('ok');
    bench.clock.advance(1_000);
    await long.result;
    expect(await Promise.race([waiting, until(() => false).catch(() => 'it waits')])).toMatchObject({ status: 'ok' });
    await until(() => one()?.sandboxes.length === 0);
    await bench.engine.dispose();
  });

  it('end their build when every request for it was cancelled, and not before', async () => {
    const bench = new EngineBench();
    const { environments } = bench.engine;
    let stopped: AbortSignal | undefined;
    bench.host.images.build = (_build, _onLine, signal) => {
      stopped = signal;
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    };
    const [one, other] = [new AbortController(), new AbortController()];
    const first = environments.create(INPUT, { signal: one.signal });
    const second = environments.create(INPUT, { signal: other.signal });
    await until(() => stopped !== undefined);
    one.abort();
    expect(await first).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
    expect(stopped?.aborted).toBe(false);
    other.abort();
    expect(await second).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
    expect(stopped?.aborted).toBe(true);
    expect(await environments.list()).toEqual([]);
    await bench.engine.dispose();
  });
});

describe('the packages that options add to a language', () => {
  it('are built on its image, and its sandboxes run in the result', async () => {
    const bench = new EngineBench({ python: { packages: ['tqdm'] } }, { images: [] });
    const missing = await bench.run('print hi');
    expect(missing.error?.message).toContain('There is no image hothouse/environment:');
    const built = await bench.engine.buildEnvironment('python', () => {});
    expect(bench.host.builds.map(({ tag }) => tag)).toEqual(['hothouse/python:latest', built.ok ? built.value : '']);
    const [, added] = bench.host.builds;
    expect(added?.files?.['packages/pip/list']).toBe('tqdm\n');
    expect((await bench.run('print hi')).status).toBe('ok');
    expect([...bench.host.containers.values()].map(({ spec }) => spec.image)).toContain(added?.tag);
    await bench.engine.dispose();
  });

  it('are refused with the option where they are no packages, and change nothing without any', async () => {
    const bench = new EngineBench({ python: { packages: ['--pre'] } });
    const refused = await bench.engine.buildEnvironment('python', () => {});
    expect(refused).toMatchObject({ ok: false, error: { kind: 'invalid_request' } });
    expect(JSON.stringify(refused)).toContain('The option python.packages is not valid');
    bench.engine.configure(Options.parse({}));
    expect((await bench.run('print hi')).status).toBe('ok');
    await bench.engine.dispose();
  });
});
