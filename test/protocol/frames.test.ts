import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  encodeFrame,
  FrameDecoder,
  FrameType,
  FramingError,
  HEADER_BYTES,
  MAX_PAYLOAD_BYTES,
  MAX_STRAY_BYTES,
} from '../../src/protocol/frames.ts';

const nonce = Buffer.alloc(32, 7);
const frames = [
  encodeFrame(FrameType.ready, 0, '{"x":1}'),
  encodeFrame(FrameType.stdout, 3, Buffer.from([0, 255, 10])),
  encodeFrame(FrameType.exit, 4_000_000_000),
];
const expected = [
  { type: FrameType.ready, channel: 0, payload: Buffer.from('{"x":1}') },
  { type: FrameType.stdout, channel: 3, payload: Buffer.from([0, 255, 10]) },
  { type: FrameType.exit, channel: 4_000_000_000, payload: Buffer.alloc(0) },
];

describe('FrameDecoder', () => {
  it('decodes the same frames for every split of the stream', () => {
    const stream = Buffer.concat([Buffer.from('stray words\n'), nonce, ...frames]);
    for (let first = 0; first <= stream.length; first += 1) {
      for (const second of [first, first + 1, first + 9, stream.length]) {
        const decoder = new FrameDecoder();
        decoder.expect(nonce);
        const parts = [stream.subarray(0, first), stream.subarray(first, second), stream.subarray(second)];
        expect(parts.flatMap((part) => decoder.push(Buffer.from(part)))).toEqual(expected);
      }
    }
  });

  it('decodes nothing before the nonce, not even valid frames', () => {
    const decoder = new FrameDecoder();
    decoder.expect(nonce);
    expect(decoder.push(Buffer.concat(frames))).toEqual([]);
    expect(decoder.push(nonce)).toEqual([]);
    expect(decoder.push(Buffer.concat(frames))).toEqual(expected);
  });

  it('throws when the nonce does not arrive', () => {
    const decoder = new FrameDecoder();
    decoder.expect(nonce);
    expect(() => decoder.push(Buffer.alloc(MAX_STRAY_BYTES + 64))).toThrow(FramingError);
  });

  it('rejects a frame with a length over the limit', () => {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32BE(MAX_PAYLOAD_BYTES + 1, 5);
    expect(() => new FrameDecoder().push(header)).toThrow(FramingError);
  });

  it('returns frames or throws FramingError for random bytes', () => {
    for (let round = 0; round < 500; round += 1) {
      try {
        new FrameDecoder().push(randomBytes(200));
      } catch (error) {
        expect(error).toBeInstanceOf(FramingError);
      }
    }
  });
});

describe('encodeFrame', () => {
  it('rejects a payload over the limit', () => {
    expect(() => encodeFrame(FrameType.input, 1, Buffer.alloc(MAX_PAYLOAD_BYTES + 1))).toThrow(RangeError);
  });
});

describe('engine and agent', () => {
  it('use the same numbers for frame types', () => {
    const source = readFileSync(new URL('../../images/agent/hothouse_agent/frames.py', import.meta.url), 'utf8');
    const named = [...source.matchAll(/^([A-Z_, ]+) = range\((\d+), (\d+)\)$/gm)].flatMap(([, names = '', start]) =>
      names.split(', ').map((name, index) => [name, Number(start) + index] as const),
    );
    const ours = Object.entries(FrameType).map(([name, number]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
      number,
    ]);
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(ours));
  });
});
