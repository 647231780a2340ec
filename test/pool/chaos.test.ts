import { describe, expect, it } from 'vitest';
import type { Lease } from '../../src/pool/lease.ts';
import { CLEAN } from './fakeSandbox.ts';
import { OPTIONS, PoolBench, settled } from './poolBench.ts';

/** Pseudo-random numbers from 0 to below 1, the same in each run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

class Chaos {
  readonly bench = new PoolBench({ size: 3, maxConcurrentCreations: 2, maxWaiting: 5, maxUses: 9 });
  readonly leases: Lease[] = [];
  readonly answers: Promise<void>[] = [];
  asked = 0;
  answered = 0;
  readonly #roll: () => number;

  constructor(seed: number) {
    this.#roll = dice(seed);
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#roll() * from.length)];
  }

  readonly #steps = [
    () => this.#ask(),
    () => this.#ask(),
    () => this.#giveBack(),
    () => this.#giveBack(),
    () => this.#pick(this.bench.living)?.lose(),
    () => this.bench.clock.advance(this.#roll() * 60_000),
    () => this.bench.pool.configure({ ...OPTIONS, size: 1 + Math.floor(this.#roll() * 4), maxWaiting: 5 }),
    () => {
      this.bench.failure = this.#roll() < 0.3 ? new Error('no luck') : null;
    },
    () => this.#spoil(),
  ];

  async step(): Promise<void> {
    this.#pick(this.#steps)?.();
    if (this.#roll() < 0.7) await settled();
  }

  /** Releases every lease and ends all faults. */
  async settle(): Promise<void> {
    this.bench.failure = null;
    for (let round = 0; round < 50; round += 1) {
      while (this.leases.length > 0) this.#giveBack();
      this.bench.clock.advance(1_000);
      await settled();
    }
  }

  #ask(): void {
    const abort = new AbortController();
    const id = `owner ${Math.floor(this.#roll() * 4)}`;
    this.asked += 1;
    const grant = this.bench.lease(id, this.#roll() < 0.2 ? 'session' : 'run', abort.signal);
    this.answers.push(
      grant.then((answer) => {
        this.answered += 1;
        if (answer.kind !== 'granted') return;
        this.bench.sandboxOf(answer.lease).owners.add(id);
        this.leases.push(answer.lease);
      }),
    );
    if (this.#roll() < 0.2) abort.abort();
  }

  #giveBack(): void {
    const lease = this.#pick(this.leases);
    if (!lease) return;
    this.leases.splice(this.leases.indexOf(lease), 1);
    lease.release(this.#roll() < 0.8 ? 'reset' : 'destroy');
  }

  #spoil(): void {
    const sandbox = this.#pick(this.bench.living);
    if (sandbox) sandbox.onReset = async () => ({ ...CLEAN, clean: false });
  }
}

describe('a pool in any order of events', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    it(`answers every request once and becomes idle (seed ${seed})`, async () => {
      const chaos = new Chaos(seed);
      for (let step = 0; step < 1_000; step += 1) {
        await chaos.step();
        expect(chaos.bench.booting).toBeLessThanOrEqual(5);
        expect(chaos.bench.pool.snapshot().waiting).toBeLessThanOrEqual(5);
      }
      await chaos.settle();
      expect(chaos.answered).toBe(chaos.asked);
      expect(chaos.bench.made.every(({ owners }) => owners.size <= 1)).toBe(true);
      expect(new Set(chaos.bench.states)).toEqual(new Set(['idle']));
      expect(
        chaos.bench.pool
          .snapshot()
          .slots.map(({ id }) => id)
          .sort(),
      ).toEqual(chaos.bench.living.map(({ id }) => id).sort());
      await chaos.bench.pool.dispose();
      expect(chaos.bench.living).toEqual([]);
    });
  }
});
