import { describe, expect, it } from 'vitest';
import { encodeFrame, FrameType } from '../../src/protocol/frames.ts';
import { EVENT_PREFIX_BYTES } from '../../src/protocol/messages.ts';
import { EngineBench } from '../engine/engineBench.ts';

const PAIRS = 1_000;
const EVENT = Buffer.concat([
  Buffer.alloc(EVENT_PREFIX_BYTES),
  Buffer.from('{"type":"clear","token":"","wait":false}'),
]);

describe('row 17: frames of an earlier run', () => {
  it(`that arrive during the next run count for neither: ${PAIRS} pairs`, async () => {
    const bench = new EngineBench({ pool: { size: 1, maxUses: 3 * PAIRS } });
    for (let pair = 1; pair <= PAIRS; pair += 1) {
      expect((await bench.run('print A')).stdout).toBe('A\n');
      const b = await bench.begin('sleep 1');
      const [container] = bench.host.containers.values();
      // The number of B's channel: a request had 1, and each run has taken one since. There is no time for a heartbeat.
      const own = 2 * pair + 1;
      for (let channel = Math.max(0, own - 20); channel < own; channel += 1) {
        container?.stdout.push(encodeFrame(FrameType.stdout, channel, 'A'));
        container?.stdout.push(encodeFrame(FrameType.stderr, channel, 'A'));
        if (channel > 0) container?.stdout.push(encodeFrame(FrameType.event, channel, EVENT));
      }
      container?.stdout.push(encodeFrame(FrameType.stdout, own, 'B'));
      await new Promise((resolve) => setImmediate(resolve));
      bench.clock.advance(1);
      expect(await b.result).toMatchObject({ status: 'ok', stdout: 'go\nB', stderr: '' });
    }
    expect(bench.host.creations).toBe(1);
    await bench.engine.dispose();
  });
});
