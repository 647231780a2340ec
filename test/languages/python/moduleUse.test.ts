import { describe, expect, it } from 'vitest';
import { ModuleUse } from '../../../src/languages/python/moduleUse.ts';

const LISTED = ['numpy', 'pandas', 'matplotlib.pyplot', 'IPython'];

function useOf(runs: number, needed: readonly string[] | null, use = new ModuleUse()): ModuleUse {
  for (let run = 0; run < runs; run += 1) use.note(needed && new Set(needed), LISTED);
  return use;
}

describe('ModuleUse', () => {
  it('wants every module until it has seen enough runs', () => {
    expect(useOf(0, []).wanted(LISTED)).toEqual(LISTED);
    expect(useOf(199, []).wanted(LISTED)).toEqual(LISTED);
  });

  it('wants no module that the last runs did not need', () => {
    expect(useOf(200, []).wanted(LISTED)).toEqual([]);
    expect(useOf(200, ['matplotlib', 'numpy']).wanted(LISTED)).toEqual(['numpy', 'matplotlib.pyplot']);
  });

  it('wants a module again as soon as a run needs it', () => {
    expect(useOf(1, ['pandas'], useOf(500, [])).wanted(LISTED)).toEqual(['pandas']);
  });

  it.each([[['seaborn']], [null]])('wants every module after a run that needs %j, which may import any', (needed) => {
    expect(useOf(1, needed, useOf(500, [])).wanted(LISTED)).toEqual(LISTED);
    expect(useOf(200, [], useOf(1, needed)).wanted(LISTED)).toEqual([]);
  });
});
