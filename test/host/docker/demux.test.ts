import { PassThrough, Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { demux, splitter } from '../../../src/host/docker/demux.ts';

function message(stream: number, text: string): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

const MESSAGES = Buffer.concat([
  message(1, 'out'),
  message(2, 'err'),
  message(1, ''),
  message(1, 'put'),
  message(2, '!'),
]);

describe('splitter', () => {
  it.each([1, 2, 3, 5, 7, 8, 9, 11, 100])('returns the same for chunks of %i bytes', (size) => {
    const texts = ['', '', ''];
    const split = splitter((stream, bytes) => {
      texts[stream] += bytes.toString();
    });
    for (let at = 0; at < MESSAGES.length; at += size) split(MESSAGES.subarray(at, at + size));
    expect(texts).toEqual(['', 'output', 'err!']);
  });
});

describe('demux', () => {
  it('returns both streams, which end with the connection', async () => {
    const { stdout, stderr } = demux(Readable.from([MESSAGES], { objectMode: false }));
    expect(Buffer.concat(await stdout.toArray()).toString()).toBe('output');
    expect(Buffer.concat(await stderr.toArray()).toString()).toBe('err!');
  });

  it('ends both streams when the connection breaks', async () => {
    const source = new PassThrough();
    source.on('error', () => {});
    const { stdout, stderr } = demux(source);
    source.destroy(new Error('broken'));
    expect(await stdout.toArray()).toEqual([]);
    expect(await stderr.toArray()).toEqual([]);
  });

  it('pauses the connection while stdout is not read, and loses nothing', async () => {
    const source = new PassThrough({ highWaterMark: 1024 });
    const { stdout } = demux(source);
    const piece = message(1, 'x'.repeat(65_536));
    let written = 0;
    while (written < 64 && source.write(piece)) {
      written += 1;
      await pause(1);
    }
    expect(written).toBeLessThan(64);
    expect(stdout.readableLength).toBeLessThan(1 << 20);
    source.end();
    expect(Buffer.concat(await stdout.toArray()).length).toBe((written + 1) * 65_536);
  });

  it('forwards stdout while stderr is not read', async () => {
    const flood = Array.from({ length: 100 }, () => message(2, 'e'.repeat(10_000)));
    const { stdout, stderr } = demux(Readable.from([...flood, message(1, 'through')]));
    expect(Buffer.concat(await stdout.toArray()).toString()).toBe('through');
    expect(stderr.readableLength).toBeLessThan(100_000);
  });
});
