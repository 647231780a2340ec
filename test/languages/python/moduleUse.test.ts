import { describe, expect, it } from 'vitest';
import { ModuleUse } from '../../../src/languages/python/moduleUse.ts';

const LISTED = ['numpy', 'pandas', 'matplotlib.pyplot', 'IPython'];

function useOf(runs: number, needed: readonly string[] | null, use = new ModuleUse(), owner?: string): ModuleUse {
  for (let run = 0; run < runs; run += 1) use.note(needed && new Set(needed), LISTED, owner);
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

  it('wants for an owner what its own runs need, and for a sandbox without one what anyone needs', () => {
    const use = useOf(200, ['pandas'], useOf(200, [], new ModuleUse(), 'plain'), 'tables');
    expect(use.wanted(LISTED, 'plain')).toEqual([]);
    expect(use.wanted(LISTED, 'tables')).toEqual(['pandas']);
    expect(use.wanted(LISTED)).toEqual(['pandas']);
  });

  it('wants for an owner with few runs what anyone needs', () => {
    const use = useOf(199, [], useOf(200, ['numpy'], new ModuleUse(), 'tables'), 'new');
    expect(use.wanted(LISTED, 'new')).toEqual(['numpy']);
    expect(useOf(1, [], use, 'new').wanted(LISTED, 'new')).toEqual([]);
  });

  it('forgets the owner that has run nothing for longest', () => {
    const use = useOf(200, [], new ModuleUse(), 'old');
    for (let other = 0; other < 100; other += 1) useOf(1, ['numpy'], use, `other ${other}`);
    expect(use.wanted(LISTED, 'old')).toEqual(['numpy']);
  });
});
