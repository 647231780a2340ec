import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { BASH } from '../../src/languages/bash/facts.ts';
import { LANGUAGE_FACTS } from '../../src/languages/facts.ts';
import { NODE } from '../../src/languages/node/facts.ts';

const PATH = `/workspace/it's "here"; $HOME\\n`;

describe('code that enters a folder', () => {
  it('is known for each language whose sessions have a working folder', () => {
    const without = LANGUAGE_FACTS.filter(({ editor }) => !editor.enterFolder && !editor.hasPlaces);
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it('takes every path literally', () => {
    const bash = `cd() { printf %s "$2"; }; ${BASH.editor.enterFolder?.(PATH)}`;
    expect(execFileSync('bash', ['-c', bash]).toString()).toBe(PATH);
    const node = `globalThis[Symbol.for('hothouse.enter')] = (path) => process.stdout.write(path); ${NODE.editor.enterFolder?.(PATH)}`;
    expect(execFileSync(process.execPath, ['-e', node]).toString()).toBe(PATH);
  });
});
