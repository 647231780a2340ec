import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/config.ts';
import { DEFAULT_OPTIONS } from '../../src/engine/options.ts';
import { LEAN_VARIABLES, PYTHON_VARIABLES, writeOlderConfiguration } from './olderServers.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'hothouse-config-'));
});

const load = (env: Record<string, string> = {}, flags = {}) => loadConfiguration({ flags, env, home });

async function file(name: string, text: string): Promise<string> {
  const path = join(home, name);
  await writeFile(path, text);
  return path;
}

/** The notes on a file of python-docker-mcp with this text. */
async function notesOn(text: string) {
  const path = await file('theirs.yaml', text);
  const { notes, problems, options } = await load({ PYTHON_DOCKER_MCP_CONFIG: path });
  return { notes: notes.map((note) => note.text.replace(path, 'FILE')), problems, options };
}

it('reads a file of theirs as PyYAML does: merged keys, the last of two equal keys, and numbers of YAML 1.1', async () => {
  const text = `
base: &base {pool_size: 3, network_disabled: no}
docker:
  <<: *base
  cpu_limit: 1
  cpu_limit: 0.5
  timeout: 1_0
`;
  const { problems, options } = await notesOn(text);
  expect(problems).toEqual([]);
  expect(options).toMatchObject({
    pool: { size: 3 },
    limits: { cpus: 0.5, timeoutSeconds: 10 },
    network: { policy: 'full' },
  });
});

it.each([
  ['is a text', 'hello', 'it is not a mapping of keys to values.'],
  ['is a list', '- docker', 'it is not a mapping of keys to values.'],
  ['is too large', `docker: {pool_size: 3}\n${'# comment\n'.repeat(30_000)}`, 'it has more than 262144 bytes.'],
  ['has an alias in what it names', 'docker: &docker {pool_size: *docker}', 'a value contains itself.'],
])('a file that %s is reported as ignored', async (_, text, why) => {
  const path = await file('odd.yaml', text);
  for (const variable of ['PYTHON_DOCKER_MCP_CONFIG', 'LEAN_DOCKER_MCP_CONFIG', 'HOTHOUSE_CONFIG']) {
    const { problems, options, files } = await load({ [variable]: path });
    expect([problems, options, files]).toEqual([[`${path} was ignored: ${why}`], DEFAULT_OPTIONS, []]);
  }
});

it.each(['utf-16le', 'utf-16be'])('reads a file in %s', async (encoding) => {
  const bytes = Buffer.from('\ufeffdocker: {pool_size: 3}\r\n', 'utf16le');
  const path = join(home, 'wide.yaml');
  await writeFile(path, encoding === 'utf-16be' ? bytes.swap16() : bytes);
  const { problems, options } = await load({ PYTHON_DOCKER_MCP_CONFIG: path });
  expect([problems, options.pool.size]).toEqual([[], 3]);
});

