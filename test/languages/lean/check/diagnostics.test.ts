import { describe, expect, it } from 'vitest';
import { type CellRegion, diagnosticsIn } from '../../../../src/languages/lean/check/diagnostics.ts';
import type { Diagnostic } from '../../../../src/languages/lean/lsp/messages.ts';
import { LineTable, ORIGIN } from '../../../../src/languages/lean/text/position.ts';
import { diagnostic, messagesOf } from './made.ts';

const HEADER = 'import A\n';
const CODE = '#eval 1\n😀 oops\n';
const NEXT = '#eval 2\n';
const table = new LineTable(HEADER + CODE + NEXT);
const span: CellRegion = {
  from: HEADER.length,
  start: HEADER.length,
  end: HEADER.length + CODE.length,
  origin: ORIGIN,
};
const here: [[number, number], [number, number]] = [
  [1, 0],
  [1, 5],
];

function texts(diagnostics: readonly Diagnostic[], of: CellRegion = span): string[] {
  return messagesOf(diagnostics, table, of).map(({ text }) => text);
}

describe('readMessages', () => {
  it("returns positions in the caller's text", () => {
    const found = diagnostic(1, 'bad', [
      [2, 3],
      [2, 7],
    ]);
    expect(messagesOf([found], table, span)).toEqual([
      { severity: 'error', line: 2, column: 2, endLine: 2, endColumn: 6, text: 'bad' },
    ]);
  });

  it('uses the full range', () => {
    const range = { start: { line: 1, character: 6 }, end: { line: 2, character: 2 } };
    expect(messagesOf([diagnostic(2, 'w', here, { fullRange: range })], table, span)).toMatchObject([
      { severity: 'warning', line: 1, column: 6, endLine: 2, endColumn: 1 },
    ]);
  });

  it('ends a message at the end of the region', () => {
    const range = { start: { line: 1, character: 6 }, end: { line: 3, character: 4 } };
    expect(messagesOf([diagnostic(2, 'w', here, { fullRange: range })], table, span)).toMatchObject([
      { endLine: 3, endColumn: 0 },
    ]);
  });

  it.each([
    [1, 'error'],
    [2, 'warning'],
    [3, 'information'],
    [4, 'hint'],
    [undefined, 'error'],
  ] as const)('takes severity %s for %s', (severity, word) => {
    expect(messagesOf([diagnostic(severity, 'x', here)], table, span)[0]?.severity).toBe(word);
  });

  it('sorts by position, and by arrival at the same position', () => {
    const of = (message: string, line: number, character: number) =>
      diagnostic(3, message, [
        [line, character],
        [line, character],
      ]);
    expect(texts([of('c', 2, 3), of('b', 2, 0), of('a', 1, 6), of('d', 2, 3)])).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([
    ['a silent one', diagnostic(3, 'x', here, { isSilent: true }), []],
    ['goals accomplished without a text', diagnostic(3, '', here, { leanTags: [2] }), []],
    ['goals accomplished with a text', diagnostic(3, 'x', here, { leanTags: [2] }), ['x']],
    ['an empty text', diagnostic(3, '', here), ['']],
    ['unsolved goals', diagnostic(1, 'x', here, { leanTags: [1], isSilent: false }), ['x']],
  ])('with %s', (_, found, expected) => {
    expect(texts([found])).toEqual(expected);
  });

  it('does not change a text', () => {
    expect(texts([diagnostic(3, 'error: no error\n\n', here)])).toEqual(['error: no error\n\n']);
  });
});

describe('diagnosticsIn', () => {
  const places = [
    [0, 7],
    [1, 0],
    [2, 7],
    [3, 0],
    [4, 0],
  ] as const;
  const all = places.map((place) => diagnostic(1, place.join(':'), [place, place]));
  const found = (of: CellRegion) => diagnosticsIn(all, table, of).map(({ message }) => message);

  it('returns diagnostics that start in the region, also at its end if nothing follows', () => {
    expect(found(span)).toEqual(['1:0', '2:7']);
    expect(found({ ...span, end: table.text.length })).toEqual(['1:0', '2:7', '3:0', '4:0']);
  });

  it("returns diagnostics of the header at the caller's first position, if the region includes it", () => {
    expect(found({ ...span, from: 0 })).toEqual(['0:7', '1:0', '2:7']);
    expect(messagesOf(all, table, { ...span, from: 0 })[0]).toMatchObject({ line: 1, column: 0, text: '0:7' });
  });
});
