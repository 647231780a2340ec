import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { LANGUAGE_FACTS } from '../../src/languages/facts.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';

const source = path.resolve(import.meta.dirname, '../../src');

/** The files outside `languages` that may name a language, and why. */
const NAMING: Readonly<Record<string, string>> = {
  'cli/globalOptions.ts': '--image is short for the image of one language',
  'config/dockerMcp.ts': 'the older servers and their settings are named after their languages',
};

/** Code without its comments. */
function codeOf(file: string): string {
  const text = readFileSync(path.join(source, file), 'utf8');
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

it('no file outside the languages folder names a language, but for those with a reason', () => {
  const naming = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('languages/'))
    .filter((file) => LANGUAGES.some(({ id }) => new RegExp(`\\b${id}\\b`, 'i').test(codeOf(file))));
  expect(naming.sort()).toEqual(Object.keys(NAMING).sort());
});

it('the facts that editors read list the languages of the registry in the same order', () => {
  expect(LANGUAGE_FACTS.map(({ id, displayName }) => [id, displayName])).toEqual(
    LANGUAGES.map(({ id, displayName }) => [id, displayName]),
  );
});
