import { afterEach, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/host/problem.ts';
import { EngineHandle } from '../../src/vscode/engineHandle.ts';
import { Health } from '../../src/vscode/health.ts';
import { EngineBench, until } from '../engine/engineBench.ts';

const STOPPED: Problem = { kind: 'host_stopped', message: 'Docker is not running.', advice: 'Start it.' };
const handles: EngineHandle[] = [];
afterEach(() => Promise.all(handles.splice(0).map((handle) => handle.dispose())));

async function setUp(info: Problem | null, images?: readonly string[]) {
  const bench = new EngineBench({}, { faults: { info }, ...(images && { images }) });
  const handle = new EngineHandle(async () => bench.engine);
  handles.push(handle);
  const health = new Health(handle, bench.clock);
  const reported: (string | undefined)[] = [];
  health.onDidChange(() => reported.push(health.problem?.kind));
  await handle.get();
  return { bench, health, reported };
}

describe('Health', () => {
  it('reports a problem once, and its end', async () => {
    const { bench, health, reported } = await setUp(STOPPED);
    await health.check();
    await health.check();
    expect(health.problem).toEqual(STOPPED);
    bench.host.faults.info = null;
    await health.check();
    expect(reported).toEqual(['host_stopped', undefined]);
  });

  it('checks every few seconds while there is a problem and a watcher', async () => {
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

  it('reports a missing image', async () => {
    const { health } = await setUp(null, []);
    await health.check();
    expect(health.blocking).toMatchObject({ problem: { kind: 'image_missing' }, language: 'python' });
  });

  it.each(['python', 'lean'])('reports no missing image while there is the image of %s', async (language) => {
    const { health } = await setUp(null, [`hothouse/${language}:latest`]);
    await health.check();
    expect(health.blocking).toBeUndefined();
  });

  it('clears the problem when a sandbox works', async () => {
    const { bench, health } = await setUp(STOPPED);
    await health.check();
    bench.host.faults.info = null;
    await bench.run('print warm');
    await until(() => health.problem === undefined);
  });
});
