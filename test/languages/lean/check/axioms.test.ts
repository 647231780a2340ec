import { describe, expect, it } from 'vitest';
import { axiomCommands, axiomsOf } from '../../../../src/languages/lean/check/axioms.ts';
import type { Diagnostic } from '../../../../src/languages/lean/lsp/messages.ts';
import { diagnostic } from './made.ts';

const on = (line: number, message: string, severity: Diagnostic['severity'] | 'none' = 3) =>
  diagnostic(severity === 'none' ? undefined : severity, message, [
    [line, 0],
    [line, 6],
  ]);

const answer = (...diagnostics: Diagnostic[]) => axiomsOf(diagnostics, 5, ['t'])[0];

describe('axiomCommands', () => {
  it('asks for each name on its own line, whatever namespace is open', () => {
    const ask = 'set_option pp.fullNames true in #print axioms _root_.';
    expect(axiomCommands(['a', 'B.«c d»', "x'.y₀"])).toBe(`${ask}a\n${ask}B.«c d»\n${ask}x'.y₀\n`);
    expect(axiomCommands([])).toBe('');
  });

  it.each(['a b', 'a\n#eval 1', '«a\nb»', '', 'a.{u}'])('does not write %j into a document', (name) => {
    expect(axiomCommands([name, 't'])).toMatch(/^--\n.* _root_\.t\n$/);
  });
});

describe('axiomsOf', () => {
  it('counts no message that has the place of the whole command', () => {
    const forged = diagnostic(3, "'t' does not depend on any axioms", [
      [5, 32],
      [5, 54],
    ]);
    expect(answer(forged)).toEqual({ name: 't', axioms: null, answered: false });
  });

  it.each([
    ["'t' does not depend on any axioms", []],
    ['`t` does not depend on any axioms', []],
    ["'t' depends on axioms: [propext]", ['propext']],
    ["'t' depends on axioms: [propext, Classical.choice, Quot.sound]", ['propext', 'Classical.choice', 'Quot.sound']],
    [
      "'t' depends on axioms: [propext,\n Classical.choice,\n Quot.sound]\n",
      ['propext', 'Classical.choice', 'Quot.sound'],
    ],
    ["'A.t' depends on axioms:\n  [sorryAx]", ['sorryAx']],
    ['`t` depends on axioms: [_root_.sorryAx.{u, v}]', ['sorryAx']],
    ["'t'' depends on axioms: [a'.b]", ["a'.b"]],
    ["'«a' does not depend on any axioms»' depends on axioms: [sorryAx]", ['sorryAx']],
    ["'t' depends on axioms: [«a, b».c, d]", ['«a, b».c', 'd']],
  ])('reads %j', (message, axioms) => {
    expect(answer(on(5, message))).toEqual({ name: 't', axioms, answered: true });
  });

  it.each([
    ['an unknown constant', [on(5, "unknown constant '_root_.t'", 1)], true],
    ['an error without a severity', [on(5, "'t' does not depend on any axioms", 'none')], true],
    ['nothing', [], false],
    ['only other lines', [on(4, "'t' depends on axioms: [a]"), on(6, "'t' depends on axioms: [b]")], false],
    ['a text that cannot be read', [on(5, "'t' rests upon [a]")], false],
    ['a text that lacks the name', [on(5, 'does not depend on any axioms')], false],
    ['more behind the answer', [on(5, "'t' does not depend on any axioms but one")], false],
    ['a mere warning', [on(5, "'t' does not depend on any axioms", 2)], false],
  ])('reads no axioms from %s', (_, diagnostics, answered) => {
    expect(answer(...diagnostics)).toEqual({ name: 't', axioms: null, answered });
  });

  it('joins several answers and ignores other messages', () => {
    const found = answer(
      on(5, 'linter says', 2),
      on(5, "'t' depends on axioms: [a, b]"),
      on(5, "'_private.t' depends on axioms: [b, c]"),
    );
    expect(found).toEqual({ name: 't', axioms: ['a', 'b', 'c'], answered: true });
  });

  it('gives each name its own line', () => {
    const diagnostics = [on(7, "'c' depends on axioms: [x]"), on(5, "'a' does not depend on any axioms")];
    expect(axiomsOf(diagnostics, 5, ['a', 'b', 'c']).map(({ axioms }) => axioms)).toEqual([[], null, ['x']]);
  });
});
