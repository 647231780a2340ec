import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deferred } from '../../src/base/deferred.ts';
import type { RunResult } from '../../src/engine/types.ts';
import { LABEL } from '../../src/host/labels.ts';
import { isOnLocalHost, testHost } from '../testHost.ts';
import { askEngine, labelled, labelledVolumes, watchEngine } from './engineApi.ts';
import { type FaultBench, faultBench, pause, type Timed, timed } from './harness.ts';

const TYPED = ['sandbox_lost', 'rejected'];

/** As `docker rm --force` does: without its volume. Without a container engine as another process of the user does. */
async function remove(id: string): Promise<{ readonly status: number }> {
  if (!isOnLocalHost) return askEngine('DELETE', `/containers/${id}?force=true`);
  await testHost().remove(id);
  return { status: 204 };
}

// Measures a machine that others use too.
describe('row 29: a container removed by another program', { retry: 2 }, () => {
  let bench: FaultBench;
  beforeAll(async () => {
    bench = await faultBench();
    await bench.warm();
  });
  afterAll(() => bench.engine.dispose());

  const removeAll = async () => Promise.all((await bench.containers()).map(remove));
  /** Waits until the pool is full again and serves a run. */
  const recovers = async () => {
    // A sandbox that another process has ended is there until its engine sees that.
    if (isOnLocalHost) await expect.poll(async () => (await bench.run('print(1)')).status).toBe('ok');
    await bench.warm();
  };
  /** A result after a removal: it arrived in time and names what was lost. */
  const expectLost = ({ value, ms }: Timed<RunResult>) => {
    expect(value.status).toBeOneOf(TYPED);
    expect(value.error?.message).not.toBe('');
    expect(ms).toBeLessThan(2_000);
  };
  /** Removes the first container of a pool as soon as Docker reports `action` of it; resolves when it listens. */
  const removeAt = async (action: string, machine: string) => {
    const removed = deferred<number>();
    const filters = { type: ['container'], event: [action], label: [`${LABEL.machine}=${machine}`] };
    const stop = await watchEngine(filters, ({ Actor }) => {
      stop();
      void remove(Actor.ID).then(() => removed.resolve(performance.now()));
    });
    return { removed: removed.promise };
  };

  // Only Docker reports them.
  it.skipIf(isOnLocalHost).each(['create', 'attach', 'start'])('is replaced right after its %s', async (action) => {
    const cold = await faultBench({ pool: { size: 1 } });
    const { removed } = await removeAt(action, cold.machine);
    const value = await cold.run('print(1)');
    expectLost({ value, ms: performance.now() - (await removed) });
    await cold.warm(1);
    await cold.engine.dispose();
    expect(await labelled(LABEL.machine, cold.machine)).toEqual([]);
    expect(await labelledVolumes(LABEL.machine, cold.machine)).toEqual([]);
  });

  it('is replaced while it is idle', async () => {
    const [first = ''] = bench.slots('idle');
    await remove(first);
    await expect.poll(() => bench.slots('idle').includes(first), { timeout: 2_000 }).toBe(false);
    await recovers();
  });

  it('is replaced when a run starts in it at that moment', async () => {
    const running = [timed(() => bench.run('print(1)')), timed(() => bench.run('import time\ntime.sleep(5)'))];
    await removeAll();
    const [quick, slow] = await Promise.all(running);
    expect(quick?.value.status).toBeOneOf(['ok', ...TYPED]);
    if (slow) expectLost(slow);
    await recovers();
  });

  it.each([
    ['code computes in it', 'while True: pass'],
    ['output pours out of it', 'while True: print("x" * 1000)'],
  ])('is replaced while %s', async (_, code) => {
    const { result } = await bench.begin(code);
    const lost = timed(() => result);
    await removeAll();
    expectLost(await lost);
    await recovers();
  });

  it('is replaced while it is reset', async () => {
    const files = 'for n in range(3000): open(f"f{n}", "w").write("x")';
    const results = await Promise.all([bench.run(files), bench.run(files)]);
    expect(results.map(({ status }) => status)).toEqual(['ok', 'ok']);
    const next = timed(() => bench.run('print(1)'));
    await removeAll();
    const { value, ms } = await next;
    expect(value.status).toBeOneOf(['ok', ...TYPED]);
    expect(ms).toBeLessThan(5_000);
    await recovers();
  });

  it('ends its session while that is idle', async () => {
    const sessionId = await bench.open();
    await bench.run('x = 1', { sessionId });
    const { sandboxId } = bench.engine.snapshot().sessions.find(({ id }) => id === sessionId) ?? {};
    await remove(sandboxId ?? '');
    const state = () => bench.engine.snapshot().sessions.find(({ id }) => id === sessionId)?.state;
    await expect.poll(state, { timeout: 2_000 }).toBe('ended');
    expectLost(await timed(() => bench.run('x', { sessionId })));
    expect((await bench.engine.restartSession(sessionId)).ok).toBe(true);
    expect(await bench.run('x', { sessionId })).toMatchObject({ status: 'error', error: { name: 'NameError' } });
    await bench.engine.closeSession(sessionId);
    await recovers();
  });

  it('ends its session while a cell runs', async () => {
    const sessionId = await bench.open();
    const { result } = await bench.begin('import time\ntime.sleep(60)', { sessionId });
    const lost = timed(() => result);
    await removeAll();
    expectLost(await lost);
    expect((await result).sessionLost).toBe(true);
    await bench.engine.closeSession(sessionId);
    await recovers();
  });

  it('is replaced while it is removed anyway', async () => {
    const sessionId = await bench.open();
    const [removed] = await Promise.all([removeAll(), bench.engine.closeSession(sessionId)]);
    expect(removed.map(({ status }) => status)).toEqual(removed.map(() => expect.toBeOneOf([204, 404, 409])));
    await recovers();
  });

  it('leaves no container in any of these cases, and no volume after the end of its engine', async () => {
    await pause(500);
    await expect.poll(async () => (await bench.containers()).length, { timeout: 10_000 }).toBe(2);
    if (!isOnLocalHost) expect((await labelledVolumes(LABEL.machine, bench.machine)).length).toBeGreaterThan(2);
    await bench.engine.dispose();
    if (!isOnLocalHost) expect(await labelledVolumes(LABEL.machine, bench.machine)).toEqual([]);
    // The engine has closed its own connection.
    const host = testHost();
    expect(await host.list({ [LABEL.machine]: bench.machine })).toEqual([]);
    await host.dispose();
  });
});
