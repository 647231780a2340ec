import { describe, expect, it } from 'vitest';
import { parseHeader } from '../../../../src/languages/lean/text/header.ts';
import { importProblem } from '../../../../src/languages/lean/text/importPolicy.ts';

function problem(code: string, allowed: string[], blocked: string[]): string | null {
  const found = importProblem(parseHeader(code).imports, { allowed, blocked });
  return found && `${found.list}: ${found.import.name}`;
}

describe('importProblem', () => {
  it.each([
    ['import A', [], [], null],
    ['', ['A'], ['B'], null],
    ['import Mathlib.Data.Nat.Basic', ['Mathlib'], [], null],
    ['import Mathlib', ['Mathlib'], [], null],
    ['import MathlibExtra', ['Mathlib'], [], 'allowed: MathlibExtra'],
    ['import Mathlib', ['Mathlib.Data'], [], 'allowed: Mathlib'],
    ['import A import B import C', ['A', 'C'], [], 'allowed: B'],
    ['import Lean.Elab', [], ['Lean'], 'blocked: Lean.Elab'],
    ['import Leany', [], ['Lean'], null],
    ['import Lean.Elab', ['Lean'], ['Lean.Elab'], 'blocked: Lean.Elab'],
    ['import Lean.Data', ['Lean'], ['Lean.Elab'], null],
    ['import «Lean».Elab', [], ['Lean'], 'blocked: «Lean».Elab'],
    ['import Lean', [], ['«Lean»'], 'blocked: Lean'],
    ['import «Lean/Elab»', [], ['Lean'], 'blocked: «Lean/Elab»'],
    ['import «Lean.x»', [], ['Lean'], 'blocked: «Lean.x»'],
    ['import A.«../Lean»', ['A'], [], 'allowed: A.«../Lean»'],
    ['import A', ['not a name'], [], 'allowed: A'],
    ['public meta import all B', [], ['B'], 'blocked: B'],
  ])('returns for %j with allowed %j and blocked %j: %j', (code, allowed, blocked, expected) => {
    expect(problem(code, allowed, blocked)).toBe(expected);
  });
});
