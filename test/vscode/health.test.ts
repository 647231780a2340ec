import { afterEach, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/host/problem.ts';
import { EngineHandle } from '../../src/vscode/engineHandle.ts';
import { Health } from '../../src/vscode/health.ts';
import { EngineBench, until } from '../engine/engineBench.ts';

const STOPPED: Problem = { kind: 'engine_stopped', message: 'Docker is not running.', advice: 'Start it.' };
const handles: EngineHandle[] = [];
afterEach(() => Promise.all(handles.splice(0).map((handle) => handle.dispose())));

async function setUp(info: Problem | null, images?: readonly string[]) {
  const bench = new EngineBench({}, { faults: { info }, ...(images && { images }) });
  const handle = new EngineHandle(async () => bench.engine);
  handles.push(handle);
  const health = new Health(handle, bench.clock);
  const told: (string | undefined)[] = [];
  health.onDidChange(() => told.push(health.problem?.kind));
  await handle.get();
  return { bench, health, told };
}

describe('Health', () => {
  it('tells a problem once and when it is gone', async () => {
    const { bench, health, told } = await setUp(STOPPED);
    await health.check();
    await health.check();
    expect(health.problem).toEqual(STOPPED);
    bench.host.faults.info = null;
    await health.check();
    expect(told).toEqual(['engine_stopped', undefined]);
  });

  it('looks again every few seconds while there is a problem and somebody watches', async () => {
    const { bench, health } = await setUp(STOPPED);
    const watching = health.watch();
    await until(() => health.problem !== undefined && bench.clock.pending > 0);
    bench.host.faults.info = null;
    bench.clock.advance(5_000);
    await until(() => health.problem === undefined);
    watching.dispose();
    bench.host.faults.info = STOPPED;
    bench.clock.advance(60_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(health.problem).toBeUndefined();
  });

  it('knows a missing image', async () => {
    const { health } = await setUp(null, []);
    await health.check();
    expect(health.obstacle).toMatchObject({ problem: { kind: 'image_missing' }, language: 'python' });
  });

  it.each(['python', 'lean'])('misses no other image where there is that of %s', async (language) => {
    const { health } = await setUp(null, [`hothouse/${language}:latest`]);
    await health.check();
    expect(health.obstacle).toBeUndefined();
  });

  it('takes a sandbox that works as proof that all is well', async () => {
    const { bench, health } = await setUp(STOPPED);
    await health.check();
    bench.host.faults.info = null;
    await bench.run('print warm');
    await until(() => health.problem === undefined);
  });
});
