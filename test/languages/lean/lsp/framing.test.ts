import { describe, expect, it } from 'vitest';
import {
  encodeMessage,
  MAX_HEADER_BYTES,
  MAX_MESSAGE_BYTES,
  ProtocolError,
} from '../../../../src/languages/lean/lsp/framing.ts';
import { Messages } from './messages.ts';

const messages = [{ id: 1, text: 'héllo ∀ 🌱' }, {}, { text: 'x'.repeat(300) }, { text: '\r\n\r\nContent-Length: 3' }];
const stream = Buffer.concat(messages.map(encodeMessage));

function decoded(pieces: readonly Buffer[]): unknown[] {
  const decoder = new Messages();
  return pieces.flatMap((piece) => decoder.push(piece));
}

describe('MessageDecoder', () => {
  it('counts bytes, not characters', () => {
    expect(encodeMessage({ a: '∀' }).toString()).toBe('Content-Length: 11\r\n\r\n{"a":"∀"}');
  });

  it('decodes the same messages at any split', () => {
    expect(decoded([stream])).toEqual(messages);
    expect(decoded([...stream].map((byte) => Buffer.of(byte)))).toEqual(messages);
    for (let at = 1; at < stream.length; at += 1) {
      expect(JSON.stringify(decoded([stream.subarray(0, at), stream.subarray(at)]))).toBe(JSON.stringify(messages));
    }
  });

  it('accepts other header fields and any case', () => {
    const header = 'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:  2\r\n\r\n{}';
    expect(decoded([Buffer.from(header)])).toEqual([{}]);
  });

  it('accepts a large message in many pieces', () => {
    const text = 'y'.repeat(8 * 1024 * 1024);
    const bytes = encodeMessage({ text });
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 4096) pieces.push(bytes.subarray(at, at + 4096));
    expect(decoded(pieces)).toEqual([{ text }]);
  });

  it.each([
    ['no length', 'Content-Type: x\r\n\r\n{}'],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}'],
    ['a negative length', 'Content-Length: -2\r\n\r\n{}'],
    ['a length that is not a number', 'Content-Length: 2x\r\n\r\n{}'],
    ['an empty length', 'Content-Length: \r\n\r\n{}'],
    ['a line that is not a field', 'hello\r\n\r\n{}'],
    ['a body that is not JSON', 'Content-Length: 2\r\n\r\n{]'],
    ['an empty body', 'Content-Length: 0\r\n\r\n'],
    ['a message over the limit', `Content-Length: ${MAX_MESSAGE_BYTES + 1}\r\n\r\n`],
    ['a length of 400 digits', `Content-Length: ${'9'.repeat(400)}\r\n\r\n`],
    ['a header without an end', 'x'.repeat(MAX_HEADER_BYTES)],
    ['a header over the limit', `A: ${'x'.repeat(MAX_HEADER_BYTES)}\r\nContent-Length: 2\r\n\r\n{}`],
  ])('refuses %s', (_, text) => {
    expect(() => decoded([Buffer.from(text)])).toThrow(ProtocolError);
  });

  it('refuses a body that is not UTF-8', () => {
    const body = Buffer.from([0x22, 0xff, 0x22]);
    expect(() => decoded([Buffer.from('Content-Length: 3\r\n\r\n'), body])).toThrow(ProtocolError);
  });
});
