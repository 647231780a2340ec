import { describe, expect, it } from 'vitest';
import { TerminalText } from '../../src/vscode/notebook/output/terminalText.ts';
import { latenessOf } from '../isolation/lateness.ts';

/** The text after each piece is written. */
function written(...pieces: string[]): string {
  const text = new TerminalText();
  for (const piece of pieces) text.write(piece);
  return text.text;
}

const UP = '\x1b[A';

describe('TerminalText', () => {
  it('appends plain text and says what it added', () => {
    const text = new TerminalText();
    expect(text.write('one\n')).toBe('appended');
    expect(text.write('two')).toBe('appended');
    expect(text.added).toBe('two');
    expect(text.text).toBe('one\ntwo');
  });

  it.each<[string, string[], string]>([
    ['a carriage return writes over the line', ['start\n  1%', '\r 50%', '\r100%\n'], 'start\n100%\n'],
    ['a shorter text leaves the rest of the line', ['abcdef\rxy'], 'xycdef'],
    ['a carriage return before a line feed only ends the line', ['one\r', '\ntwo\r\n'], 'one\ntwo\n'],
    ['a backspace moves the cursor back', ['abc\b\bX'], 'aXc'],
    ['the cursor moves up and down', [`a\nb\nc${UP}${UP}\rA\nB\x1b[B\rC`], 'A\nB\nC'],
    ['the cursor moves up several lines', ['a\nb\nc\x1b[2A\rA'], 'A\nb\nc'],
    ['the cursor stops at the first and the last line', [`a${UP}${UP}\rb\x1b[9B\rc`], 'c'],
    ['a line is erased from the cursor on', ['abcdef\rxy\x1b[K'], 'xy'],
    ['a whole line is erased', ['abc\ndef\x1b[2K\rx'], 'abc\nx'],
    ['a sequence arrives in two pieces', ['a\nb\x1b', '[', 'A\rc'], 'c\nb'],
    ['colors stay with their characters', ['\x1b[31mred\x1b[0m', '\r\x1b[32mgre\x1b[0m'], '\x1b[32mgre\x1b[0m'],
    ['characters outside of the basic plane count as one', ['\u{1F331}b\rx'], 'xb'],
    ['a text written after the cursor moved up', [`a\nb${UP}\r`, 'X'], 'X\nb'],
  ])('%s', (_, pieces, expected) => expect(written(...pieces)).toBe(expected));

  it('shows nested progress bars in place, however their bytes arrive', () => {
    const bars = [
      '\router:   0%',
      '\n\rinner:   0%',
      `${UP}`,
      '\n\rinner: 100%',
      `${UP}`,
      '\n\r           ',
      `\r${UP}`,
      '\router:  50%',
      '\n\rinner:   0%',
      `${UP}`,
      '\router: 100%',
      '\n',
    ];
    const all = bars.join('');
    const expected = 'outer: 100%\ninner:   0%';
    expect(written(all)).toBe(expected);
    for (let size = 1; size < 9; size += 1) {
      const pieces = all.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(written(...pieces)).toBe(expected);
    }
  });

  it('gives away what can no longer change', () => {
    const text = new TerminalText();
    text.write(`${'x'.repeat(99)}\n`.repeat(3_000));
    text.write('  1%\r');
    text.write('100%');
    const settled = text.takeSettled();
    expect(settled.length + text.text.length).toBe(300_004);
    expect(text.text.length).toBeLessThan(100_000);
    text.write(`\r${UP}\rdone`);
    expect(text.text.endsWith(`done${'x'.repeat(95)}\n100%`)).toBe(true);
  });

  it('takes a megabyte of cursor movements in less than 50 ms for each 64 KB', async () => {
    const text = new TerminalText();
    for (const pattern of ['\ra', `${UP}b\n`, '\b', '\x1b[31m', `${'y'.repeat(200)}\r`]) {
      const piece = pattern.repeat(Math.ceil(65_536 / pattern.length));
      const { lateMs } = await latenessOf(async () => {
        for (let turn = 0; turn < 16; turn += 1) text.write(piece);
      });
      expect(lateMs / 16).toBeLessThan(50);
    }
  });
});
