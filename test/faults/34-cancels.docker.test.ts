import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processNames } from './engineApi.ts';
import { dice, type FaultBench, faultBench, pause } from './harness.ts';

const CANCELS = 240;
const AT_ONCE = 4;
const GONE_MS = 1_000;

/** Code under a name that the kernel shows, with a child that ignores every signal it can. */
const VICTIM = `
import ctypes, os, signal, time
ctypes.CDLL(None).prctl(15, b'victim')
if os.fork() == 0:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
    os.setsid()
    while True: time.sleep(1)
`;
const CODES = [
  `${VICTIM}while True: pass`,
  `${VICTIM}time.sleep(60)`,
  `${VICTIM}while True: print('x' * 100)`,
  'print(1)',
];

describe('row 34: cancels at any moment', () => {
  let bench: FaultBench;
  beforeAll(async () => {
    bench = await faultBench({ pool: { size: AT_ONCE, maxUses: 1_000_000 } });
    await bench.warm(AT_ONCE);
  });
  afterAll(() => bench.engine.dispose());

  const victims = async () => {
    const names = await Promise.all((await bench.containers()).map(processNames));
    return names.flat().filter((name) => name === 'victim');
  };

  it(`end each of ${CANCELS} runs once, and its processes within a second`, async () => {
    const roll = dice(34);
    const seen = new Map<string, number>();
    for (let done = 0; done < CANCELS; done += AT_ONCE) {
      const batch = Array.from({ length: AT_ONCE }, async () => {
        const abort = new AbortController();
        const running = bench.run(CODES[roll(CODES.length)] ?? '', {}, abort.signal);
        await pause(roll(60));
        abort.abort();
        // A second cancel of the same run has no effect.
        abort.abort();
        return (await running).status;
      });
      for (const status of await Promise.all(batch)) seen.set(status, (seen.get(status) ?? 0) + 1);
      if (done % (10 * AT_ONCE) === 0) await expect.poll(victims, { timeout: GONE_MS, interval: 20 }).toEqual([]);
    }
    expect([...seen.keys()].sort()).toEqual(['interrupted', 'ok']);
    expect((seen.get('ok') ?? 0) + (seen.get('interrupted') ?? 0)).toBe(CANCELS);
    await expect.poll(() => bench.slots('idle').length, { timeout: 20_000 }).toBe(AT_ONCE);
    expect(await victims()).toEqual([]);
    expect((await bench.containers()).sort()).toEqual([...bench.slots('idle')].sort());
  });

  it('of cells keep the session and its variables', async () => {
    const roll = dice(35);
    const sessionId = await bench.open();
    await bench.run('count = 0', { sessionId });
    for (let turn = 0; turn < 30; turn += 1) {
      const abort = new AbortController();
      const running = bench.run('count += 1\nwhile True: pass', { sessionId }, abort.signal);
      await pause(roll(30));
      abort.abort();
      expect(await running).toMatchObject({ status: 'interrupted', sessionLost: false });
    }
    const { status, result } = await bench.run('count', { sessionId });
    expect(status).toBe('ok');
    expect(Number(result?.['text/plain'])).toBeLessThanOrEqual(30);
    await bench.engine.closeSession(sessionId);
  });

  it('of a cell after one that ignored its interrupt keep the session too', async () => {
    const sessionId = await bench.open();
    await bench.run('import time', { sessionId });
    const swallowing = "try:\n    print('in')\n    time.sleep(20)\nexcept KeyboardInterrupt: pass";
    for (let turn = 0; turn < 100; turn += 1) {
      const { result } = await bench.beginPrinting(swallowing, { sessionId });
      await bench.engine.interruptSession(sessionId);
      expect(await result).toMatchObject({ status: 'ok' });
      const next = new AbortController();
      const cancelled = bench.run('time.sleep(20)', { sessionId }, next.signal);
      // Just as it starts: before it is sent, in transit, and in the process.
      await pause((turn % 20) / 10);
      next.abort();
      expect(await cancelled).toMatchObject({ status: 'interrupted', sessionLost: false });
    }
    await bench.engine.closeSession(sessionId);
  });
});
