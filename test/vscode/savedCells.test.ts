import { describe, expect, it } from 'vitest';
import { textHash } from '../../src/base/textHash.ts';
import { findCells, savedCells, withRun } from '../../src/vscode/notebook/reload/savedCells.ts';

const saved = (texts: readonly string[], names: readonly (string | undefined)[]) =>
  savedCells(names, (index) => texts[index] ?? '');

const found = (cells: ReturnType<typeof saved>, texts: readonly string[]) =>
  Object.fromEntries(findCells(cells, texts));

describe('findCells', () => {
  it('finds cells at their places', () => {
    const texts = ['a = 1', 'print(a)', 'a'];
    expect(found(saved(texts, ['2', undefined, '1']), texts)).toEqual({ 2: 0, 1: 2 });
  });

  it('finds equal cells each at its own place', () => {
    const texts = ['x', 'x', 'x'];
    expect(found(saved(texts, ['1', '2', '3']), texts)).toEqual({ 1: 0, 2: 1, 3: 2 });
  });

  it('finds cells that have moved by their text, and a changed one at its place', () => {
    const cells = saved(['one', 'two', 'three'], ['1', '2', '3']);
    expect(found(cells, ['new', 'one', 'three'])).toEqual({ 1: 1, 3: 2 });
    expect(found(cells, ['one', 'changed', 'three'])).toEqual({ 1: 0, 2: 1, 3: 2 });
  });

  it('leaves out cells that are gone', () => {
    expect(found(saved(['one', 'two'], ['1', '2']), ['two'])).toEqual({ 2: 0 });
    expect(found(saved(['one', 'two'], ['1', '2']), [])).toEqual({});
  });
});

describe('withRun', () => {
  const texts = ['a = 1', 'input()', 'input()'];
  const placed = (names: readonly (string | undefined)[], cell: string | null, code: string) =>
    Object.fromEntries(withRun(findCells(saved(texts, names), texts), { cell, codeHash: textHash(code) }, texts));

  it('adds a cell that was not saved, by its code', () => {
    expect(placed(['1'], '2', 'input()')).toEqual({ 1: 0, 2: 1 });
    expect(placed(['1', '2'], '3', 'input()')).toEqual({ 1: 0, 2: 1, 3: 2 });
  });

  it('adds nothing for a cell that was saved, is gone or has no name', () => {
    expect(placed(['1', '2'], '2', 'input()')).toEqual({ 1: 0, 2: 1 });
    expect(placed(['1'], '2', 'a = 1')).toEqual({ 1: 0 });
    expect(placed(['1'], null, 'input()')).toEqual({ 1: 0 });
  });
});
