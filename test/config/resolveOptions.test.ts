import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/config/resolveOptions.ts';
import { DEFAULT_OPTIONS, OPTION_KEYS } from '../../src/engine/options.ts';

describe('resolveOptions', () => {
  it('returns the defaults without values', () => {
    expect(resolveOptions([])).toEqual({ options: DEFAULT_OPTIONS, problems: [] });
    expect(resolveOptions([{ name: 'empty', values: { pool: null } }]).problems).toEqual([]);
  });

  it('takes the value of the strongest source, nested or dotted', () => {
    const { options, problems } = resolveOptions([
      { name: 'a', values: { 'pool.size': 4 } },
      { name: 'b', values: { pool: { size: 8, reuse: 'never' }, limits: { cpus: 0.5 } } },
    ]);
    expect(problems).toEqual([]);
    expect(options.pool).toEqual({ ...DEFAULT_OPTIONS.pool, size: 4, reuse: 'never' });
    expect(options.limits.cpus).toBe(0.5);
  });

  it('converts text to the type of its option', () => {
    const values = {
      'pool.size': ' 4 ',
      'packages.build': 'FALSE',
      'python.preload': 'numpy, pandas',
      'docker.host': '1',
    };
    const { options, problems } = resolveOptions([{ name: 'text', values, text: true }]);
    expect(problems).toEqual([]);
    expect([options.pool.size, options.packages.build, options.docker.host]).toEqual([4, false, '1']);
    expect(options.python.preload).toEqual(['numpy', 'pandas']);
    expect(
      resolveOptions([{ name: 'x', values: { 'python.preload': '' }, text: true }]).options.python.preload,
    ).toEqual([]);
  });

  it('ignores an invalid value and reports it', () => {
    const { options, problems } = resolveOptions([
      { name: 'HOTHOUSE_POOL_SIZE', values: { 'pool.size': 'many' }, text: true },
      { name: 'config.yaml', values: { pool: { size: 3, reuse: 'always' }, limits: { cpus: '2' } } },
    ]);
    expect(options.pool).toEqual({ ...DEFAULT_OPTIONS.pool, size: 3 });
    expect(problems.map(({ message }) => message)).toEqual([
      'limits.cpus is "2" in config.yaml, but must be a number from 0.1 to 256; 1 is used, the default.',
      'pool.size is "many" in HOTHOUSE_POOL_SIZE, but must be a whole number from 1 to 256; 3 is used, from config.yaml.',
      'pool.reuse is "always" in config.yaml, but must be "reset" or "never"; "reset" is used, the default.',
    ]);
  });

  it('ignores unknown keys and lists the known ones', () => {
    const { options, problems } = resolveOptions([
      { name: 'f', values: { sessions: { maximum: 1 }, docker: 4, toString: 1 } },
      { name: 'g', values: [1] },
    ]);
    expect(options).toEqual(DEFAULT_OPTIONS);
    const groups = Object.keys(DEFAULT_OPTIONS)
      .map((group) => `${group}.*`)
      .join(', ');
    expect(problems.map(({ message }) => message)).toEqual([
      'sessions.maximum in f is not an option and was ignored; there are sessions.max, sessions.keepSeconds.',
      'docker in f is not an option and was ignored; there are docker.host, docker.baseImage, docker.runtime.',
      `toString in f is not an option and was ignored; there are ${groups}.`,
      `The content in g is not an option and was ignored; there are ${groups}.`,
    ]);
  });

  it('knows every option of the schema with its default', () => {
    const fromKeys: Record<string, Record<string, unknown>> = {};
    for (const { group, name, fallback } of OPTION_KEYS) fromKeys[group] = { ...fromKeys[group], [name]: fallback };
    expect(fromKeys).toEqual(DEFAULT_OPTIONS);
  });
});
