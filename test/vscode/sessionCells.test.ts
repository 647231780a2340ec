import { describe, expect, it } from 'vitest';
import { CellNames } from '../../src/vscode/notebook/cellNames.ts';
import { SessionCells } from '../../src/vscode/notebook/sessionCells.ts';
import { report } from './reports.ts';

const ACCEPTED = { ...report({}), notes: [], rechecked: [], language: 'lean' as const };
const REJECTED = { ...report({ verdict: 'rejected' }), notes: [], rechecked: [], language: 'lean' as const };

/** A notebook with a cell for each URI and its code. */
function notebookOf(codes: Readonly<Record<string, string>>) {
  const cells = Object.entries(codes).map(([address, code]) => ({
    document: { uri: { toString: () => address }, getText: () => code },
  }));
  return { getCells: () => cells };
}

/** Names that call the cells at these URIs 1, 2 and so on. */
function named(...addresses: readonly string[]): CellNames {
  const names = new CellNames();
  for (const address of addresses) names.of(address);
  return names;
}

describe('CellNames', () => {
  it('numbers cells in the order of their first names', () => {
    const names = new CellNames();
    expect(['b', 'a', 'b'].map((address) => names.of(address))).toEqual(['1', '2', '1']);
    expect([names.find('a'), names.find('c')]).toEqual(['2', undefined]);
  });

  it('keeps names when the notebook is saved twice', () => {
    const names = new CellNames();
    names.of('untitled#2');
    names.of('untitled#1');
    names.move(['untitled#1', 'untitled#2', 'untitled#3'], ['file#a', 'file#b', 'file#c']);
    names.move(['file#a', 'file#b', 'file#c'], ['other#x', 'other#y', 'other#z']);
    const found = ['other#x', 'other#y', 'other#z', 'file#a', 'untitled#1'].map((address) => names.find(address));
    expect(found).toEqual(['2', '1', undefined, undefined, undefined]);
    expect(names.of('other#z')).toBe('3');
  });
});

describe('SessionCells', () => {
  it("finds a cell with the session's code by the name of its run", () => {
    const names = new CellNames();
    const cells = new SessionCells(names);
    cells.ran({ name: names.of('untitled#1'), code: 'def a := 1' }, ACCEPTED);
    names.move(['untitled#1'], ['file#1']);
    const saved = notebookOf({ 'file#1': 'def a := 1' });
    expect(cells.find(saved, '1')).toBe(saved.getCells()[0]);
  });

  it('does not find a cell that was edited, or whose edit was rejected', () => {
    const cells = new SessionCells(named('1', '2', '3'));
    cells.ran({ name: '1', code: 'def a := 1' }, ACCEPTED);
    cells.ran({ name: '1', code: 'def a :=' }, REJECTED);
    expect(cells.find(notebookOf({ 1: 'def a :=' }), '1')).toBeUndefined();
    expect(cells.find(notebookOf({ 1: 'def a := 1' }), '1')).toBeDefined();
  });

  it('returns deleted cells of the session once', () => {
    const cells = new SessionCells(named('1', '2', '3'));
    cells.ran({ name: '1', code: 'def a := 1' }, ACCEPTED);
    cells.ran({ name: '2', code: 'def b := 1' }, ACCEPTED);
    cells.ran({ name: '3', code: 'nonsense' }, REJECTED);
    expect(cells.takeDeleted(notebookOf({ 2: '' }))).toEqual(['1']);
    expect(cells.takeDeleted(notebookOf({ 2: '' }))).toEqual([]);
  });

  it('records no cells without reports and forgets all for a new session', () => {
    const cells = new SessionCells(named('1', '2', '3'));
    cells.ran({ name: '1', code: 'a = 1' }, null);
    expect(cells.takeDeleted(notebookOf({}))).toEqual([]);
    cells.ran({ name: '2', code: 'def b := 1' }, ACCEPTED);
    cells.clear();
    expect(cells.takeDeleted(notebookOf({}))).toEqual([]);
  });
});
