import { describe, expect, it } from 'vitest';
import { readTrace } from '../../../src/host/docker/buildTrace.ts';

function field(number: number, value: Buffer | string | 1): Buffer {
  if (value === 1) return Buffer.from([number << 3, 1]);
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

const STEP = Buffer.concat([
  field(1, 'sha256:a'),
  field(3, 'RUN true'),
  field(4, 1),
  field(5, ''),
  field(7, 'it failed'),
]);
const OUTPUT = Buffer.concat([field(1, 'sha256:a'), field(2, 'time'), field(3, 1), field(4, 'hello\n')]);
const REPORT = Buffer.concat([field(1, STEP), field(2, 'unknown'), field(3, OUTPUT)]);

describe('a report of a build', () => {
  it('lists the steps and their output, and skips what is not needed', () => {
    expect(readTrace(REPORT)).toEqual({
      steps: [{ digest: 'sha256:a', name: 'RUN true', isStarted: true, isCached: true, error: 'it failed' }],
      outputs: [{ digest: 'sha256:a', bytes: Buffer.from('hello\n') }],
    });
    expect(readTrace(Buffer.alloc(0))).toEqual({ steps: [], outputs: [] });
  });

  it('that is cut off throws a RangeError', () => {
    for (let length = 1; length < REPORT.length; length += 1) {
      try {
        readTrace(REPORT.subarray(0, length));
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
    expect(() => readTrace(Buffer.from([0x0a, 0x7f]))).toThrow(RangeError);
    expect(() => readTrace(Buffer.from([0x0f]))).toThrow(RangeError);
  });
});
