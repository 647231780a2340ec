import { describe, expect, it } from 'vitest';
import { slices } from '../../src/base/slices.ts';
import { parseMessage } from '../../src/mcp/parseMessage.ts';

const parse = (text: string) => slices.run(parseMessage(Buffer.from(text)));

const BIG = 'x'.repeat(70_000);
const ODD = '\\u00e9\\"\\\\é😀\\ud83d\\ude00\\n'.repeat(20_000);
const MANY = Array.from({ length: 8_000 }, (_, n) => `${n},"${n}",[${n}],{}`).join(', ');
/** Four levels down, where there may be many. */
const MEMBERS = Array.from({ length: 9_000 }, (_, n) => `"k${n}" : [${n}, "\\u0041"]`).join(' , ');

describe('a message', () => {
  it.each([
    ['of nothing much', '{"a":[1,{"b":null}],"c":"\\u00e9"}'],
    ['that is a number', ' 7 '],
    ['with a long text', `{"a":"${BIG}","b":1}`],
    ['with a long text of every kind', `{"a":"${ODD}","b":["${ODD}" , "${ODD}"]}`],
    ['with a long name', `{"${BIG}":1,"b":"${BIG}"}`],
    ['with a long list', `[${MANY}]`],
    ['with long lists in lists', `[[[${MANY}],1],[ ],2]`],
    ['with many members', `[[[{"a":{${MEMBERS}},"b":"${BIG}","c":0}]]]`],
    ['with members of one name', `{"a":"${BIG}","a":2,"b":1,"b":"${BIG}"}`],
    ['with names like an object’s own machinery', `{"__proto__":"${BIG}","x":{"__proto__":[1],"y":"${BIG}"}}`],
    ['of white space', `{"a":[${' '.repeat(100_000)}],"b":{${'\n'.repeat(100_000)}}}`],
    ['of 500 levels, all of them large', `${'['.repeat(500)}"${BIG}"${']'.repeat(500)}`],
    ['with numbers without end', `[${'9'.repeat(70_000)},-0,1e999,"${BIG}"]`],
  ])('is read as JSON’s own parser reads it: %s', async (_, text) => {
    const parsed = await parse(text);
    if (parsed.kind === 'invalid') throw new Error(parsed.reason);
    expect(JSON.stringify(parsed.value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.getPrototypeOf(parsed.value)).toBe(Object.getPrototypeOf(JSON.parse(text)));
  });

  it.each(
    [
      [
        '',
        '""',
        '"',
        '{',
        '[',
        ']',
        '1 2',
        '1,2',
        '[1,]',
        '[,1]',
        '{"a":1,}',
        '{"a"}',
        '{1:2}',
        '["a":1]',
        '[1}',
        '{"a":[}]',
      ],
      [`"${BIG}`, `["${BIG}",]`, `[,"${BIG}"]`, `["${BIG}" 1]`, `[1 "${BIG}"]`, `{"${BIG}"}`, `{"a" "${BIG}"}`],
      [
        `{"a":1 "${BIG}"}`,
        `{"a":,"b":"${BIG}"}`,
        `{"a":"${BIG}"]`,
        `["\\u12${BIG}"]`,
        `["${BIG}\n"]`,
        `[${MANY},,${MANY}]`,
      ],
      [
        `[${MANY}],[${MANY}]`,
        `[[[{${MEMBERS},,${MEMBERS}}]]]`,
        `["a":"${BIG}"]`,
        `{"a":1,"b":2:"${BIG}"}`,
        `"${BIG}"x`,
        `x"${BIG}"`,
      ],
    ]
      .flat()
      .map((text) => [text.length > 40 ? `${text.slice(0, 20)}…${text.slice(-20)}` : text, text] as const),
  )('is refused as JSON’s own parser refuses it: %s', async (_, text) => {
    const isJson = (() => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    })();
    expect((await parse(text)).kind).toBe(isJson ? 'json' : 'invalid');
  });

  it('has at most 500 levels', async () => {
    expect(await parse(`${'['.repeat(500)}${']'.repeat(500)}`)).toMatchObject({ kind: 'json' });
    expect(await parse('['.repeat(501))).toEqual({ kind: 'invalid', reason: 'It has more than 500 levels.' });
  });

  it('has at most 120000 values, and the error for more names the limit', async () => {
    const call = (state: string) => `{"id":1,"params":{"arguments":{"code":"1","state":{"x":[${state}]}}}}`;
    expect(await parse(call(Array(100_000).fill('1').join()))).toMatchObject({ kind: 'json' });
    const reason = expect.stringMatching(/^It has more than 120000 values, .*in params\.arguments\.state /);
    expect(await parse(call(Array(120_000).fill('[]').join()))).toEqual({ kind: 'invalid', reason });
    expect(await parse(call(Array(40_000).fill('{"a":1}').join()))).toEqual({ kind: 'invalid', reason });
  });

  it('has at most 1000 members in its first levels', async () => {
    const call = (count: number) =>
      `{"params":{"arguments":{${Array.from({ length: count }, (_, n) => `"k${n}":{"a":1,"b":2}`).join()}}}}`;
    expect(await parse(call(998))).toMatchObject({ kind: 'json' });
    expect(await parse(call(999))).toEqual({
      kind: 'invalid',
      reason: 'It has more than 1000 members in its first 3 levels.',
    });
  });

  it('that is broken at any byte is rejected like by JSON.parse', async () => {
    const text = `{"a":["${BIG}",{"b":[${'1,'.repeat(40_000)}2]}],"c":"é"}`;
    for (const at of [1, 4, 5, 6, 7, 100, 70_007, 70_008, 70_009, 70_010, 70_014, 90_000, text.length - 1]) {
      for (const bad of [',', '"', '}', ']', ':', '\\', '']) {
        const broken = `${text.slice(0, at)}${bad}${text.slice(at + 1)}`;
        let own = 'json';
        try {
          JSON.parse(broken);
        } catch {
          own = 'invalid';
        }
        expect([at, bad, (await parse(broken)).kind]).toEqual([at, bad, own]);
      }
    }
  });
});
