import { afterEach, describe, expect, it } from 'vitest';
import { type Deferred, deferred } from '../../src/base/deferred.ts';
import { silentLog } from '../../src/base/log.ts';
import { Environment } from '../../src/engine/environment/environment.ts';
import { HostManager } from '../../src/engine/environment/hostManager.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import { Options, type OptionsInput } from '../../src/engine/options.ts';
import { type Language, ProgramMissing, type Warming } from '../../src/languages/language.ts';
import { lean } from '../../src/languages/lean/definition.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { FakeHost } from '../host/fakeHost.ts';
import { HOLDING_WALLS } from '../host/holdingWalls.ts';
import { ManualClock } from '../host/manualClock.ts';
import { python } from '../languages/python/language.ts';
import { ALICE, until } from './engineBench.ts';

const IMAGE = 'my/lean';
let bench: Bench;
afterEach(() => bench.environment.dispose());

/** An environment of a language that differs only in its warm-up. */
class Bench {
  readonly host: FakeHost;
  readonly environment: Environment;
  readonly warmings: (Warming & { readonly done: Deferred<void> })[] = [];

  constructor(options: OptionsInput = {}) {
    const clock = new ManualClock();
    this.host = new FakeHost({ clock, images: [IMAGE] });
    const deps = {
      connect: () => this.host,
      agent: Buffer.from('00000004pass'),
      options: Options.parse({ ...options, lean: { image: IMAGE, memoryMb: 700, ...options.lean } }),
      clock,
      log: silentLog,
      identity: { machine: 'test', owner: 'test' },
      languages: LANGUAGES,
      images: imageSources('/nowhere', async () => ({ buildArgs: {} })),
    };
    const warm: Language['warm'] = (_, warming) => {
      const done = deferred<void>();
      this.warmings.push({ ...warming, done });
      return done.promise;
    };
    const definition = { ...lean, create: () => ({ ...python, warm }) };
    this.environment = new Environment(definition, deps, new HostManager(deps, () => {}));
  }

  /** The warm-up with that number, once it has started. */
  async warming(number: number): Promise<Deferred<void> & Warming> {
    await until(() => this.warmings.length > number);
    const found = this.warmings[number];
    if (!found) throw new Error(`there is no warming ${number}`);
    return { ...found, ...found.done };
  }

  get headers(): string[] {
    const facts = { memoryOf: () => null, sessionOf: () => null };
    return this.environment.info(facts).sandboxes.map(({ poolKey, state }) => `${poolKey}: ${state}`);
  }
}

const take = async (key: string) => {
  const grant = await bench.environment.lease(ALICE, 'run', { key });
  if (grant.kind !== 'granted') throw new Error(`the lease was not granted: ${grant.kind}`);
  return grant.lease;
};

describe('an environment whose language warms its sandboxes', () => {
  it('leases a sandbox once it is warm, with its key and the memory of its language', async () => {
    bench = new Bench({ pool: { size: 1 }, lean: { prewarmHeaders: [] } });
    const taking = take('import Lean\n');
    const warming = await bench.warming(0);
    expect([warming.key, warming.after, bench.headers]).toEqual(['import Lean\n', 'boot', ['import Lean\n: booting']]);
    warming.resolve();
    await taking;
    expect(bench.headers).toEqual(['import Lean\n: leased']);
    const [container] = bench.host.containers.values();
    expect(container?.spec).toMatchObject({ image: IMAGE, memoryBytes: 700 << 20 });
  });

  it('warms a sandbox after each reset, and not when it is kept', async () => {
    bench = new Bench({ pool: { size: 1 } });
    const taking = take('');
    (await bench.warming(0)).resolve();
    const first = await taking;
    first.release('keep');
    const second = await take('');
    expect([second.sandbox, bench.warmings.length]).toEqual([first.sandbox, 1]);
    second.release('reset');
    const again = await bench.warming(1);
    expect([again.key, again.after, bench.headers]).toEqual(['', 'reset', [': resetting']]);
    again.resolve();
    await until(() => bench.headers.join() === ': idle');
  });

  it('fails waiting runs with the program that its image lacks, and leaves no sandbox', async () => {
    bench = new Bench({ pool: { size: 1 } });
    const lease = bench.environment.lease(ALICE, 'run');
    (await bench.warming(0)).reject(new ProgramMissing('lean'));
    expect(await lease).toMatchObject({
      kind: 'failed',
      cause: {
        problem: {
          kind: 'image_unusable',
          message: 'The image my/lean has no lean that can be run.',
          advice:
            'Use an image with lean and python3 3.9 or later, or leave the option lean.image at its default, which `hothouse build lean` builds.',
        },
      },
    });
    expect(bench.host.containers.size).toBe(0);
  });

  it('warms the headers of the options from the first use on', async () => {
    bench = new Bench({
      pool: { size: 1 },
      lean: { prewarmHeaders: ['', 'import Lean -- all of it', 'import   Lean'] },
    });
    const taking = take('');
    for (const number of [0, 1]) (await bench.warming(number)).resolve();
    await taking;
    await until(() => bench.headers.length === 2);
    expect(bench.warmings.map(({ key }) => key).sort()).toEqual(['', 'import Lean\n']);
  });

  it('warms the headers of the options at the start with prewarm', async () => {
    bench = new Bench({ pool: { size: 1, prewarm: true }, lean: { prewarmHeaders: ['import A'] } });
    expect((await bench.warming(0)).key).toBe('import A\n');
  });

  it('can be disposed while a warm-up never ends', async () => {
    bench = new Bench({ pool: { size: 1 } });
    const lease = bench.environment.lease(ALICE, 'run');
    await bench.warming(0);
    await bench.environment.dispose();
    expect([(await lease).kind, bench.host.containers.size]).toEqual(['closed', 0]);
  });
});

describe('the walls of an environment', () => {
  const wallsOf = ({ environment }: Bench) => environment.info({ memoryOf: () => null, sessionOf: () => null }).walls;

  it('are unknown before the first sandbox, and then those that it reports', async () => {
    bench = new Bench();
    expect(wallsOf(bench)).toBeNull();
    const lease = bench.environment.lease(ALICE, 'run');
    (await bench.warming(0)).resolve();
    await lease;
    expect(wallsOf(bench)).toEqual(HOLDING_WALLS);
  });

  it('are checked in a sandbox that is removed again, where none runs', async () => {
    bench = new Bench();
    expect(await bench.environment.checkWalls()).toEqual({ ok: true, value: HOLDING_WALLS });
    expect(bench.host.containers.size).toBe(0);
  });

  it('cannot be checked where no sandbox may serve', async () => {
    bench = new Bench();
    bench.host.faults.walls = { ...HOLDING_WALLS, network: { state: 'missing', detail: 'eth0' } };
    expect(await bench.environment.checkWalls()).toMatchObject({ ok: false, error: { kind: 'network_reachable' } });
    expect(bench.host.containers.size).toBe(0);
  });
});
