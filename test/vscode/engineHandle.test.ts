import { describe, expect, it } from 'vitest';
import { EngineHandle } from '../../src/vscode/engineHandle.ts';
import { ALICE, EngineBench, until } from '../engine/engineBench.ts';

describe('EngineHandle', () => {
  it('builds the engine once, at the first call', async () => {
    let built = 0;
    const handle = new EngineHandle(async () => {
      built += 1;
      return new EngineBench().engine;
    });
    expect(handle.snapshot()).toMatchObject({ host: { state: 'unknown' }, sessions: [] });
    expect([built, handle.current, handle.started]).toEqual([0, undefined, undefined]);
    const [first, second] = await Promise.all([handle.get(), handle.get()]);
    expect(first).toBe(second);
    expect([built, handle.current]).toEqual([1, first]);
    await handle.dispose();
  });

  it("forwards the engine's changes", async () => {
    const handle = new EngineHandle(async () => new EngineBench().engine);
    let changes = 0;
    handle.onDidChange(() => {
      changes += 1;
    });
    const engine = await handle.get();
    const before = changes;
    await engine.openSession('python', ALICE);
    await until(() => changes > before && handle.snapshot().sessions[0]?.state === 'idle');
    await handle.dispose();
  });

  it('builds again after a failed build', async () => {
    let fails = true;
    const handle = new EngineHandle(async () => {
      if (fails) throw new Error('no agent');
      return new EngineBench().engine;
    });
    await expect(handle.get()).rejects.toThrow('no agent');
    fails = false;
    await expect(handle.get()).resolves.toBeDefined();
    await handle.dispose();
  });

  it('disposes an engine that is still being built and builds no other', async () => {
    const bench = new EngineBench({ pool: { prewarm: true } });
    const handle = new EngineHandle(async () => bench.engine);
    const building = handle.get();
    await handle.dispose();
    await building;
    expect(bench.host.containers.size).toBe(0);
    expect(bench.host.disposed).toBe(true);
    await expect(handle.get()).rejects.toThrow('shut down');
  });
});
