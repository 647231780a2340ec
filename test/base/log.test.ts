import { describe, expect, it } from 'vitest';
import { messageOf, plainText } from '../../src/base/log.ts';

describe('plainText', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007after', 'after'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001bPq#0;2;0;0;0\u001b\\sixel', 'sixel'],
    ['\u001b(Bcharset', 'charset'],
    ['\u009b2Jc1', '2Jc1'],
    ['bell\u0007 back\b null\u0000', 'bell back null'],
    ['\u001b', ''],
    ['tab\tand\nline stay', 'tab\tand\nline stay'],
  ])('%j becomes %j', (given, wanted) => {
    expect(plainText(given)).toBe(wanted);
  });

  it('removes every escape and C1 byte', () => {
    for (let round = 0; round < 2_000; round += 1) {
      const codes = Array.from({ length: 20 }, () => Math.floor(Math.random() * 0xa0));
      expect(plainText(String.fromCharCode(...codes))).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }
  });
});

describe('messageOf', () => {
  it('returns the message of an error, or the text of any other value', () => {
    expect(messageOf(new Error('why'))).toBe('why');
    expect(messageOf(404)).toBe('404');
  });
});
