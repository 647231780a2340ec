import { describe, expect, it } from 'vitest';
import { FrameDecoder, FrameType, MAX_CHUNK_BYTES } from '../../src/protocol/frames.ts';
import { ChannelInput } from '../../src/sandbox/channelInput.ts';

function opened() {
  const decoder = new FrameDecoder();
  const frames: { readonly type: number; readonly bytes: number }[] = [];
  const input = new ChannelInput(7, (bytes) => {
    for (const { type, payload } of decoder.push(bytes)) frames.push({ type, bytes: payload.length });
  });
  return { input, frames };
}

describe('ChannelInput', () => {
  it('sends a short request in one frame that needs no confirmation', () => {
    const { input, frames } = opened();
    input.run('{}');
    input.run('{}');
    expect(frames).toEqual(Array(2).fill({ type: FrameType.run, bytes: 3 }));
  });

  it('sends a long request in pieces, and each piece after the first when there is room', () => {
    const { input, frames } = opened();
    input.run('x'.repeat(3 * MAX_CHUNK_BYTES - 1));
    expect(frames.map(({ type }) => type)).toEqual([FrameType.run, FrameType.input]);
    input.onRoom();
    expect(frames.map(({ bytes }) => bytes)).toEqual(Array(3).fill(MAX_CHUNK_BYTES));
  });

  it('resolves a write when the bytes are on their way, and not before there is room', async () => {
    const { input, frames } = opened();
    await input.write(Buffer.alloc(MAX_CHUNK_BYTES));
    let isSent = false;
    const second = input.write(Buffer.alloc(1)).then(() => {
      isSent = true;
    });
    await new Promise(setImmediate);
    expect([isSent, frames.length]).toEqual([false, 1]);
    input.onRoom();
    await second;
    expect(frames).toHaveLength(2);
  });

  it('has at most sixteen pieces under way', () => {
    const { input, frames } = opened();
    for (let piece = 0; piece < 40; piece += 1) void input.write(Buffer.alloc(1));
    expect(frames).toHaveLength(16);
    for (let room = 0; room < 24; room += 1) input.onRoom();
    expect(frames).toHaveLength(40);
  });

  it('ends the input after everything that was written', () => {
    const { input, frames } = opened();
    void input.write(Buffer.alloc(2 * MAX_CHUNK_BYTES));
    input.close();
    expect(frames.map(({ type }) => type)).toEqual([FrameType.input]);
    input.onRoom();
    expect(frames.map(({ type }) => type)).toEqual([FrameType.input, FrameType.input, FrameType.closeInput]);
  });

  it('resolves every write at the end of the process, and sends nothing more', async () => {
    const { input, frames } = opened();
    const writes = [input.write(Buffer.alloc(2 * MAX_CHUNK_BYTES)), input.write(Buffer.alloc(1))];
    input.end();
    await Promise.all(writes);
    await input.write(Buffer.alloc(1));
    input.run('{}');
    expect(frames).toHaveLength(1);
  });
});
