import { describe, expect, it } from 'vitest';
import { EventLines } from '../../src/sandbox/eventLines.ts';

const LIMITS = { bytes: 1_000, lines: 5 };

function linesOf(lines: EventLines, ...chunks: string[]): string[] {
  return chunks.flatMap((chunk) => [...lines.take(Buffer.from(chunk))].filter((line) => line !== null).map(String));
}

describe('EventLines', () => {
  it('gives whole lines without empty ones, however they are cut', () => {
    const text = '\n{one}\n\n{two}\n{three';
    expect(linesOf(new EventLines(LIMITS), text, '}\n')).toEqual(['{one}', '{two}', '{three}']);
    expect(linesOf(new EventLines(LIMITS), ...text, '}', '\n')).toEqual(['{one}', '{two}', '{three}']);
  });

  it('drops lines beyond their number and counts them', () => {
    const lines = new EventLines(LIMITS);
    expect(linesOf(lines, '1\n2\n3\n4\n5\n6\n7\n')).toEqual(['1', '2', '3', '4', '5']);
    expect(lines.dropped).toBe(2);
  });

  it('drops lines beyond their bytes and counts them', () => {
    const lines = new EventLines(LIMITS);
    expect(linesOf(lines, `${'x'.repeat(900)}\n${'y'.repeat(200)}\n`)).toEqual(['x'.repeat(900)]);
    expect(lines.dropped).toBe(1);
  });

  it('starts its counts again for the next run', () => {
    const lines = new EventLines(LIMITS);
    linesOf(lines, '1\n2\n3\n4\n5\n6\n');
    lines.restart();
    expect(linesOf(lines, '7\n')).toEqual(['7']);
    expect(lines.dropped).toBe(0);
  });

  it('keeps no more of a line than an event may have', () => {
    const lines = new EventLines({ bytes: Number.POSITIVE_INFINITY, lines: 5 });
    const chunk = Buffer.alloc(1 << 16, 'x');
    for (let bytes = 0; bytes < 8 << 20; bytes += chunk.length) expect([...lines.take(chunk)]).toEqual([]);
    expect(linesOf(lines, '\nafter\n')).toEqual(['after']);
    expect(lines.dropped).toBe(1);
  });

  it('keeps no other bytes in memory with those of a line that comes byte by byte', () => {
    const lines = new EventLines({ bytes: 10_000, lines: 5 });
    const before = process.memoryUsage().arrayBuffers;
    for (let piece = 0; piece < 4_000; piece += 1)
      expect([...lines.take(Buffer.alloc(1 << 16, 'x').subarray(0, 1))]).toEqual([]);
    // What is not collected yet, of 256 MB.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(128 << 20);
    expect(linesOf(lines, '\n')).toEqual(['x'.repeat(4_000)]);
  });
});
