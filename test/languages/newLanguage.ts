import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { formatList } from '../../src/base/list.ts';
import { runCli } from '../../src/cli/cli.ts';
import { readAll } from '../../src/cli/terminal.ts';
import type { Engine, Owner } from '../../src/engine/types.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { call, connectInMemory, textOf } from '../mcp/connect.ts';
import { type ToyEngine, toy } from './toy.ts';

const OWNER: Owner = { id: 'tester', kind: 'mcp', label: 'tester' };

/** The list with one more language, as a new line in the registry would have it. */
export const WITH_TOY = [...LANGUAGES, toy];

const IDS = WITH_TOY.map(({ id }) => id);

/** What holds for a language as soon as it is on the list; `engineOf` gives a new engine that runs `WITH_TOY`. */
export function newLanguageSuite(engineOf: () => Promise<Engine>): void {
  const withEngine = async (use: (engine: Engine) => Promise<void>) => {
    const engine = await engineOf();
    try {
      await use(engine);
    } finally {
      await engine.dispose();
    }
  };

  it('runs one-shot and in sessions of the engine', () =>
    withEngine(async (engine) => {
      const run = (code: string, rest = {}) => engine.run({ language: 'toy', code, owner: OWNER, ...rest });
      expect(await run('pwd')).toMatchObject({ status: 'ok', stdout: '/workspace\n', exitCode: 0, report: null });
      expect(await run('cat', { stdin: 'echoed' })).toMatchObject({ status: 'ok', stdout: 'echoed' });
      expect(await run('false')).toMatchObject({ status: 'error', exitCode: 1, error: { name: 'ExitStatus' } });
      const opened = await engine.openSession('toy', OWNER);
      expect(opened).toMatchObject({ ok: true, value: { language: 'toy', environment: 'toy' } });
      const sessionId = opened.ok ? opened.value.id : '';
      expect(sessionId).toMatch(/^toy-[0-9a-f]{8}$/);
      expect(await run('pwd', { sessionId })).toMatchObject({ status: 'ok', stdout: '/workspace\n', sessionId });
      const other = await engine.run({ language: 'python', code: '1', owner: OWNER, sessionId });
      expect(other.error?.message).toContain(`Session ${sessionId} runs toy.`);
    }));

  it('answers its own questions as a member of the engine', () =>
    withEngine(async (engine) => {
      expect(engine).toHaveProperty('toy');
      const { toy: questions } = engine as Engine & { readonly toy: ToyEngine };
      expect(await questions.count('false a b', OWNER)).toEqual({ ok: true, value: 2 });
      const session = await engine.openSession('toy', OWNER);
      const sessionId = session.ok ? session.value.id : '';
      await engine.run({ language: 'toy', code: 'pwd -L', owner: OWNER, sessionId });
      expect(await questions.count('', OWNER, sessionId)).toEqual({ ok: true, value: 1 });
      const other = await engine.openSession('python', OWNER);
      const answer = await questions.count('', OWNER, other.ok ? other.value.id : '');
      expect(answer).toMatchObject({ ok: false, error: { message: expect.stringContaining('runs python.') } });
    }));

  it('has an environment of its own, named in the answer to an unknown language', () =>
    withEngine(async (engine) => {
      const { environments } = engine.snapshot();
      expect(environments.map(({ id }) => id)).toEqual(IDS);
      const unknown = await engine.run({ language: 'cobol', code: '1', owner: OWNER });
      expect(unknown).toMatchObject({ status: 'rejected', error: { name: 'unknown_language' } });
      expect(unknown.error?.message).toContain(IDS.join(', '));
    }));

  it('runs from the command line by its file extension and by its id', () =>
    withEngine(async (engine) => {
      const folder = await mkdtemp(join(tmpdir(), 'hothouse-toy-'));
      await writeFile(join(folder, 'where.toy'), 'pwd\n');
      const cli = async (...argv: string[]) => {
        const [stdout, stderr] = [new PassThrough(), new PassThrough()];
        const terminal = { stdin: Readable.from(['pwd -L']), stdout, stderr };
        const { signal } = new AbortController();
        const shared = { ...engine, languages: WITH_TOY, run: engine.run.bind(engine), dispose: async () => {} };
        const createEngine = async () => shared;
        const program = { version: '1', languages: WITH_TOY, terminal, env: {}, home: folder, signal, createEngine };
        const status = await runCli(argv, program);
        stdout.end();
        stderr.end();
        return [status, await readAll(stdout), await readAll(stderr)] as const;
      };
      expect(await cli('run', join(folder, 'where.toy'))).toEqual([0, '/workspace\n', '']);
      expect(await cli('run', 'toy', '-')).toEqual([0, '/workspace\n', '']);
      const [, json] = await cli('run', '--json', 'toy', '-');
      expect(JSON.parse(json)).toMatchObject({ stdout: '/workspace\n', names: ['-L'], count: 1 });
      expect((await cli('run', '--help'))[1]?.replace(/\s+/g, ' ')).toMatch(
        new RegExp(`${formatList(IDS, 'or')}; optional for \\.py, \\.lean, [^;]*and \\.toy files`),
      );
      expect((await cli('build', '--help'))[1]?.replace(/\s+/g, ' ')).toContain(formatList([...IDS, 'proxy'], 'or'));
      expect(await cli('run', 'cobol', '-')).toEqual([2, '', expect.stringContaining(`there is ${IDS.join(', ')}.`)]);
    }));

  it('runs over MCP, whose schemas list it', () =>
    withEngine(async (engine) => {
      const client = await connectInMemory(engine);
      const { tools } = await client.listTools();
      for (const name of ['run_code', 'open_session']) {
        const { properties } = tools.find((tool) => tool.name === name)?.inputSchema ?? {};
        expect(properties?.language).toMatchObject({ enum: IDS });
      }
      expect(tools.find(({ name }) => name === 'run_code')?.description).toContain('Toy: the code is one command.');
      const answer = await call(client, 'run_code', { language: 'toy', code: 'pwd' });
      expect(answer).toMatchObject({ isError: false, structuredContent: { status: 'ok', stdout: '/workspace\n' } });
      const opened = await call(client, 'open_session', { language: 'toy' });
      expect(opened.structuredContent).toMatchObject({ session_id: expect.stringMatching(/^toy-/), language: 'toy' });
      const unknown = await call(client, 'run_code', { language: 'cobol', code: 'pwd' });
      expect(textOf(unknown)).toContain(
        formatList(
          IDS.map((id) => `"${id}"`),
          'or',
        ),
      );
      await client.close();
    }));

  it('has its own tools, arguments and reports over MCP', () =>
    withEngine(async (engine) => {
      const client = await connectInMemory(engine);
      expect(client.getInstructions()).toContain('For Toy use toy_count.');
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('toy_count');
      expect(await call(client, 'toy_count', { code: 'false a b' })).toMatchObject({ structuredContent: { count: 2 } });
      const { properties } = tools.find(({ name }) => name === 'run_code')?.inputSchema ?? {};
      expect(properties?.names).toMatchObject({ type: 'boolean' });
      const run = (rest: object) => call(client, 'run_code', { language: 'toy', code: 'pwd -L', ...rest });
      const answer = await run({ names: true });
      expect(answer.structuredContent).toMatchObject({ names: ['-L'], count: 1 });
      expect(textOf(answer)).toMatch(/^1 arguments\n\[ok, counted, /m);
      expect((await run({})).structuredContent).toMatchObject({ count: 1 });
      const python = await call(client, 'run_code', { language: 'python', code: '1' });
      expect(python.structuredContent).not.toHaveProperty('count');
      await client.close();
    }));
}
