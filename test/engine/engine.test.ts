import { afterEach, describe, expect, it } from 'vitest';
import { specOf } from '../../src/engine/environment/sandboxSpec.ts';
import { Options, type OptionsInput } from '../../src/engine/options.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { deadOwner } from '../host/deadOwner.ts';
import { EngineBench, until } from './engineBench.ts';

const benches: EngineBench[] = [];
afterEach(() => Promise.all(benches.splice(0).map(({ engine }) => engine.dispose())));

function newBench(options: OptionsInput = {}): EngineBench {
  const bench = new EngineBench(options);
  benches.push(bench);
  return bench;
}

const idle = (bench: EngineBench) => bench.states.every((state) => state === 'idle') && bench.states.length === 2;

describe('the snapshot', () => {
  it('is empty at first, and starts nothing', () => {
    const bench = newBench();
    expect(bench.engine.snapshot()).toMatchObject({ host: { state: 'unknown' }, sessions: [], running: 0 });
    expect(bench.host.creations).toBe(0);
  });

  it('shows the host, the sandboxes and the sessions, and never changes afterwards', async () => {
    const bench = newBench();
    const before = bench.engine.snapshot();
    const id = await bench.open();
    await until(() => bench.states.join() === 'idle,idle,leased' && bench.engine.snapshot().host.state === 'ready');
    const { host, environments, sessions } = bench.engine.snapshot();
    expect(host).toEqual({ state: 'ready', name: 'Fake Engine 1.0 at memory', runtime: 'runc' });
    expect(environments[0]?.sandboxes.filter(({ sessionId }) => sessionId === id)).toHaveLength(1);
    expect(sessions).toMatchObject([{ id, state: 'idle', owner: { id: 'alice' } }]);
    expect(before).toMatchObject({ host: { state: 'unknown' }, sessions: [] });
    expect(bench.engine.snapshot()).toBe(bench.engine.snapshot());
  });

  it('fires onDidChange once per turn', async () => {
    const bench = newBench();
    await bench.run('print warm');
    await until(() => idle(bench));
    let changes = 0;
    await new Promise((resolve) => setImmediate(resolve));
    bench.engine.onDidChange(() => {
      changes += 1;
    });
    const abort = new AbortController();
    const running = [1, 2, 3].map(() => bench.run('hang', {}, abort.signal));
    expect(changes).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(changes).toBe(1);
    abort.abort();
    await Promise.all(running);
  });

  it('measures memory only while a view is subscribed', async () => {
    const bench = newBench();
    await bench.run('print warm');
    await until(() => idle(bench));
    const memory = () => bench.engine.snapshot().environments[0]?.sandboxes.map(({ memoryBytes }) => memoryBytes);
    bench.clock.advance(10_000);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(memory()).toEqual([null, null]);
    const watching = bench.engine.onDidChange(() => {});
    bench.clock.advance(3_000);
    await until(() => memory()?.every((bytes) => typeof bytes === 'number') === true);
    watching.dispose();
  });

  it('shows the problem of the host until it works again', async () => {
    const bench = newBench();
    const problem = { kind: 'host_stopped', message: 'It is stopped.', advice: 'Start it.' } as const;
    bench.host.faults.create = problem;
    await bench.run('print 1');
    expect(bench.engine.snapshot().host).toEqual({ state: 'unavailable', problem });
    bench.host.faults.create = null;
    await bench.run('print 1');
    await until(() => bench.engine.snapshot().host.state === 'ready');
  });
});

describe('new options', () => {
  it('replace warm sandboxes when the container spec changes, and keep sessions', async () => {
    const bench = newBench();
    const sessionId = await bench.open();
    await bench.run('set x 1', { sessionId });
    await until(() => bench.states.join() === 'idle,idle,leased');
    const before = new Set(bench.host.containers.keys());
    bench.engine.configure(Options.parse({ limits: { memoryMb: 128 } }));
    await until(() => bench.states.join() === 'idle,idle,leased' && bench.host.containers.size === 3);
    const kept = [...bench.host.containers.values()].filter(({ id }) => before.has(id));
    expect(kept.map(({ id }) => id)).toEqual([bench.session(sessionId)?.sandboxId]);
    const fresh = [...bench.host.containers.values()].filter(({ id }) => !before.has(id));
    expect(fresh.map(({ spec }) => spec.memoryBytes)).toEqual([128 << 20, 128 << 20]);
    expect((await bench.run('get x', { sessionId })).status).toBe('ok');
  });

  it('keep warm sandboxes when the container spec does not change', async () => {
    const bench = newBench();
    await bench.run('print 1');
    await until(() => idle(bench));
    const before = [...bench.host.containers.keys()];
    bench.engine.configure(Options.parse({ limits: { timeoutSeconds: 5 }, pool: { size: 3 } }));
    await until(() => bench.states.join() === 'idle,idle,idle');
    expect([...bench.host.containers.keys()]).toEqual(expect.arrayContaining(before));
  });

  it('with another Docker address create new sandboxes there, and keep sessions where they are', async () => {
    const bench = newBench();
    const sessionId = await bench.open();
    bench.engine.configure(Options.parse({ docker: { host: 'tcp://elsewhere:2375' } }));
    expect((await bench.run('print 1')).status).toBe('ok');
    expect(bench.hosts).toHaveLength(2);
    expect(bench.host.creations).toBeGreaterThan(0);
    expect((await bench.run('print 1', { sessionId })).status).toBe('ok');
    await bench.engine.dispose();
    expect(bench.hosts.map(({ disposed }) => disposed)).toEqual([true, true]);
  });
});

