import { afterEach, describe, expect, it } from 'vitest';
import { type Deferred, deferred } from '../../src/base/deferred.ts';
import { ANSWER_MS, Heartbeat } from '../../src/sandbox/heartbeat.ts';
import { ManualClock } from '../host/manualClock.ts';

const EVERY_MS = 2_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a heartbeat', () => {
  let clock: ManualClock;
  let asked: Deferred<void>[];
  let silences: number;
  let heartbeat: Heartbeat;
  const start = () => {
    clock = new ManualClock();
    asked = [];
    silences = 0;
    const ask = () => {
      asked.push(deferred<void>());
      return asked.at(-1)?.promise ?? Promise.resolve();
    };
    const onSilence = () => {
      silences += 1;
    };
    heartbeat = new Heartbeat({ clock, everyMs: EVERY_MS, ask, onSilence });
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settled();
  };
  afterEach(() => heartbeat.dispose());

  it('goes on for as long as it is answered', async () => {
    start();
    for (let beat = 1; beat <= 5; beat += 1) {
      await pass(EVERY_MS);
      expect(asked).toHaveLength(beat);
      await pass(ANSWER_MS - 1);
      asked.at(-1)?.resolve();
      await settled();
    }
    expect(silences).toBe(0);
  });

  it('tells once that no answer came', async () => {
    start();
    await pass(EVERY_MS);
    await pass(ANSWER_MS);
    expect(silences).toBe(1);
  });

  it('takes anything that is heard for a sign of life, and waits on', async () => {
    start();
    await pass(EVERY_MS);
    heartbeat.heard();
    await pass(ANSWER_MS);
    expect([silences, asked.length]).toEqual([0, 1]);
    await pass(ANSWER_MS);
    expect(silences).toBe(1);
  });

  it('takes an answer that had come while the process was asleep', async () => {
    start();
    await pass(EVERY_MS);
    clock.advance(3_600_000);
    asked[0]?.resolve();
    await settled();
    expect(silences).toBe(0);
  });

  it('is quiet after its end', async () => {
    start();
    await pass(EVERY_MS);
    heartbeat.dispose();
    await pass(3_600_000);
    expect([silences, clock.pending]).toEqual([0, 0]);
  });
});
