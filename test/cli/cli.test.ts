import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { formatList } from '../../src/base/list.ts';
import { runCli } from '../../src/cli/cli.ts';
import { readAll } from '../../src/cli/terminal.ts';
import { DEFAULT_OPTIONS, type Options } from '../../src/engine/options.ts';
import type { OutcomeStatus, Preflight } from '../../src/engine/types.ts';
import { networkReachable } from '../../src/host/problem.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { INFO } from '../host/fakeHost.ts';
import { HOLDING_WALLS } from '../host/holdingWalls.ts';
import { runResult, StubEngine } from '../mcp/stubEngine.ts';

let folder: string;
let engine: StubEngine;
let options: Options | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hothouse-cli-'));
  engine = new StubEngine();
  options = undefined;
});

async function cli(argv: string[], input = '', signal = new AbortController().signal, isTTY = false) {
  const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY })];
  const terminal = { stdin: Object.assign(Readable.from([input]), { isTTY }), stdout, stderr };
  const createEngine = async (given: Options) => {
    options = given;
    return engine;
  };
  const languages = LANGUAGES;
  const status = await runCli(argv, {
    version: '1.2.3',
    languages,
    terminal,
    env: {},
    home: folder,
    signal,
    createEngine,
  });
  stdout.end();
  stderr.end();
  return { status, stdout: await readAll(stdout), stderr: await readAll(stderr) };
}

