import { describe, expect, it } from 'vitest';
import { findCells, savedCells } from '../../src/vscode/notebook/reload/savedCells.ts';

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
