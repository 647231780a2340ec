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

describe('the configuration', () => {
  it('is the defaults on a machine that has none', async () => {
    expect(await load({ PATH: '/bin' })).toEqual({ options: DEFAULT_OPTIONS, files: [], problems: [] });
  });

  it('is command line, then variables, then YAML, then python-docker-mcp', async () => {
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

  it('understands all of python-docker-mcp that has a counterpart, and names the rest', async () => {
    const path = await file(
      'theirs.yaml',
      [
        'docker:',
        '  image: my/python',
        '  working_dir: /app',
        '  memory_limit: 1g',
        '  network_disabled: false',
        '  read_only: false',
        '  pool_enabled: false',
        '  pool_max_age: 60',
        '  max_concurrent_creations: 7',
        '  constructor: 1',
        'blocked_modules: [os]',
      ].join('\n'),
    );
    const { options, problems } = await load({
      PYTHON_DOCKER_MCP_CONFIG: path,
      PYTHON_DOCKER_MCP_MEMORY_LIMIT: '300 apples',
    });
    expect(options.python.image).toBe('my/python');
    expect(options.limits).toMatchObject({ memoryMb: 1024, network: true, readOnly: false });
    expect(options.pool).toMatchObject({ reuse: 'never', maxAgeSeconds: 60, maxConcurrentCreations: 7 });
    expect(problems).toEqual([
      `docker.working_dir in ${path} has no counterpart here and was passed over.`,
      `docker.constructor in ${path} has no counterpart here and was passed over.`,
      `blocked_modules in ${path} has no counterpart here and was passed over.`,
      `limits.memoryMb is "300 apples" in PYTHON_DOCKER_MCP_MEMORY_LIMIT, but must be a whole number from 64 to 1048576; 1024 is used, from docker.memory_limit in ${path}.`,
    ]);
  });

  it('understands lean-docker-mcp too: Lean’s own where there is a place for it, the rest weaker than python-docker-mcp', async () => {
    const path = await file(
      '.lean-docker-mcp/config.yaml',
      [
        'docker: {image: my/lean, working_dir: /home/lean, memory_limit: 256m, timeout: 44, pool_size: 9}',
        'lean: {allowed_imports: [Lean, Mathlib], blocked_imports: [Lean.Elab], theorem: 1}',
      ].join('\n'),
    );
    const theirs = await file('.python-docker-mcp/config.yaml', 'docker: {pool_size: 4, memory_limit: 100m}');
    const { options, files, problems } = await load({ LEAN_DOCKER_MCP_CPU_LIMIT: '0.5', LEAN_DOCKER_MCP_SPEED: '1' });
    expect(files).toEqual([theirs, path]);
    expect(options.lean).toMatchObject({
      image: 'my/lean',
      memoryMb: 256,
      cpus: 0.5,
      allowedImports: ['Lean', 'Mathlib'],
      blockedImports: ['Lean.Elab'],
    });
    expect(options.limits).toMatchObject({ memoryMb: 100, cpus: 1, timeoutSeconds: 44 });
    expect([options.pool.size, options.python.image]).toEqual([4, DEFAULT_OPTIONS.python.image]);
    expect(problems).toEqual([
      'LEAN_DOCKER_MCP_SPEED has no counterpart here and was passed over.',
      `docker.working_dir in ${path} has no counterpart here and was passed over.`,
      `lean.theorem in ${path} has no counterpart here and was passed over.`,
    ]);
    const elsewhere = await file('other.yaml', 'docker: {memory_limit: 1g}');
    expect((await load({ LEAN_DOCKER_MCP_CONFIG: elsewhere })).options.lean.memoryMb).toBe(1024);
  });

  it('goes on without a file that is broken or missing, and says so', async () => {
    const path = await file('broken.yaml', 'pool:\n  size: [1\nlimits: 2');
    const broken = await load({ HOTHOUSE_CONFIG: path });
    expect(broken.options).toEqual(DEFAULT_OPTIONS);
    expect(broken.problems).toEqual([
      expect.stringMatching(/broken\.yaml was passed over: it is not YAML, line \d \(/),
    ]);
    const missing = await load({ HOTHOUSE_CONFIG: '/nowhere.yaml' });
    expect(missing.problems).toEqual(['/nowhere.yaml, named by HOTHOUSE_CONFIG, does not exist.']);
  });

  it('names a variable that sets nothing', async () => {
    const { problems } = await load({ HOTHOUSE_POOLSIZE: '4' });
    expect(problems[0]).toMatch(
      /^HOTHOUSE_POOLSIZE sets no option and was passed over; there are HOTHOUSE_DOCKER_HOST, /,
    );
    expect(variableOf('limits.memoryMb')).toBe('HOTHOUSE_LIMITS_MEMORY_MB');
  });
});
