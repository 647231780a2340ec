import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadConfiguration, variableOf } from '../../src/config/config.ts';
import { DEFAULT_OPTIONS } from '../../src/engine/options.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'hothouse-config-'));
});

async function file(name: string, text: string): Promise<string> {
  const path = join(home, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

function load(env: Record<string, string> = {}, flags: Record<string, string> = {}) {
  return loadConfiguration({ flags, env, home });
}

describe('loadConfiguration', () => {
  it('returns the defaults on a machine without configuration', async () => {
    expect(await load({ PATH: '/bin' })).toEqual({ options: DEFAULT_OPTIONS, files: [], problems: [], notes: [] });
  });

  it('prefers the command line, then variables, then YAML, then python-docker-mcp', async () => {
    const ours = await file('.hothouse/config.yaml', 'pool: {size: 3, maxAgeSeconds: 30}\nlimits: {cpus: 3}');
    const theirs = await file('.python-docker-mcp/config.yaml', 'docker: {pool_size: 4, cpu_limit: 4, timeout: 44}');
    const env = { HOTHOUSE_POOL_SIZE: '2', HOTHOUSE_POOL_MAX_AGE_SECONDS: '20', PYTHON_DOCKER_MCP_CPU_LIMIT: '0.4' };
    const { options, files, problems } = await load(env, { 'pool.size': '1' });
    expect(problems).toEqual([]);
    expect(files).toEqual([ours, theirs]);
    expect(options.pool).toMatchObject({ size: 1, maxAgeSeconds: 20 });
    expect(options.limits).toMatchObject({ cpus: 3, timeoutSeconds: 44 });
  });

  it('puts the editor’s settings between command line and variables', async () => {
    const settings = { name: 'the settings', values: { 'pool.size': 7, 'limits.cpus': 7 } };
    const env = { HOTHOUSE_POOL_SIZE: '2', HOTHOUSE_LIMITS_CPUS: '2', HOTHOUSE_LIMITS_PIDS: '200' };
    const { options } = await loadConfiguration({ flags: { 'limits.cpus': '1' }, settings, env, home });
    expect(options.pool.size).toBe(7);
    expect(options.limits).toMatchObject({ cpus: 1, pids: 200 });
  });

  it('treats an empty variable as not set', async () => {
    const env = { HOTHOUSE_POOL_SIZE: '', HOTHOUSE_PYTHON_PRELOAD: ' ', HOTHOUSE_CONFIG: '', HOTHOUSE_NOTHING: '' };
    const theirs = { PYTHON_DOCKER_MCP_POOL_SIZE: '', PYTHON_DOCKER_MCP_POOL_ENABLED: '', LEAN_DOCKER_MCP_TIMEOUT: '' };
    expect(await load({ ...env, ...theirs })).toEqual({
      options: DEFAULT_OPTIONS,
      files: [],
      problems: [],
      notes: [],
    });
  });

  it('ignores a file that is invalid or missing, and reports it', async () => {
    const path = await file('broken.yaml', 'pool:\n  size: [1\nlimits: 2');
    const broken = await load({ HOTHOUSE_CONFIG: path });
    expect(broken.options).toEqual(DEFAULT_OPTIONS);
    expect(broken.problems).toEqual([
      expect.stringMatching(/broken\.yaml was ignored: it is not valid YAML, line \d \(/),
    ]);
    const missing = await load({ HOTHOUSE_CONFIG: '/nowhere.yaml' });
    expect(missing.problems).toEqual(['/nowhere.yaml, named by HOTHOUSE_CONFIG, does not exist.']);
  });

  it('reports an unknown variable', async () => {
    const { problems } = await load({ HOTHOUSE_POOLSIZE: '4' });
    expect(problems[0]).toMatch(
      /^HOTHOUSE_POOLSIZE is not a variable of Hothouse and was ignored; there are HOTHOUSE_HOST_KIND, HOTHOUSE_DOCKER_HOST, /,
    );
    expect(variableOf('limits.memoryMb')).toBe('HOTHOUSE_LIMITS_MEMORY_MB');
  });
});