describe('hothouse', () => {
  it('adds itself to an MCP client after a diff, and removes itself', async () => {
    const file = join(folder, '.claude.json');
    const shown = await cli(['mcp', 'install', 'claude-code', '--dry-run']);
    expect([shown.status, shown.stdout]).toEqual([0, expect.stringContaining('+    "hothouse": {')]);
    await expect(readFile(file)).rejects.toThrow('ENOENT');
    expect(await cli(['mcp', 'install', 'claude-code'])).toMatchObject({ status: 0, stdout: shown.stdout });
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      mcpServers: { hothouse: { type: 'stdio', command: process.execPath, args: [expect.any(String), 'mcp'] } },
    });
    expect((await cli(['mcp', 'install', 'claude-code'])).stderr).toMatch(/has Hothouse already; nothing changes\n$/);
    const removed = await cli(['mcp', 'uninstall', 'claude-code']);
    expect(removed.stderr).toMatch(/removed Hothouse from Claude Code; the old file is .*\.backup\. Restart it/);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ mcpServers: {} });
    expect(options).toBeUndefined();
  });

  it('says why it cannot add itself to an MCP client', async () => {
    const missing = await cli(['mcp', 'install', 'cursor']);
    expect([missing.status, missing.stderr]).toEqual([
      1,
      expect.stringContaining('Start the client once, and try again.'),
    ]);
    expect(await cli(['mcp', 'install', 'other'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Run 'hothouse mcp install --help' for more information."),
    });
  });

  it('prints help and version', async () => {
    expect((await cli(['--version'])).stdout).toBe('1.2.3\n');
    const general = await cli(['--help']);
    const commands = [...general.stdout.matchAll(/^ {2}([a-z]+) +[A-Z]/gm)].map(([, name]) => String(name));
    expect(commands).toEqual(['run', 'session', 'ls', 'cp', 'env', 'build', 'mcp', 'serve', 'token', 'doctor']);
    for (const name of commands) {
      const help = await cli([name, '--help']);
      expect([help.status, help.stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(`^Usage: hothouse ${name}`)]);
      expect(help.stdout).not.toMatch(/^ {2}help /m);
    }
    expect(general.stdout).toContain('HOTHOUSE_POOL_MAX_AGE_SECONDS');
    expect(options).toBeUndefined();
  });

  const misuses: [string[], RegExp][] = [
    [['dance'], /^hothouse: unknown command 'dance'\nRun 'hothouse --help' for more information\.\n$/],
    [['dcotor'], /^hothouse: unknown command 'dcotor'\n\(Did you mean doctor\?\)\n/],
    [['run'], /run takes a language and one file/],
    [
      ['run', 'notes.txt'],
      /^hothouse: The language of notes\.txt is unknown; name it first, as in `hothouse run LANGUAGE FILE`\.\n/,
    ],
    [['run', '-'], /^hothouse: The language of standard input is unknown; name it first/],
    [
      ['run', 'cobol', '-'],
      /^hothouse: There is no language "cobol"; there is python, lean(, \w+)*\.\nRun 'hothouse run --help' for more information\.\n$/,
    ],
    [['run', 'python', '/no/such/file'], /\/no\/such\/file cannot be read/],
    [
      ['run', 'python', '-', '--timeout', 'soon'],
      /option '--timeout <SECONDS>' argument 'soon' is invalid\. It must be a number\./,
    ],
    [['run', 'python', '-', '--fast'], /unknown option '--fast'/],
    [['run', 'python', '-', '--timeot', '3'], /\(Did you mean --timeout\?\)\nRun 'hothouse run --help'/],
    [
      ['run', 'python', '-', '--set', 'pool'],
      /option '--set <KEY=VALUE>' argument 'pool' is invalid\. It must be KEY=VALUE\./,
    ],
    [['serve', '--port', '99999'], /option '--port <PORT>' argument '99999' is invalid\. It must be from 0 to 65535\./],
  ];
  it.each(misuses)('rejects %j with status 2 and a reason', async (argv, message) => {
    const { status, stdout, stderr } = await cli(argv);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('passes options to the engine and reports invalid values', async () => {
    const { stderr } = await cli([
      'run',
      'python',
      '-',
      '--pool-size',
      '5',
      '--set',
      'limits.cpus=0.5',
      '--cpus',
      'two',
    ]);
    expect(options).toMatchObject({ pool: { size: 5 }, limits: { cpus: 0.5 } });
    expect(stderr).toBe('');
    const wrong = await cli(['run', 'python', '-', '--pool-size', 'x']);
    expect(wrong.stderr).toBe(
      'hothouse: pool.size is "x" in the command line, but must be a whole number from 1 to 256; 2 is used, the default.\n',
    );
  });
});

describe('hothouse run', () => {
  it('runs a file and streams its output', async () => {
    const file = join(folder, 'a.py');
    await writeFile(file, 'code');
    engine.answer = async (_request, onOutput) => {
      onOutput?.({ kind: 'stdout', text: 'out' });
      onOutput?.({ kind: 'stderr', text: 'err\n' });
      onOutput?.({ kind: 'result', data: { 'text/plain': '42' } });
      return runResult({ stdout: 'out', stderr: 'err\n', result: { 'text/plain': '42' } });
    };
    const answer = await cli(['run', 'python', file, '--timeout', '2', '--stdin', '-'], 'typed');
    expect(answer).toEqual({ status: 0, stdout: 'out', stderr: 'err\n42\n' });
    expect(engine.requests).toMatchObject([{ language: 'python', code: 'code', timeoutSeconds: 2, stdin: 'typed' }]);
    expect(engine.disposals).toBe(1);
  });

  it('takes the language from the argument, the option or the file extension', async () => {
    const file = join(folder, 'a.lean');
    await writeFile(file, 'code');
    for (const words of [
      ['lean', file],
      ['--language', 'lean', file],
      [file],
      ['lean', '-'],
      ['-', '--language=lean'],
    ]) {
      expect((await cli(['run', ...words], 'code')).status).toBe(0);
    }
    expect(engine.requests.map(({ language, code }) => [language, code])).toEqual(Array(5).fill(['lean', 'code']));
    for (const words of [
      ['--language', 'lean'],
      ['--language', 'lean', 'python', file],
    ]) {
      const { status, stderr } = await cli(['run', ...words]);
      expect([status, stderr]).toEqual([2, expect.stringContaining('run takes a language and one file')]);
    }
  });

  const statuses: [OutcomeStatus, number | null, number][] = [
    ['ok', 0, 0],
    ['error', null, 1],
    ['error', 7, 7],
    ['error', 256, 1],
    ['timeout', null, 124],
    ['interrupted', null, 130],
    ['out_of_memory', null, 137],
    ['sandbox_lost', null, 70],
    ['rejected', null, 64],
  ];
  it.each(statuses)('maps outcome %s (exit code %j) to exit status %i', async (outcome, exitCode, expected) => {
    engine.answer = async () => runResult({ status: outcome, exitCode });
    expect((await cli(['run', 'python', '-'], '1')).status).toBe(expected);
  });

  it('prints the whole result as JSON and saves displays', async () => {
    const displays = [
      { data: { 'image/png': Buffer.from('png').toString('base64'), 'text/plain': 'p' }, id: null },
      { data: { 'application/x-odd': 1 }, id: null },
    ];
    engine.answer = async () => runResult({ displays, result: { 'text/plain': 'T', 'text/html': '<b>' } });
    const { stdout } = await cli(['run', 'python', '-', '--json', '--save-displays', join(folder, 'shown')]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'ok',
      result: 'T',
      displays: [
        { data: { 'text/plain': 'p' }, file: join(folder, 'shown', 'display-1.png') },
        { data: { 'application/x-odd': 1 }, file: null },
        { data: { 'text/plain': 'T' }, file: join(folder, 'shown', 'display-3.html') },
      ],
    });
    expect(await readFile(join(folder, 'shown', 'display-1.png'), 'utf8')).toBe('png');
    expect(await readFile(join(folder, 'shown', 'display-3.html'), 'utf8')).toBe('<b>');
  });

  it('prints the error last and disposes the engine when a run throws', async () => {
    engine.answer = async () =>
      runResult({ status: 'rejected', error: { name: 'rejected', message: 'no code', traceback: '' } });
    expect((await cli(['run', 'python', '-'])).stderr).toBe('rejected: no code\n');
    engine.answer = () => Promise.reject(new Error('broken'));
    await expect(cli(['run', 'python', '-'])).rejects.toThrow('broken');
    expect(engine.disposals).toBe(2);
  });
});

