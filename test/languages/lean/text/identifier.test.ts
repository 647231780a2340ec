import { describe, expect, it } from 'vitest';
import { identifierEnd, nameParts } from '../../../../src/languages/lean/text/identifier.ts';

describe('identifierEnd', () => {
  it.each([
    ['foo bar', 'foo'],
    ['foo.bar+1', 'foo.bar'],
    ['foo. bar', 'foo'],
    ['foo..bar', 'foo'],
    ['foo.1', 'foo'],
    ["h₁'.trans!?x-", "h₁'.trans!?x"],
    ['αβ₀γ→', 'αβ₀γ'],
    ['λx', ''],
    ['Πx', ''],
    ['αλ', 'α'],
    ['ℕ𝔸x', 'ℕ𝔸x'],
    ['_root_.a', '_root_.a'],
    ['«a b».c', '«a b».c'],
    ['«open', ''],
    ['a«b»', 'a'],
    ['1a', ''],
    ["'a", ''],
    ['', ''],
  ])('finds in %j the identifier %j', (code, name) => {
    expect(code.slice(0, identifierEnd(code, 0))).toBe(name);
  });
});

describe('nameParts', () => {
  it.each([
    ['Mathlib.Data.Nat', ['Mathlib', 'Data', 'Nat']],
    ['«Mathlib».«a.b»', ['Mathlib', 'a.b']],
    ['«»', ['']],
    ['', null],
    ['a.', null],
    ['a b', null],
  ])('splits %j into %j', (text, parts) => {
    expect(nameParts(text)).toEqual(parts);
  });
});