describe('the documented configuration of the older servers', () => {
  it('is applied except for images, and nothing in it is invalid', async () => {
    const { python, lean } = await writeOlderConfiguration(home);
    const { options, files, problems, notes } = await load({ ...PYTHON_VARIABLES, ...LEAN_VARIABLES });
    expect(problems).toEqual([]);
    expect(files).toEqual([python, lean]);
    expect(options).toEqual({
      ...DEFAULT_OPTIONS,
      limits: { ...DEFAULT_OPTIONS.limits, memoryMb: 256, cpus: 0.5 },
      packages: { ...DEFAULT_OPTIONS.packages, tool: 'uv' },
      pool: { ...DEFAULT_OPTIONS.pool, size: 32 },
      python: { ...DEFAULT_OPTIONS.python, allowedModules: ['math', 'datetime'], blockedModules: ['os', 'sys'] },
      lean: {
        ...DEFAULT_OPTIONS.lean,
        memoryMb: 256,
        cpus: 0.5,
        allowedImports: ['Lean', 'Init', 'Std', 'Mathlib'],
        blockedImports: ['System.IO.Process', 'System.FilePath'],
      },
    });
    const folder = 'is not supported and was ignored: code runs in /workspace.';
    expect(notes).toEqual([
      {
        important: true,
        text: `docker.image in ${python} is "python:3.12.2-slim", which is not used: python.image is "hothouse/python:latest".`,
      },
      { important: false, text: `docker.working_dir in ${python} ${folder}` },
      {
        important: true,
        text: `docker.image in ${lean} is "lean-docker-mcp:latest", which is not used: lean.image is "hothouse/lean:latest".`,
      },
      { important: false, text: `docker.working_dir in ${lean} ${folder}` },
      {
        important: false,
        text: `docker.read_only in ${lean} is not supported and was ignored: limits.readOnly is true.`,
      },
    ]);
  });

  it('names the image that our own options name', async () => {
    await writeOlderConfiguration(home);
    const { notes, options } = await load({ HOTHOUSE_PYTHON_IMAGE: 'my/python' }, { 'lean.image': 'my/lean' });
    expect([options.python.image, options.lean.image]).toEqual(['my/python', 'my/lean']);
    const images = notes.filter(({ text }) => text.includes('docker.image'));
    expect(images.map(({ text }) => /image is "([^"]+)"\.$/.exec(text)?.[1])).toEqual(['my/python', 'my/lean']);
  });
});

describe('profiles.useImage', () => {
  it('uses the images that the older configuration names, and notes nothing on them', async () => {
    await writeOlderConfiguration(home);
    const { options, notes, problems } = await load({ HOTHOUSE_PROFILES_USE_IMAGE: 'true' });
    expect([options.python.image, options.lean.image, problems]).toEqual([
      'python:3.12.2-slim',
      'lean-docker-mcp:latest',
      [],
    ]);
    expect(notes.filter(({ text }) => text.includes('docker.image'))).toEqual([]);
  });

  it('does not replace an image of our own options', async () => {
    const { python } = await writeOlderConfiguration(home);
    const { options, notes } = await load({ HOTHOUSE_PYTHON_IMAGE: 'my/python' }, { 'profiles.useImage': 'true' });
    expect([options.python.image, options.lean.image]).toEqual(['my/python', 'lean-docker-mcp:latest']);
    const images = notes.map(({ text }) => text).filter((text) => text.includes('docker.image'));
    expect(images).toEqual([
      `docker.image in ${python} is "python:3.12.2-slim", which is not used: python.image is "my/python".`,
    ]);
  });

  it('changes nothing for an empty image', async () => {
    const path = await file('theirs.yaml', 'docker: {image: ""}');
    const env = { PYTHON_DOCKER_MCP_CONFIG: path, HOTHOUSE_PROFILES_USE_IMAGE: 'true' };
    const { options, problems } = await load(env);
    expect([options.python.image, problems]).toEqual(['hothouse/python:latest', []]);
  });
});

