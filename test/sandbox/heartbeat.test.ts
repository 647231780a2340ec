import { afterEach, describe, expect, it } from 'vitest';
import { type Deferred, deferred } from '../../src/base/deferred.ts';
import { GONE_MS, Heartbeat, SILENT_MS } from '../../src/sandbox/heartbeat.ts';
import { ManualClock } from '../host/manualClock.ts';

const EVERY_MS = 2_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a heartbeat', () => {
  let clock: ManualClock;
  let asked: Deferred<void>[];
  let gone: string[];
  let isRunning: () => Promise<boolean>;
  let heartbeat: Heartbeat;
  const start = () => {
    clock = new ManualClock();
    asked = [];
    gone = [];
    isRunning = async () => false;
    const ask = () => {
      asked.push(deferred<void>());
      return asked.at(-1)?.promise ?? Promise.resolve();
    };
    const onGone = (reason: string) => gone.push(reason);
    heartbeat = new Heartbeat({ clock, everyMs: EVERY_MS, ask, isRunning: () => isRunning(), onGone });
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settled();
  };
  afterEach(() => heartbeat.dispose());

  it('continues while it is answered', async () => {
    start();
    for (let beat = 1; beat <= 5; beat += 1) {
      await pass(EVERY_MS);
      expect(asked).toHaveLength(beat);
      await pass(SILENT_MS - 1);
      asked.at(-1)?.resolve();
      await settled();
    }
    expect(gone).toEqual([]);
  });

  it('asks the host about an agent that does not answer, and reports its loss once', async () => {
    start();
    await pass(EVERY_MS);
    await pass(SILENT_MS);
    expect(gone).toEqual(['its container does not run any more']);
  });

  it('reports that the host does not answer either', async () => {
    start();
    isRunning = () => Promise.reject(new Error('hung'));
    await pass(EVERY_MS);
    await pass(SILENT_MS);
    expect(gone).toEqual(['neither it nor its host answers']);
  });

  it('waits for a slow agent in a running container for a limited time', async () => {
    start();
    isRunning = async () => true;
    await pass(EVERY_MS);
    for (let waited = SILENT_MS; waited < GONE_MS; waited += SILENT_MS) {
      await pass(SILENT_MS);
      expect(gone).toEqual([]);
    }
    await pass(SILENT_MS);
    expect(gone).toEqual(['nothing was heard of it for 60 s']);
  });

  it('continues when a slow agent answers', async () => {
    start();
    isRunning = async () => true;
    await pass(EVERY_MS);
    await pass(5 * SILENT_MS);
    asked[0]?.resolve();
    await settled();
    await pass(EVERY_MS);
    expect([gone, asked.length]).toEqual([[], 2]);
  });

  it('treats any frame as a sign of life', async () => {
    start();
    await pass(EVERY_MS);
    await pass(SILENT_MS / 2);
    heartbeat.heard();
    await pass(SILENT_MS / 2);
    expect([gone, asked.length]).toEqual([[], 1]);
    await pass(SILENT_MS);
    expect(gone).toHaveLength(1);
  });

  it('accepts an answer that arrived while the process was suspended', async () => {
    start();
    await pass(EVERY_MS);
    clock.advance(3_600_000);
    asked[0]?.resolve();
    await settled();
    expect(gone).toEqual([]);
  });

  it('reports nothing after dispose', async () => {
    start();
    await pass(EVERY_MS);
    heartbeat.dispose();
    await pass(3_600_000);
    expect([gone, clock.pending]).toEqual([[], 0]);
  });
});
