import { afterEach, describe, expect, it, vi } from 'vitest';
import { HostError } from '../../src/host/host.ts';
import type { Problem } from '../../src/host/problem.ts';
import { FrameDecoder, FrameType } from '../../src/protocol/frames.ts';
import { Start } from '../../src/protocol/messages.ts';
import { BOB, EngineBench, until } from './engineBench.ts';

const HUNG: Problem = { kind: 'host_hung', message: 'It does not answer.', advice: 'Restart it.' };
const LOST: Problem = { kind: 'host_failed', message: 'One container could not be made.', advice: 'Try again.' };

describe('a run that waits for a sandbox', () => {
  let bench: EngineBench;
  afterEach(() => bench.engine.dispose());

  const crowd = async () => {
    bench = new EngineBench({ pool: { size: 1 } });
    const busy = await bench.begin('hang');
    const waiting = bench.run('print 1');
    await until(() => bench.engine.snapshot().environments[0]?.waiting === 1);
    return { busy, waiting };
  };

  it('fails when the host is paused, and running code continues', async () => {
    const { waiting } = await crowd();
    vi.spyOn(bench.host.images, 'find').mockRejectedValueOnce(new HostError(HUNG));
    bench.clock.advance(3_000);
    expect(await waiting).toMatchObject({ status: 'rejected', error: { name: 'host_hung' } });
    expect(bench.engine.snapshot()).toMatchObject({ running: 1, host: { state: 'unavailable', problem: HUNG } });
  });

  it('continues to wait when the host is well, or only one image is missing', async () => {
    const { busy, waiting } = await crowd();
    const image = vi.spyOn(bench.host.images, 'find').mockRejectedValueOnce(new HostError(LOST));
    for (const looks of [1, 2, 3]) {
      bench.clock.advance(3_000);
      await until(() => image.mock.calls.length === looks);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bench.engine.snapshot().environments[0]?.waiting).toBe(1);
    bench.clock.advance(21_000);
    expect((await busy.result).status).toBe('timeout');
    expect((await waiting).stdout).toBe('1\n');
  });

  it('is told to the agent, whose answer may then travel with the report of its reset; a run alone has its answer at once', async () => {
    bench = new EngineBench({ pool: { size: 1 } });
    await bench.run('print 0');
    const [sandbox] = bench.host.containers.values();
    if (!sandbox) throw new Error('there is no sandbox');
    const written = vi.spyOn(sandbox.stdin, 'write');
    const alone = await bench.run('print 1');
    const together = await Promise.all(['print 2', 'print 3', 'print 4'].map((code) => bench.run(code)));
    const frames = new FrameDecoder().push(Buffer.concat(written.mock.calls.map(([bytes]) => bytes)));
    const starts = frames.filter(({ type }) => type === FrameType.start);
    expect(starts.map(({ payload }) => Start.parse(JSON.parse(payload.toString('utf8'))))).toMatchObject([
      { awaited: false },
      { awaited: true },
      { awaited: true },
      { awaited: false },
    ]);
    expect([alone, ...together].map(({ stdout }) => stdout)).toEqual(['1\n', '2\n', '3\n', '4\n']);
  });

  it('fails at once when the host stops, although another boot is under way', async () => {
    bench = new EngineBench({ pool: { size: 2 } });
    bench.host.faults.createMs = 1_000;
    bench.host.faults.create = HUNG;
    const first = bench.run('print 1');
    await until(() => bench.host.creating === 1);
    bench.clock.advance(500);
    const second = bench.run('print 2', { owner: BOB });
    await until(() => bench.host.creating === 2);
    bench.clock.advance(500);
    expect([(await first).error?.name, (await second).error?.name]).toEqual(['host_hung', 'host_hung']);
    bench.host.faults.create = null;
  });
});
