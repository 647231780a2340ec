import { describe, expect, it } from 'vitest';
import {
  MAX_ENTRIES,
  MAX_TEXT_BYTES,
  type ParsedJson,
  parseJson,
} from '../../../../src/languages/lean/lsp/messageJson.ts';

function parsed(text: string | Buffer): ParsedJson {
  const steps = parseJson(Buffer.from(text));
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Long enough for JSON that is parsed in steps. */
const LARGE = 'x'.repeat(70_000);
const TEXTS = [
  '',
  'plain',
  'é∀😀\u{10ffff}',
  '"\\\b\f\n\r\t\0\u001f\u007f\u2028',
  '\ud83d',
  '\\u0041',
  '{"a":[1]}',
  '__proto__',
];

describe('parseJson', () => {
  it.each([
    ['nothing but a text', LARGE],
    ['texts of every kind', { LARGE, TEXTS, nested: TEXTS.map((text) => ({ [`${text}.`]: [text] })) }],
    ['numbers and words', { LARGE, of: [0, -1, 1.5, 1e300, -2e-9, 123456789012345, true, false, null, [], {}, [[]]] }],
    ['many entries', Array.from({ length: 20_000 }, (_, line) => ({ line, message: `${line}`, start: { line } }))],
    ['large entries among small ones', [{ a: LARGE }, { b: 1 }, { c: [LARGE, { d: LARGE }] }, 'e', LARGE]],
    ['escapes', [0, 1, 2, 3, 4, 5, 6, 7].map((lead) => '.'.repeat(lead) + '\n"\\😀é\u0001'.repeat(30_000))],
  ])('returns what JSON.parse returns: %s', (_, value) => {
    const json = JSON.stringify(value);
    const { value: read, cut } = parsed(json);
    expect({ cut, isSame: JSON.stringify(read) === json }).toEqual({ cut: false, isSame: true });
  });

  it('accepts any depth', () => {
    const depth = 100_000;
    let { value: at } = parsed('[{"a":'.repeat(depth) + '}]'.repeat(depth).replace('}', '0}'));
    for (let level = 0; level < depth; level += 1) at = (at as [{ a: unknown }])[0].a;
    expect(at).toBe(0);
  });

  it('accepts white space everywhere', () => {
    const value = { a: [1, { b: LARGE }], c: {} };
    expect(parsed(JSON.stringify(value, null, '\t\r ')).value).toEqual(value);
  });

  it('keeps the start of a text that is too long', () => {
    for (const unit of ['x', 'é', '😀', '\n', '\\', '"', '\u0001', 'ab\n']) {
      const bytes = Buffer.byteLength(JSON.stringify(unit)) - 2;
      const text = unit.repeat(MAX_TEXT_BYTES / bytes + 1);
      const { value, cut } = parsed(JSON.stringify({ before: 1, text, after: 2 }));
      const { text: kept, ...others } = value as { text: string };
      expect({ cut, others }).toEqual({ cut: true, others: { before: 1, after: 2 } });
      expect(text.startsWith(kept)).toBe(true);
      expect(kept.length).toBeGreaterThan(MAX_TEXT_BYTES / 7);
      expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(MAX_TEXT_BYTES + 2);
    }
  });

  it.each(['diagnostics', 'items'])('keeps the start of a list of %s that is too long', (key) => {
    const entry = { LARGE: LARGE.slice(0, 40), list: [[1], { a: '\\"]}' }] };
    const of = (count: number) => ({ before: [1], [key]: Array(count).fill(entry), after: { [key]: [2] } });
    const whole = parsed(JSON.stringify(of(MAX_ENTRIES)));
    expect(whole).toEqual({ value: of(MAX_ENTRIES), cut: false });
    for (const more of [1, 5_000]) {
      const { value, cut } = parsed(JSON.stringify(of(MAX_ENTRIES + more)));
      expect({ cut, value }).toEqual({ cut: true, value: of(MAX_ENTRIES) });
    }
  });

  it('keeps every other list, and a list in its entries, whole', () => {
    const value = { children: Array(MAX_ENTRIES + 1).fill(1), items: [Array(MAX_ENTRIES + 1).fill({ a: 'b' })] };
    expect(parsed(JSON.stringify(value))).toEqual({ value, cut: false });
  });

  it.each([
    ['an open list that is too long', `{"items":[${'1,'.repeat(70_000)}1`],
    ['an open text in a list that is too long', `{"items":[${'1,'.repeat(70_000)}"`],
    ['the wrong end of a list that is too long', `{"items":[${'1,'.repeat(70_000)}1}`],
    ['an open text', `["${LARGE}`],
    ['an open array', `["${LARGE}"`],
    ['an open object', `{"a":"${LARGE}"`],
    ['a comma too many', `["${LARGE}",]`],
    ['a comma too few', `["${LARGE}" 1]`],
    ['a wrong end', `["${LARGE}"}`],
    ['no value', `{"${LARGE}":}`],
    ['no key', `{1:"${LARGE}"}`],
    ['no colon', `{"a" "${LARGE}"}`],
    ['two values', `"${LARGE}" 1`],
    ['a word', `["${LARGE}",nul]`],
    ['a control character', `["${LARGE}\n"]`],
    ['a wrong escape', `["${LARGE}\\x"]`],
    ['an empty text', ' '.repeat(70_000)],
  ])('refuses %s', (_, json) => {
    expect(() => parsed(json)).toThrow(SyntaxError);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => parsed(Buffer.concat([Buffer.from(`["${LARGE}`), Buffer.of(0xff), Buffer.from('"]')]))).toThrow(
      TypeError,
    );
  });
});
