import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { QUIET_MS, type UseBoard } from '../../src/engine/environment/warmTurns.ts';
import type { OptionsInput } from '../../src/engine/options.ts';
import { useBoard } from '../../src/local/useBoard.ts';
import { BOB, EngineBench, until } from './engineBench.ts';

/** What engines on one machine share, told at once. */
class SharedBoard {
  readonly #listeners = new Set<readonly [string, (environment: string) => void]>();
  announcements = 0;

  of(owner: string): UseBoard {
    return {
      announce: (environment) => {
        this.announcements += 1;
        for (const [other, listener] of this.#listeners) if (other !== owner) listener(environment);
      },
      follow: (listener) => {
        const entry = [owner, listener] as const;
        this.#listeners.add(entry);
        return { dispose: () => void this.#listeners.delete(entry) };
      },
    };
  }

  get followers(): number {
    return this.#listeners.size;
  }
}

const STEP_MS = 2_000;

const benches: EngineBench[] = [];
afterEach(async () => {
  await Promise.all(benches.splice(0).map(({ engine }) => engine.dispose()));
});

function twoWindows(options: OptionsInput = { pool: { size: 2 }, limits: { timeoutSeconds: 3_600 } }) {
  const board = new SharedBoard();
  const [one, two] = ['one', 'two'].map((owner) => {
    const bench = new EngineBench(options, {}, undefined, undefined, board.of(owner));
    benches.push(bench);
    return bench;
  });
  if (!one || !two) throw new Error('there are two');
  // In steps, since a sandbox that is silent for long counts as lost.
  const advance = async (ms: number) => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      for (const { clock } of [one, two]) clock.advance(Math.min(left, STEP_MS));
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { board, one, two, advance };
}

const warm = ({ states }: EngineBench) => states.filter((state) => state === 'idle').length;
const use = async (bench: EngineBench) => {
  expect((await bench.run('print 7')).stdout).toBe('7\n');
  await until(() => warm(bench) === 2);
};

describe('two engines of a user', () => {
  it('keep the warm sandboxes of one: those of the engine that was used last', async () => {
    const { one, two, advance } = twoWindows();
    await use(one);
    await advance(10_000);
    await use(two);
    await advance(QUIET_MS - 10_001);
    expect([warm(one), warm(two)]).toEqual([2, 2]);
    await advance(1);
    await until(() => one.states.length === 0);
    await advance(3 * QUIET_MS);
    expect(warm(two)).toBe(2);
    await use(one);
    await until(() => two.states.length === 0);
    expect(warm(one)).toBe(2);
  });

  it('follow a use that comes soon after one of another engine', async () => {
    const { one, two, advance } = twoWindows();
    for (const bench of [one, two, one]) {
      await use(bench);
      await advance(5_000);
    }
    await advance(2 * QUIET_MS);
    await until(() => two.states.length === 0);
    expect(warm(one)).toBe(2);
  });

  it('keep both, and tell each other rarely, while both are in use', async () => {
    const { board, one, two, advance } = twoWindows();
    for (let turn = 0; turn < 5; turn += 1) {
      for (const bench of [one, two]) {
        for (let call = 0; call < 20; call += 1) await use(bench);
        await advance(QUIET_MS / 3);
      }
      expect([warm(one), warm(two)]).toEqual([2, 2]);
    }
    expect(board.announcements).toBeLessThanOrEqual(11);
  });

  it('give up no sandbox that is in use, and no session', async () => {
    const { one, two, advance } = twoWindows();
    const opened = await one.engine.openSession('python', BOB);
    if (!opened.ok) throw new Error(opened.error.message);
    const { result } = await one.begin('sleep forever');
    await use(two);
    await advance(2 * QUIET_MS);
    await until(() => one.states.join() === 'leased,leased');
    const session = { sessionId: opened.value.id, owner: BOB };
    expect((await one.run('print 8', session)).stdout).toBe('8\n');
    await one.engine.dispose();
    expect((await result).status).not.toBe('ok');
  });

  it('serve a request that waits, whatever others do', async () => {
    const { one, two, advance } = twoWindows({ pool: { size: 1 }, limits: { timeoutSeconds: 3_600 } });
    const first = await one.begin('sleep forever');
    const waiting = one.run('print 9');
    await until(() => one.engine.snapshot().environments[0]?.waiting === 1);
    expect((await two.run('print 7')).status).toBe('ok');
    await advance(3 * QUIET_MS);
    for (const { id } of one.engine.snapshot().environments[0]?.sandboxes ?? []) await one.engine.stopSandbox(id);
    expect((await first.result).status).not.toBe('ok');
    expect((await waiting).stdout).toBe('9\n');
  });

  it('leave nothing when they end', async () => {
    const { board, one, two, advance } = twoWindows();
    await use(one);
    await use(two);
    await one.engine.dispose();
    expect(board.followers).toBe(1);
    await advance(2 * QUIET_MS);
    expect(warm(two)).toBe(2);
  });
});

describe('the board in a folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'hothouse-board-')), 'used');
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

  it('tells others of a use, never oneself, and ignores what is no environment', async () => {
    const [one, two] = [await useBoard(folder, 'one', silentLog), await useBoard(folder, 'two', silentLog)];
    const seen: string[] = [];
    const following = [
      one.follow((name) => void seen.push(`one sees ${name}`)),
      two.follow((name) => void seen.push(`two sees ${name}`)),
    ];
    writeFileSync(join(folder, '.draft'), 'x');
    writeFileSync(join(folder, '__proto__'), 'x');
    one.announce('python');
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    two.announce('data');
    while (!seen.includes('one sees data')) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(new Set(seen)).toEqual(new Set(['two sees python', 'one sees data']));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).sort()).toEqual(['.draft', '__proto__', 'data', 'python']);
    for (const { dispose } of following) dispose();
  });

  it('is one without others where the folder cannot be', async () => {
    writeFileSync(folder, 'a file');
    const board = await useBoard(folder, 'one', silentLog);
    const following = board.follow(() => {});
    expect(() => board.announce('python')).not.toThrow();
    following.dispose();
  });
});
