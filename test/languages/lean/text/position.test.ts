import { describe, expect, it } from 'vitest';
import { LineTable, ORIGIN, toDocumentOffset, toRegionPosition } from '../../../../src/languages/lean/text/position.ts';

const PIECES = ['a', 'β', '😀', '𝔸', '\n', '\r\n', '\r', '', ' ', 'e\u0301', '\ud83d'];

/** Returns numbers in [0, 1), the same in each run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function someText(roll: () => number, length: number): string {
  return Array.from({ length }, () => PIECES[Math.floor(roll() * PIECES.length)]).join('');
}

/** Offsets that are not between the halves of a surrogate pair. */
function places(text: string): number[] {
  const offsets = [0];
  for (const character of text) offsets.push((offsets.at(-1) ?? 0) + character.length);
  return offsets;
}

describe('LineTable', () => {
  it.each([
    ['abc', 1, '0:1', '1:1'],
    ['a\nb', 2, '1:0', '2:0'],
    ['a\nb', 1, '0:1', '1:1'],
    ['a\r\nb', 2, '0:2', '1:2'],
    ['a\r\nb', 3, '1:0', '2:0'],
    ['a\rb', 2, '0:2', '1:2'],
    ['😀b', 2, '0:2', '1:1'],
    ['😀b', 1, '0:0', '1:0'],
    ['x\n😀😀b', 6, '1:4', '2:2'],
    ['a\n', 2, '1:0', '2:0'],
    ['', 0, '0:0', '1:0'],
    ['a', 9, '0:1', '1:1'],
    ['a', -1, '0:0', '1:0'],
  ])('maps in %j offset %i to the LSP position %s and the source position %s', (text, offset, position, source) => {
    const table = new LineTable(text);
    const at = table.positionAt(offset);
    const seen = table.sourcePositionAt(offset);
    expect([`${at.line}:${at.character}`, `${seen.line}:${seen.column}`]).toEqual([position, source]);
  });

  it.each([
    [{ line: 9, character: 0 }, 5],
    [{ line: 0, character: 9 }, 2],
    [{ line: -1, character: 3 }, 0],
    [{ line: 1, character: -3 }, 3],
    [{ line: 1, character: 1 }, 3],
  ])('maps the position %j to the nearest offset', (position, offset) => {
    expect(new LineTable('ab\n😀').offsetAt(position)).toBe(offset);
  });

  it.each([
    [{ line: 0, column: 7 }, 0],
    [{ line: 1, column: 7 }, 2],
    [{ line: 2, column: 1 }, 5],
    [{ line: 7, column: 1 }, 5],
    [{ line: 2, column: -1 }, 3],
  ])('maps the source position %j to the nearest offset', (source, offset) => {
    expect(new LineTable('ab\n😀').offsetAtSource(source)).toBe(offset);
  });

  it.each([1, 2, 3, 4, 5])('maps every offset to a position and back to the same offset (seed %i)', (seed) => {
    const text = someText(dice(seed), 200);
    const table = new LineTable(text);
    for (const offset of places(text)) {
      expect(table.offsetAt(table.positionAt(offset))).toBe(offset);
      expect(table.offsetAtSource(table.sourcePositionAt(offset))).toBe(offset);
    }
  });

  it.each([1, 2, 3, 4, 5])('equals a new table of the same text after each edit (seed %i)', (seed) => {
    const roll = dice(seed);
    const table = new LineTable(someText(roll, 20));
    for (let round = 0; round < 50; round += 1) {
      const [start = 0, end = 0] = [roll(), roll()]
        .map((share) => Math.floor(share * (table.text.length + 1)))
        .sort((a, b) => a - b);
      const text = someText(roll, 6);
      const expected = table.text.slice(0, start) + text + table.text.slice(end);
      table.replace(start, end, text);
      expect(table.text).toBe(expected);
      const fresh = new LineTable(expected);
      for (const offset of places(expected)) expect(table.positionAt(offset)).toEqual(fresh.positionAt(offset));
    }
  });
});

describe('a region of a document', () => {
  const table = new LineTable('import A\nab😀cd\nef\n');
  const region = { start: table.text.indexOf('cd'), end: table.text.length - 1, origin: { line: 3, column: 5 } };

  it.each([
    ['c', { line: 3, column: 5 }],
    ['d', { line: 3, column: 6 }],
    ['e', { line: 4, column: 0 }],
    ['f', { line: 4, column: 1 }],
  ])('finds %j at position %j of the caller', (character, source) => {
    const offset = table.text.indexOf(character, region.start);
    expect(toRegionPosition(table, region, offset)).toEqual(source);
    expect(toDocumentOffset(table, region, source)).toBe(offset);
  });

  it('clamps positions outside to its nearer end', () => {
    expect(toRegionPosition(table, region, 0)).toEqual(region.origin);
    expect(toRegionPosition(table, region, 99)).toEqual({ line: 4, column: 2 });
    expect(toDocumentOffset(table, region, ORIGIN)).toBe(region.start);
    expect(toDocumentOffset(table, region, { line: 3, column: 0 })).toBe(region.start);
    expect(toDocumentOffset(table, region, { line: 99, column: 0 })).toBe(region.end);
  });

  it.each([1, 2, 3])('maps every offset to a position of the caller and back to the same offset (seed %i)', (seed) => {
    const roll = dice(seed);
    const [before, code, after] = [someText(roll, 30), `x${someText(roll, 60)}`, `\n${someText(roll, 9)}`];
    const whole = new LineTable(before + code + after);
    const own = new LineTable(code);
    const region = { start: before.length, end: before.length + code.length, origin: ORIGIN };
    for (const offset of places(code)) {
      const source = toRegionPosition(whole, region, before.length + offset);
      expect(source).toEqual(own.sourcePositionAt(offset));
      expect(toDocumentOffset(whole, region, source)).toBe(before.length + offset);
    }
  });
});
