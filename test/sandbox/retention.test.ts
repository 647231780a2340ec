import { describe, expect, it } from 'vitest';
import { FrameDecoder, FrameType } from '../../src/protocol/frames.ts';
import { Retention } from '../../src/sandbox/retention.ts';

const MB = 1024 * 1024;

function setUp(received = 0) {
  let line: number | null = null;
  const retention = new Retention(3, received, () => line);
  return {
    retention,
    receive: (bytes: number) =>
      retention.count({ type: FrameType.stdout, channel: 1, payload: Buffer.alloc(bytes - 9) }),
    beginLine: (at: number | null) => {
      line = at;
    },
    /** The count that it sends now, if any. */
    sent: () => {
      const bytes = retention.take();
      const [frame] = bytes ? new FrameDecoder().push(bytes) : [];
      return frame
        ? { type: frame.type, engine: frame.channel, count: Number(frame.payload.readBigUInt64BE(0)) }
        : null;
    },
  };
}

const acknowledged = (count: number) => ({ type: FrameType.acknowledge, engine: 3, count });

describe('what an agent keeps', () => {
  it('is acknowledged when an answer was passed on, once', () => {
    const { retention, receive, sent } = setUp(100);
    receive(50);
    expect(sent()).toBeNull();
    retention.settle();
    expect(sent()).toEqual(acknowledged(150));
    retention.settle();
    expect(sent()).toBeNull();
  });

  it('is acknowledged after 4 MB, unless an answer is held', () => {
    const { retention, receive, sent } = setUp();
    receive(4 * MB - 1);
    expect(retention.isDue).toBe(false);
    receive(10);
    expect(retention.isDue).toBe(true);
    retention.hold();
    expect(retention.isDue).toBe(false);
    expect(sent()).toBeNull();
    retention.settle();
    expect(sent()).toEqual(acknowledged(4 * MB + 9));
  });

  it('is not acknowledged in the middle of a line, unless the line is too long to be kept', () => {
    const { retention, receive, beginLine, sent } = setUp();
    receive(1000);
    beginLine(1000);
    receive(2 * MB);
    retention.settle();
    expect(sent()).toEqual(acknowledged(1000));
    receive(6 * MB);
    expect(sent()).toEqual(acknowledged(1000 + 8 * MB));
  });
});
