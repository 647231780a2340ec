import { describe, expect, it } from 'vitest';
import { declaredName, parseStatement, sibling } from '../../../../src/languages/lean/judge/statement.ts';

describe('a statement', () => {
  it.each([
    ['theorem t : p', 't', ' : p'],
    ['/-- doc -/ lemma A.t.{u} (α : Type u) : p := by sorry', 'A.t', '.{u} (α : Type u) : p'],
    ['theorem «a b» : p :=', '«a b»', ' : p'],
    ['theorem t : p := by', 't', ' : p'],
  ])('is read from %s', (text, name, signature) => {
    expect(parseStatement(text)).toEqual({ name, signature });
  });

  it.each(['', 'theorem', 'theorem t', 'def t : p', 'example : p', '@[simp] theorem t : p', 'theorem 1 : p'])(
    'is not read from %j',
    (text) => expect(parseStatement(text)).toBeNull(),
  );

  it('declares its name in the namespaces that the header leaves open', () => {
    expect(declaredName('namespace A\nnamespace B.C\nend C\n', 'x.t')).toBe('A.B.x.t');
    expect(declaredName('namespace A\n', '_root_.t')).toBe('t');
    expect(declaredName('namespace A\nend A\n', 't')).toBe('t');
  });

  it('has siblings in its namespace', () => {
    expect([sibling('t', 'x'), sibling('A.t', 'x'), sibling('A.«b.c»', 'x')]).toEqual(['x', 'A.x', 'A.x']);
  });
});