describe('hothouse doctor', () => {
  const info: NonNullable<Preflight['host']['info']> = {
    name: 'Docker Engine 20.10',
    details: ['rootful'],
    defaultRuntime: 'runc',
    isolation: { ...INFO.isolation, systemCallFilter: false },
    warnings: ['runc 1.1.4 is old.', 'There is no seccomp.', 'It is not rootless.'],
  };

  it('ends with status 0 when the host is usable', async () => {
    engine.preflight = async () => ({ host: { info, problem: null }, runtime: 'runsc', environments: [] });
    const { status, stdout } = await cli(['doctor', '--json']);
    expect(status).toBe(0);
    const report: Record<string, unknown> = JSON.parse(stdout);
    expect(report).toMatchObject({
      host: { info, problem: null },
      runtime: 'runsc',
      environments: [],
      config: { files: [], problems: [] },
    });
    expect(report.advice).toEqual([
      expect.stringContaining('runc 1.1.4'),
      expect.stringContaining('seccomp'),
      expect.stringContaining('rootless'),
    ]);
    expect((await cli(['doctor'])).stdout).toMatch(
      /^ok {4}Docker Engine 20.10, rootful, runtime runsc\nnote {2}runc 1.1.4/,
    );
  });

  it('reports a missing image as a note while another language is ready', async () => {
    const missing = (name: string) =>
      ({ kind: 'image_missing', message: `No ${name}.`, advice: 'Build it.', command: 'build' }) as const;
    const look = async (lacking: readonly string[]) => {
      const environments = LANGUAGES.map(({ id: language }) => {
        const problem = lacking.includes(language) ? missing(language) : null;
        return { id: language, language, image: null, imageName: `my/${language}`, problem };
      });
      engine.preflight = async () => ({ host: { info, problem: null }, runtime: 'runc', environments });
      const { status, stdout } = await cli(['doctor']);
      return [status, ...stdout.split('\n').filter((line) => /No |Ready/.test(line))];
    };
    const ids = LANGUAGES.map(({ id }) => id);
    for (const lacking of ['lean', 'python']) {
      const others = formatList(
        ids.filter((id) => id !== lacking),
        'and',
      );
      expect(await look([lacking])).toEqual([
        0,
        `note  No ${lacking}. Build it.`,
        `Ready for ${others}. Not ready for ${lacking}: No ${lacking}.`,
      ]);
    }
    const [first, ...others] = ids;
    expect(await look(ids)).toEqual([
      1,
      `error No ${first}.`,
      ...others.map((id) => `note  No ${id}. Build it.`),
      `Ready for no language.${ids.map((id) => ` Not ready for ${id}: No ${id}.`).join('')}`,
    ]);
  });

  describe('with an image', () => {
    beforeEach(() => {
      const python = { id: 'python', language: 'python', image: null, imageName: 'my/python', problem: null };
      engine.preflight = async () => ({ host: { info, problem: null }, runtime: 'runc', environments: [python] });
    });
    const wallLines = async () =>
      (await cli(['doctor'])).stdout.split('\n').filter((line) => line.includes(' wall ') || line.startsWith('error'));

    it('prints a line for each wall of a sandbox, and why one does not hold', async () => {
      engine.walls = {
        ok: true,
        value: {
          ...HOLDING_WALLS,
          files: { state: 'missing', detail: 'no Landlock\x1b[2J' },
          network: { state: 'off', detail: 'network.policy' },
        },
      };
      const lines = await wallLines();
      expect(lines).toHaveLength(Object.keys(HOLDING_WALLS).length);
      expect(lines).toContain('ok    wall no privileges: holds');
      expect(lines).toContain('note  wall writes limited by Landlock: not on this host: no Landlock');
      expect(lines).toContain('note  wall no network: off: network.policy');
      expect(JSON.parse((await cli(['doctor', '--json'])).stdout).walls.network.state).toBe('off');
    });

    it('ends with status 1 when no sandbox may serve', async () => {
      engine.walls = { ok: false, error: networkReachable('eth0') };
      expect((await cli(['doctor'])).status).toBe(1);
      expect(await wallLines()).toEqual([expect.stringMatching(/^error Sandboxes can reach a network here \(eth0\)/)]);
    });
  });

  it('ends with status 1, cause and next step when the host is unusable', async () => {
    const problem = {
      kind: 'host_missing' as const,
      message: 'No engine.',
      advice: 'Install one.',
      command: 'apt install',
    };
    // Whether there is an image is unknown then.
    const python = { id: 'python', language: 'python', image: null, imageName: 'my/python', problem: null };
    engine.preflight = async () => ({ host: { info: null, problem }, runtime: null, environments: [python] });
    expect(await cli(['doctor'])).toEqual({
      status: 1,
      stdout:
        'error No engine.\n      Install one.\n        apt install\nok    network none: sandboxes reach nothing; what installs packages reaches what their host reaches\nReady for no language.\n',
      stderr: '',
    });
  });
});

