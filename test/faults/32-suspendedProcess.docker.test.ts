import { randomBytes } from 'node:crypto';
import { afterAll, describe, it } from 'vitest';
import { LABEL } from '../../src/host/labels.ts';
import { testHost } from '../testHost.ts';
import { EngineChild } from './engineChild.ts';
import { pause } from './harness.ts';

/** Longer than the silence after which an agent leaves. */
const SLEEP_MS = 40_000;
const HOUR_MS = 3_600_000;

const children: EngineChild[] = [];
// Containers of a failed test end by themselves.
afterAll(() => Promise.all(children.map((child) => child.kill())));

function engineChild(machine: string): EngineChild {
  const child = new EngineChild(machine);
  children.push(child);
  return child;
}

describe.concurrent('when the process of an engine', () => {
  it('row 32: is suspended for longer than its agents wait, they exit, and no lost run counts as done', async ({
    expect,
  }) => {
    const machine = `asleep-${randomBytes(6).toString('hex')}`;
    const child = engineChild(machine);
    await child.starting();
    const sessionId = await child.ready();
    const run = (code: string, rest = {}) => {
      child.ask({ code, rest });
      return child.answer();
    };
    expect(await run('x = 7', { sessionId })).toMatchObject({ status: 'ok' });
    const late = run('import time\nwhile True: time.sleep(0.1)', { timeoutSeconds: 3 });
    await pause(500);
    child.signal('SIGSTOP');
    await pause(SLEEP_MS);
    // They have received nothing for longer than they wait, and have exited.
    expect(await testHost().list({ [LABEL.machine]: machine })).toEqual([]);
    child.signal('SIGCONT');
    expect((await late).status).toBeOneOf(['timeout', 'sandbox_lost']);
    // The variables were lost with them: any other answer would be wrong.
    expect((await run('x', { sessionId })).status).toBeOneOf(['sandbox_lost', 'rejected']);
    await expect.poll(() => run('print(6 * 7)'), { timeout: 20_000 }).toMatchObject({ status: 'ok', stdout: '42\n' });
    await child.end();
  });

  it.for([HOUR_MS, -HOUR_MS])(
    'row 32: has its wall clock moved by %i ms, durations and ages stay correct',
    async (shift, { expect }) => {
      const child = engineChild(`shifted-${randomBytes(6).toString('hex')}`);
      await child.starting();
      const sessionId = await child.ready();
      const ask = (code: string, rest = {}, clockShiftMs = 0) => {
        child.ask({ code, rest, clockShiftMs });
        return child.answer();
      };
      expect(await ask('x = 7', { sessionId })).toMatchObject({ status: 'ok' });
      const slow = ask('import time\ntime.sleep(1.5)\nprint("done")', { timeoutSeconds: 10 });
      const moved = ask('while True: pass', { timeoutSeconds: 1, sessionId }, shift);
      const first = await slow;
      const second = await moved;
      const [endless, done] = first.status === 'ok' ? [second, first] : [first, second];
      expect(done).toMatchObject({ status: 'ok', stdout: 'done\n' });
      for (const { durationMs } of [done, endless]) expect(durationMs).toBeGreaterThan(0);
      expect(done.durationMs).toBeLessThan(5_000);
      expect(endless).toMatchObject({ status: 'timeout', sessionLost: false });
      expect(endless.durationMs).toBeLessThan(5_000);
      expect(await ask('x', { sessionId }, shift)).toMatchObject({ status: 'ok', result: { 'text/plain': '7' } });
      await child.end();
    },
  );
});