describe('a changed configuration of the older servers', () => {
  it('is applied, also with network and without a pool', async () => {
    const { options, problems } = await notesOn(
      'docker: {memory_limit: 1g, network_disabled: false, pool_enabled: false, pool_max_age: 60, max_concurrent_creations: 7}',
    );
    expect(problems).toEqual([]);
    expect(options.limits).toMatchObject({ memoryMb: 1024, readOnly: true });
    expect(options.network.policy).toBe('full');
    expect(options.pool).toMatchObject({ reuse: 'never', maxAgeSeconds: 60, maxConcurrentCreations: 7 });
  });

  it.each(['1', 'true', 'True', 'TRUE', 'yes', 'YES', 'on'])('understands %s as yes', async (word) => {
    const { options } = await load({ PYTHON_DOCKER_MCP_POOL_ENABLED: word });
    expect(options.pool.reuse).toBe('reset');
    expect((await notesOn(`docker: {network_disabled: ${word}}`)).options.network.policy).toBe('none');
  });

  it.each(['0', 'false', 'No', 'off'])('understands %s as no', async (word) => {
    const { options } = await load({ LEAN_DOCKER_MCP_POOL_ENABLED: word });
    expect(options.pool.reuse).toBe('never');
    expect((await notesOn(`docker: {network_disabled: "${word}"}`)).options.network.policy).toBe('full');
  });

  it('does not open the network for an invalid value', async () => {
    const { options, problems } = await notesOn('docker: {network_disabled: perhaps}');
    expect(options.network.policy).toBe('none');
    expect(problems).toEqual([expect.stringContaining('network.policy is "perhaps" in docker.network_disabled in ')]);
  });

  it.each([
    ['256m', 256],
    ['1g', 1024],
    ['1.5g', 1536],
    ['512MB', 512],
    ['268435456', 256],
    [268435456, 256],
    ['262144k', 256],
  ])('understands %s of memory', async (value, mb) => {
    expect((await notesOn(`docker: {memory_limit: ${value}}`)).options.limits.memoryMb).toBe(mb);
  });

  it('reports an invalid value with what is accepted and what is used instead', async () => {
    const path = await file('theirs.yaml', 'docker: {memory_limit: 1g}');
    const { problems } = await load({ PYTHON_DOCKER_MCP_CONFIG: path, PYTHON_DOCKER_MCP_MEMORY_LIMIT: '300 apples' });
    expect(problems).toEqual([
      `limits.memoryMb is "300 apples" in PYTHON_DOCKER_MCP_MEMORY_LIMIT, but must be a whole number from 64 to 1048576; 1024 is used, from docker.memory_limit in ${path}.`,
    ]);
  });

  it('notes unknown keys and variables without calling them problems', async () => {
    const { notes, problems } = await notesOn('docker: {constructor: 1, speed: 2}\nother: {a: 1}\npackage: null');
    expect(problems).toEqual([]);
    expect(notes).toEqual([
      'docker.constructor in FILE is not a known setting of python-docker-mcp.',
      'docker.speed in FILE is not a known setting of python-docker-mcp.',
      'other in FILE is not a known setting of python-docker-mcp.',
    ]);
    expect((await notesOn('docker: pool_size')).notes).toEqual([
      'docker in FILE is not a known setting of python-docker-mcp.',
    ]);
    const variables = await load({ PYTHON_DOCKER_MCP_DEBUG: 'true', LEAN_DOCKER_MCP_SPEED: '1' });
    expect([variables.problems, variables.notes.map(({ text }) => text)]).toEqual([
      [],
      [
        'PYTHON_DOCKER_MCP_DEBUG is not supported and was ignored: use --verbose.',
        'LEAN_DOCKER_MCP_SPEED is not a known setting of lean-docker-mcp.',
      ],
    ]);
  });

  it('reads the default file when the one that a variable names does not exist, and notes it', async () => {
    const { python } = await writeOlderConfiguration(home);
    const { files, notes } = await load({ PYTHON_DOCKER_MCP_CONFIG: '/nowhere.yaml' });
    expect(files).toContain(python);
    expect(notes[0]?.text).toContain('/nowhere.yaml');
  });

  it('applies the Lean settings to Lean alone, and prefers python-docker-mcp for the rest', async () => {
    const theirs = await file('lean.yaml', 'docker: {memory_limit: 300m, timeout: 44, pool_size: 9}');
    const python = await file('python.yaml', 'docker: {pool_size: 4, memory_limit: 100m}');
    const env = { LEAN_DOCKER_MCP_CONFIG: theirs, PYTHON_DOCKER_MCP_CONFIG: python, LEAN_DOCKER_MCP_CPU_LIMIT: '0.5' };
    const { options } = await load(env);
    expect(options.lean).toMatchObject({ memoryMb: 300, cpus: 0.5 });
    expect(options.limits).toMatchObject({ memoryMb: 100, cpus: 1, timeoutSeconds: 44 });
    expect(options.pool.size).toBe(4);
  });
});