describe('--image', () => {
  const imagesAfter = async (...argv: string[]) => {
    await cli([...argv, '--image', 'mine'], '1');
    return [options?.python.image, options?.lean.image];
  };
  const PYTHON = ['mine', DEFAULT_OPTIONS.lean.image];
  const LEAN = [DEFAULT_OPTIONS.python.image, 'mine'];

  it('is the image of the language that the arguments name', async () => {
    const file = join(folder, 'proof.lean');
    await writeFile(file, '#eval 1');
    expect(await imagesAfter('run', 'python', '-')).toEqual(PYTHON);
    expect(await imagesAfter('run', 'lean', '-')).toEqual(LEAN);
    expect(await imagesAfter('run', '--language', 'lean', '-')).toEqual(LEAN);
    expect(await imagesAfter('run', file)).toEqual(LEAN);
    expect(await imagesAfter('run', 'python', file)).toEqual(PYTHON);
    expect(await imagesAfter('build', 'lean')).toEqual(LEAN);
  });

  it('is the image of the first language where none is named', async () => {
    expect(await imagesAfter('doctor')).toEqual(PYTHON);
    expect((await cli(['--help'])).stdout).toMatch(/--image <IMAGE> +shorthand for --set LANGUAGE\.image=VALUE/);
  });
});

describe('hothouse build', () => {
  it('passes toolchain, Mathlib and build arguments to the build', async () => {
    await mkdir(join(folder, 'bin'));
    await writeFile(join(folder, 'bin', 'lean'), '');
    const words = ['build', 'lean', '--toolchain', folder, '--mathlib', '--build-arg', 'LEAN_TOOLCHAIN=my/lean:v1'];
    expect((await cli(words)).status).toBe(0);
    const buildArgs = { MATHLIB: '1', LEAN_TOOLCHAIN: 'my/lean:v1' };
    expect(engine.builds).toEqual([['lean', { buildArgs, folders: { toolchain: folder } }]]);
    expect((await cli(['build', 'python'])).status).toBe(0);
    expect(engine.builds.at(-1)).toEqual(['python', { buildArgs: {}, folders: {} }]);
  });

  it.each([
    [['build', 'lean', '--toolchain', '/etc'], '/etc is not a Lean toolchain: it has no bin/lean.'],
    [['build', 'python', '--mathlib'], '--toolchain and --mathlib are for lean only.'],
    [
      ['build', 'lean', '--build-arg', 'X'],
      "option '--build-arg <KEY=VALUE>' argument 'X' is invalid. It must be KEY=VALUE.",
    ],
  ])('rejects %j with a reason', async (argv, message) => {
    const { status, stderr } = await cli(argv);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(engine.builds).toEqual([]);
  });
});

describe('hothouse serve', () => {
  it('prints address and token and ends at a signal', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const { status, stdout } = await cli(['serve', '--json'], '', controller.signal);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
      token: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(engine.disposals).toBe(1);
  });
});

describe('hothouse token', () => {
  it('names the default of --expires as it is written', async () => {
    expect((await cli(['token', 'create', '--help'])).stdout).toContain('or never (default: 90d)');
  });
});