describe('preflight', () => {
  it('checks the host and the image of every language', async () => {
    const found = await newBench().engine.preflight();
    expect(found.host.problem).toBeNull();
    expect(found.environments.map(({ id }) => id)).toEqual(LANGUAGES.map(({ id }) => id));
    expect(found.environments.slice(0, 2)).toMatchObject([
      { id: 'python', imageName: 'hothouse/python:latest', problem: null },
      { id: 'lean', imageName: 'hothouse/lean:latest', problem: { command: 'hothouse build lean' } },
    ]);
  });

  it('names the command that builds a missing image, and finds the image after the build', async () => {
    const bench = newBench({ python: { image: 'hothouse/mine' } });
    const [missing] = (await bench.engine.preflight()).environments;
    expect(missing).toMatchObject({
      image: null,
      problem: { kind: 'image_missing', command: 'hothouse build python' },
    });
    const lines: string[] = [];
    const built = await bench.engine.buildEnvironment('python', (line) => lines.push(line));
    expect([built, lines]).toEqual([{ ok: true, value: 'hothouse/mine' }, ['built hothouse/mine']]);
    expect((await bench.engine.preflight()).environments[0]?.problem).toBeNull();
    expect((await bench.run('print 1')).status).toBe('ok');
    expect(await bench.engine.buildEnvironment('ada', () => {})).toMatchObject({ ok: false });
  });

  it.each(['python:3.12-slim', 'my/python', 'registry.example/hothouse/python', 'hothouse'])(
    'neither builds the foreign image name %s nor advises to',
    async (image) => {
      const bench = newBench({ python: { image } });
      const { problem } = (await bench.engine.preflight()).environments[0] ?? {};
      expect(problem?.command).toBeUndefined();
      expect(problem?.advice).toBe(
        'Pull or build it, or leave the option python.image at its default, which `hothouse build python` builds.',
      );
      const built = await bench.engine.buildEnvironment('python', () => {});
      expect(built).toMatchObject({
        ok: false,
        error: {
          message: `The option python.image is ${image}, and only images whose names begin with hothouse/ are built.`,
        },
      });
      expect(bench.host.builds).toEqual([]);
    },
  );

  it('builds on docker.baseImage, unless an argument of the build overrides it', async () => {
    const basesOf = async (baseImage: string, buildArgs: Record<string, string>) => {
      const bench = newBench({ docker: { baseImage } });
      await bench.engine.buildEnvironment('lean', () => {}, undefined, { buildArgs });
      return bench.host.builds.map(({ buildArgs: { BASE } }) => BASE);
    };
    expect(await basesOf('', {})).toEqual([undefined]);
    expect(await basesOf('my/debian', {})).toEqual(['my/debian']);
    expect(await basesOf('my/debian', { BASE: 'another' })).toEqual(['another']);
  });

  it('reports the runtime of sandboxes, and a runtime that the host lacks', async () => {
    const runtimeOf = async (runtime: string) => {
      const { host, runtime: found } = await newBench({ docker: { runtime } }).engine.preflight();
      return [found, host.problem?.kind];
    };
    expect(await runtimeOf('')).toEqual(['runc', undefined]);
    expect(await runtimeOf('runc')).toEqual(['runc', undefined]);
    expect(await runtimeOf('runsc')).toEqual(['runsc', 'runtime_unknown']);
    // With this name containerd finds it without a registration in Docker.
    expect(await runtimeOf('io.containerd.runsc.v1')).toEqual(['io.containerd.runsc.v1', undefined]);
  });

  it('reports an unusable host, and nothing about its images', async () => {
    const bench = newBench();
    bench.host.faults.info = { kind: 'host_missing', message: 'None.', advice: 'Install one.' };
    const found = await bench.engine.preflight();
    expect(found.host.problem?.kind).toBe('host_missing');
    expect(found.environments[0]?.problem).toBeNull();
    expect(bench.engine.snapshot().host.state).toBe('unavailable');
  });
});

describe('the dispose of an engine', () => {
  it('leaves no container, whatever runs at that moment', async () => {
    const bench = newBench();
    const sessionId = await bench.open();
    const running = [bench.run('hang'), bench.run('hang', { sessionId })];
    await bench.busy(sessionId);
    await until(() => bench.states.filter((state) => state === 'leased').length === 2);
    await bench.engine.dispose();
    await bench.engine.dispose();
    expect(bench.host.containers.size).toBe(0);
    const results = await Promise.all(running);
    expect(results.map(({ status }) => status)).toEqual(['sandbox_lost', 'interrupted']);
    expect(bench.engine.snapshot()).toMatchObject({ sessions: [], running: 0 });
  });
});

describe('containers of an engine that has ended', () => {
  it('are removed at the first use, and no others', async () => {
    const bench = newBench();
    const owner = await deadOwner();
    const orphan = async (machine: string) => {
      const { id } = await bench.host.create(specOf(LANGUAGES[0], Options.parse({}), { machine, owner }));
      return id;
    };
    const [ours, theirs] = [await orphan('test'), await orphan('another')];
    await bench.run('print 1');
    await until(() => !bench.host.containers.has(ours));
    expect(bench.host.containers.has(theirs)).toBe(true);
  });
});

describe('prewarming', () => {
  it('starts sandboxes before the first request', async () => {
    const bench = newBench({ pool: { prewarm: true } });
    await until(() => idle(bench));
  });
});
