import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { LANGUAGE_FACTS } from '../../src/languages/facts.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';

const source = path.resolve(import.meta.dirname, '../../src');

/** Code without its comments. */
function codeOf(file: string): string {
  const text = readFileSync(path.join(source, file), 'utf8');
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

/**
 * Whether the text names a language, as a word or as a part of an identifier; `python3` is a program. The id of one letter,
 * and `node`, which is also what trees have and how names of modules begin, count as a whole text, a property and a part of
 * a path or an image's name.
 */
function namesLanguage(text: string): boolean {
  return LANGUAGES.some(({ id }) => {
    if (id.length === 1 || id === 'node') {
      // As in `options.node`, `options?.r` and `{ node: … }`; rows of a tree have nodes.
      const holder = id === 'node' ? 'options' : '\\w';
      const property = `${holder}\\??\\.${id}(?![\\w$])|\\{\\s*${id}\\s*:`;
      return new RegExp(`['"\`]${id}['"\`]|(?:languages|hothouse|drivers)/${id}\\b|${property}`).test(text);
    }
    const capitalized = id.charAt(0).toUpperCase() + id.slice(1);
    const inText = `(?<![A-Za-z])(?:${id}|${id.toUpperCase()})(?![a-z0-9])|${capitalized}(?![a-z0-9])`;
    return new RegExp(inText).test(text);
  });
}

/** Older servers, each with tools of its own languages. */
const PROFILES = 'mcp/profiles/';

it('no file outside the languages folder names a language, except stand-ins for older servers', () => {
  const naming = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('languages/') && !file.startsWith(PROFILES))
    .filter((file) => namesLanguage(file) || namesLanguage(codeOf(file)));
  expect(naming).toEqual([]);
});

it('names of languages are found in words and identifiers', () => {
  const naming = [
    "'r'",
    '{ node: 1 }',
    'options.node.image',
    "'../languages/r/facts.ts'",
    'hothouse/node:latest',
    "'python'",
    'leanTask',
    'openLean',
    'hothouse-lean',
    'PYTHON',
  ];
  const others = [
    "from 'node:fs'",
    '\\r',
    'for (const node of nodes)',
    'node.next',
    'python3',
    'clean',
    'boolean',
    'isClean',
    'Leaning',
  ];
  expect([naming.filter(namesLanguage), others.filter(namesLanguage)]).toEqual([naming, []]);
});

it('the facts that editors read list the languages of the registry in the same order', () => {
  expect(LANGUAGE_FACTS.map(({ id, displayName }) => [id, displayName])).toEqual(
    LANGUAGES.map(({ id, displayName }) => [id, displayName]),
  );
});