describe('hothouse env', () => {
  it('creates an environment with a network by consent alone: an option, or yes on a terminal', async () => {
    const create = ['env', 'create', 'data', '--allow', 'example.org', '--allow', '*.example.com'];
    const signal = new AbortController().signal;
    const refused = await cli(create, 'y\n');
    expect([refused.status, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('would reach *.example.com and example.org, and no person has agreed to that');
    for (const answer of ['n\n', '\n', 'yes please\n']) {
      const asked = await cli(create, answer, signal, true);
      expect(asked.status).toBe(1);
      expect(asked.stderr).toContain('Let code in the environment data reach *.example.com and example.org? [y/N]');
    }
    expect(await engine.environments.list()).toEqual([]);
    expect((await cli(create, 'y\n', signal, true)).status).toBe(0);
    expect((await cli([...create, '--allow-network'])).status).toBe(0);
    expect((await cli(['env', 'create', 'all', '--network', 'full', '--allow-network'])).status).toBe(0);
    expect((await cli(['env', 'list'])).stdout).toBe(
      'data (python): no packages; reaches *.example.com and example.org\nall (python): no packages; reaches every host, those of your own network included\n',
    );
    const both = await cli([...create, '--network', 'full', '--allow-network']);
    expect([both.status, both.stderr]).toEqual([2, expect.stringContaining('not both')]);
    const wrong = await cli(['env', 'create', 'x', '--allow', '169.254.169.254', '--allow-network']);
    expect(wrong.stderr).toContain('network.allow.0: Use a name such as example.org');
  });

  it('exports a network without the consent to it, which a file cannot give', async () => {
    await cli(['env', 'create', 'data', '--allow', 'example.org', '--allow-network']);
    const exported = (await cli(['env', 'export', 'data', '--lock'])).stdout;
    expect(exported).toContain('network:\n      allow:\n        - example.org\n');
    await cli(['env', 'remove', 'data']);
    expect((await cli(['env', 'create', '--file', '-'], exported)).stderr).toContain('no person has agreed to that');
    expect((await cli(['env', 'create', '--file', '-', '--allow-network'], exported)).status).toBe(0);
    const forged = exported.replace('    network:', `    consent: ${'a'.repeat(64)}\n    network:`);
    expect((await cli(['env', 'create', '--file', '-'], forged)).stderr).toContain('consent: There is no such key.');
  });

  it('creates an environment from its options, lists, shows, exports and removes it', async () => {
    const created = await cli(['env', 'create', 'data', '--pip', 'tqdm', '--pip', 'requests>=2', '--var', 'A=b=c']);
    expect(created.status).toBe(0);
    expect(created.stdout).toMatch(/^building\nCreated data \(hothouse\/environment:[0-9a-f]{16}\)\n$/);
    expect((await cli(['env', 'list'])).stdout).toBe('data (python): tqdm, requests>=2\n');
    expect(JSON.parse((await cli(['env', 'show', 'data'])).stdout)).toMatchObject({ variables: { A: 'b=c' } });
    const exported = (await cli(['env', 'export', 'data'])).stdout;
    expect(exported).toContain('    language: python\n');
    expect(exported).not.toContain('lock');
    expect((await cli(['env', 'export', 'data', '--lock'])).stdout).toContain('lock:\n');
    expect((await cli(['env', 'remove', 'data'])).stdout).toMatch(/^Removed data /);
    const missing = await cli(['env', 'show', 'data']);
    expect([missing.status, missing.stdout]).toEqual([1, '']);
    expect(missing.stderr).toContain('There is no environment "data".');
    const again = await cli(['env', 'create', '--file', '-'], exported);
    expect(again.stdout).toContain('Created data ');
  });

  it('rejects a file with the line and the column of each mistake', async () => {
    const text =
      'environments:\n  data:\n    language: python\n    packges:\n      pip: [tqdm]\n  b:\n    language: cobol\n';
    const { status, stderr } = await cli(['env', 'create', '--file', '-'], text);
    expect(status).toBe(2);
    expect(stderr).toContain('-, line 4, column 5: data: packges: There is no such key.');
    expect(stderr).toContain('-, line 7, column 5: b: language: There is no language "cobol"');
    const broken = await cli(['env', 'create', '--file', '-'], 'environments: [');
    expect(broken.stderr).toMatch(/line 1, column \d+: it is not valid YAML/);
    const none = await cli(['env', 'create', 'other', '--file', '-'], 'environments: {}');
    expect(none.stderr).toContain('- has no environment other.');
    const both = await cli(['env', 'create', '--file', '-', '--pip', 'x'], 'environments: {}');
    expect(both.stderr).toContain('the file alone says');
  });

  it('passes the name of an environment with a run', async () => {
    engine.answer = async ({ environment }) => runResult({ stdout: `${environment}` });
    const { stdout } = await cli(['run', 'python', '-', '--env', 'data', '--json'], 'code');
    expect(JSON.parse(stdout)).toMatchObject({ stdout: 'data' });
  });
});
