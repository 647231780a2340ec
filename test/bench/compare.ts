import type { CpuMeter } from './cpu.ts';

/** Calls of one kind, and how long they took together in milliseconds. */
export interface Calls {
  readonly count: number;
  readonly ms: number;
}

/** One side of a comparison. */
export interface Side {
  /** Does the work for a short time. */
  readonly work: () => Promise<Calls>;
  /** Everything that works for it; left out where that can't be told from other work. */
  readonly cpu?: CpuMeter;
}

/** What one call of a side takes. */
export interface Cost {
  readonly ms: number;
  /** NaN where it is not measured. */
  readonly cpuMs: number;
}

/** Two sides measured in turns: the medians of all rounds. */
export interface Compared {
  readonly ours: Cost;
  readonly other: Cost;
  /** Our cost divided by the other's in the same round. */
  readonly ratio: Cost;
}

const ROUNDS = 4;

/** Measures both sides in turns, so that what else the machine does affects both. A first round is not counted. */
export async function compare(ours: Side, other: Side): Promise<Compared> {
  const rounds: Compared[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const pair = { ours: await costOf(ours), other: await costOf(other) };
    const ratio = { ms: pair.ours.ms / pair.other.ms, cpuMs: pair.ours.cpuMs / pair.other.cpuMs };
    if (round >= 0) rounds.push({ ...pair, ratio });
  }
  return {
    ours: medianOf(rounds.map((round) => round.ours)),
    other: medianOf(rounds.map((round) => round.other)),
    ratio: medianOf(rounds.map((round) => round.ratio)),
  };
}

/** Calls `action` for about `seconds`, as many at a time as there are workers. */
export async function repeat(seconds: number, action: () => Promise<unknown>, workers = 1): Promise<Calls> {
  const start = performance.now();
  let count = 0;
  const work = async () => {
    do {
      await action();
      count += 1;
    } while (performance.now() < start + seconds * 1000);
  };
  await Promise.all(Array.from({ length: workers }, work));
  return { count, ms: performance.now() - start };
}

async function costOf({ work, cpu }: Side): Promise<Cost> {
  const before = await cpu?.();
  const { count, ms } = await work();
  const after = await cpu?.();
  return { ms: ms / count, cpuMs: ((after ?? Number.NaN) - (before ?? Number.NaN)) / count };
}

function medianOf(costs: readonly Cost[]): Cost {
  return { ms: median(costs.map(({ ms }) => ms)), cpuMs: median(costs.map(({ cpuMs }) => cpuMs)) };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
