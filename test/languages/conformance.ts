import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { Options } from '../../src/engine/options.ts';
import type { Engine, Owner, RunOutput, RunRequest } from '../../src/engine/types.ts';
import { createLocalEngine } from '../../src/local/localEngine.ts';
import { ENDED_BY_MEMORY, HOST_KIND } from '../testHost.ts';

/** Code of one language for the cases that every language passes; undefined where the language has no such thing. */
export interface ConformanceCode {
  readonly language: string;
  /** Prints `out` to stdout and `err` to stderr, each with a line end. */
  readonly print: string;
  /** Its last value is 42, shown as `42`. */
  readonly value?: string;
  /** Fails in its third line; with the error's name, and a part of its message or traceback. */
  readonly failing: { readonly code: string; readonly name: string; readonly text: RegExp };
  /** A program that cannot be parsed, with the error's name. */
  readonly broken: { readonly code: string; readonly name: string };
  /** Prints its whole stdin. */
  readonly echo: string;
  /** Prints `on` with a line end and then computes for ever, without a system call where the language can. */
  readonly busy: string;
  /** Prints `on` with a line end and then waits for ever. */
  readonly waiting: string;
  /** Prints 2,000,000 times `x`. */
  readonly flood: string;
  /** Ends with exit status 3, and prints `after` if something is executed after that. */
  readonly exit: string;
  /** Takes memory until there is none. */
  readonly bomb: string;
  /** Sets a variable to 10; prints it with a line end. */
  readonly set: string;
  readonly get: string;
  /** Adds 1 to the variable `n`, which is given as 1, and what `n` is in the state then; missing where runs take no variables. */
  readonly state?: { readonly code: string; readonly n: number | string };
  /** Defines a function; prints 42 with a line end by a call of it. */
  readonly define: string;
  readonly call: string;
  /** Makes `mark.txt` in the workspace and in /tmp, and leaves a process that sleeps for an hour. */
  readonly leave: string;
  /** Prints `clean` with a line end where nothing of that is there; ps is not needed. */
  readonly look: string;
  /** Code with the cursor at its end, and a name that completes it after `set`. */
  readonly completion?: { readonly code: string; readonly match: string };
  /** The time limit of the test of time limits, in seconds: more than 2 where a process takes long to start. */
  readonly limitSeconds?: number;
}

const owner = (id: string): Owner => ({ id, kind: 'mcp', label: id });

/** What holds for every language that runs code, one-shot and in sessions. */
export function conformanceSuite(code: ConformanceCode, options: object = {}): void {
  const { language } = code;
  let engine: Engine;
  beforeAll(async () => {
    engine = await createLocalEngine({
      options: Options.parse({ host: { kind: HOST_KIND }, pool: { size: 1 }, limits: { outputKb: 256 }, ...options }),
      log: silentLog,
      env: process.env,
      home: process.env.HOME ?? '/',
      imagesFolder: path.resolve(import.meta.dirname, '../../images'),
    });
  });
  afterAll(() => engine.dispose());

  const run = (text: string, rest: Partial<RunRequest> = {}, onOutput?: (output: RunOutput) => void) =>
    engine.run({ language, code: text, owner: owner('tester'), timeoutSeconds: 60, ...rest }, onOutput);
  /** Aborts the run as soon as it has printed something. */
  const interrupted = (text: string, rest: Partial<RunRequest> = {}) => {
    const stop = new AbortController();
    const request = { language, code: text, owner: owner('tester'), timeoutSeconds: 60, ...rest };
    return engine.run(request, (output) => output.kind === 'stdout' && stop.abort(), stop.signal);
  };
  const session = async () => {
    const opened = await engine.openSession(language, owner('tester'));
    if (!opened.ok) throw new Error(opened.error.message);
    const { id: sessionId } = opened.value;
    return {
      sessionId,
      run: (text: string, rest: Partial<RunRequest> = {}) => run(text, { sessionId, ...rest }),
      interrupted: (text: string) => interrupted(text, { sessionId }),
    };
  };
  /** `use` with a session that is closed afterwards. */
  const inSession = async (use: (opened: Awaited<ReturnType<typeof session>>) => Promise<void>) => {
    const opened = await session();
    try {
      await use(opened);
    } finally {
      await engine.closeSession(opened.sessionId);
    }
  };

  describe('a one-shot run', () => {
    it('returns output, the last value and exit status 0', async () => {
      expect(await run(code.print)).toMatchObject({ status: 'ok', stdout: 'out\n', stderr: 'err\n', exitCode: 0 });
      if (code.value !== undefined)
        expect(await run(code.value)).toMatchObject({ status: 'ok', result: { 'text/plain': '42' } });
    });

    it('passes output on while the code runs', async () => {
      const seen: string[] = [];
      const stop = new AbortController();
      const request = { language, code: code.waiting, owner: owner('tester') };
      const ended = engine.run(
        request,
        (output) => {
          if (output.kind === 'stdout') seen.push(output.text);
          if (seen.join('') === 'on\n') stop.abort();
        },
        stop.signal,
      );
      expect(await ended).toMatchObject({ status: 'interrupted', stdout: 'on\n' });
    });

    it('returns the name, the message and the line of an error', async () => {
      const { code: text, name, text: expected } = code.failing;
      const failed = await run(text);
      expect(failed).toMatchObject({ status: 'error', error: { name } });
      expect(failed.exitCode).toBeGreaterThan(0);
      expect(`${failed.error?.message}\n${failed.error?.traceback}\n${failed.stderr}`).toMatch(expected);
    });

    it('returns the name of the error for code that cannot be parsed', async () => {
      expect(await run(code.broken.code)).toMatchObject({ status: 'error', error: { name: code.broken.name } });
    });

    it('has the whole stdin, or an empty one', async () => {
      expect(await run(code.echo, { stdin: 'one\ntwo ü\n' })).toMatchObject({ status: 'ok', stdout: 'one\ntwo ü\n' });
      expect((await run(code.echo)).stdout.trim()).toBe('');
    });

    it('returns status timeout after the limit, for code that computes and for code that waits', async () => {
      for (const text of [code.busy, code.waiting]) {
        expect(await run(text, { timeoutSeconds: code.limitSeconds ?? 2 })).toMatchObject({
          status: 'timeout',
          stdout: 'on\n',
        });
      }
    });

    it('cuts large output at its limit and counts all of it', async () => {
      const flooded = await run(code.flood);
      expect(flooded).toMatchObject({ status: 'ok', outputCut: true, truncated: true });
      expect(flooded.stdoutBytes).toBeGreaterThanOrEqual(2_000_000);
      expect(flooded.stdout.length).toBeLessThanOrEqual(256 * 1024);
    });

    it('ends with the exit status that the code gives', async () => {
      expect(await run(code.exit)).toMatchObject({ status: 'error', exitCode: 3, stdout: '' });
    });

    it('ends when the memory is used up', async () => {
      expect(ENDED_BY_MEMORY).toContain((await run(code.bomb)).status);
      expect(await run(code.print)).toMatchObject({ status: 'ok' });
    });

    it('leaves no process and no file, for its own owner or another', async () => {
      expect(await run(code.leave)).toMatchObject({ status: 'ok' });
      expect(await run(code.look)).toMatchObject({ status: 'ok', stdout: 'clean\n' });
      expect(await run(code.leave)).toMatchObject({ status: 'ok' });
      expect(await run(code.look, { owner: owner('other') })).toMatchObject({ status: 'ok', stdout: 'clean\n' });
    });

    it('takes variables and returns them', async () => {
      if (!code.state) return;
      const returned = await run(code.state.code, { state: { n: 1, word: 'a "b"\n' } });
      expect(returned).toMatchObject({ status: 'ok', state: { n: code.state.n, word: 'a "b"\n' }, stateLeftOut: [] });
      expect(await run(code.print, { state: {} })).toMatchObject({ status: 'ok', state: {} });
    });

    it('does not see variables of an earlier run', async () => {
      expect(await run(code.set)).toMatchObject({ status: 'ok' });
      expect((await run(code.get)).stdout.trim()).not.toBe('10');
    });
  });

  describe('a session', () => {
    it('keeps variables and functions, also after an error, an unparsable cell and an exit', () =>
      inSession(async (own) => {
        await own.run(code.set);
        await own.run(code.define);
        expect(await own.run(code.get)).toMatchObject({ status: 'ok', stdout: '10\n', exitCode: null });
        expect(await own.run(code.failing.code)).toMatchObject({ status: 'error', error: { name: code.failing.name } });
        expect(await own.run(code.broken.code)).toMatchObject({
          status: 'error',
          error: { name: code.broken.name },
          sessionLost: false,
        });
        expect(await own.run(code.exit)).toMatchObject({
          status: 'error',
          exitCode: 3,
          stdout: '',
          sessionLost: false,
        });
        expect(await own.run(code.get)).toMatchObject({ stdout: '10\n' });
        expect(await own.run(code.call)).toMatchObject({ stdout: '42\n' });
      }));

    it('keeps variables after an interrupt, of code that computes and of code that waits', () =>
      inSession(async (own) => {
        await own.run(code.set);
        for (const text of [code.busy, code.waiting]) {
          expect(await own.interrupted(text)).toMatchObject({ status: 'interrupted', sessionLost: false });
          expect(await own.run(code.get)).toMatchObject({ status: 'ok', stdout: '10\n' });
        }
      }));

    it('keeps variables after a timeout', () =>
      inSession(async (own) => {
        await own.run(code.set);
        expect(await own.run(code.busy, { timeoutSeconds: 1 })).toMatchObject({
          status: 'timeout',
          sessionLost: false,
        });
        expect(await own.run(code.get)).toMatchObject({ stdout: '10\n' });
      }));

    it('has a stdin for each cell', () =>
      inSession(async (own) => {
        for (const stdin of ['first\n', 'second\n'])
          expect(await own.run(code.echo, { stdin })).toMatchObject({ status: 'ok', stdout: stdin });
      }));

    it('ends when the memory is used up, and the session with it', () =>
      inSession(async (own) => {
        const { status, sessionLost } = await own.run(code.bomb);
        expect(ENDED_BY_MEMORY).toContain(status);
        expect(sessionLost).toBe(true);
      }));

    it('completes the names of its variables', () =>
      inSession(async (own) => {
        if (!code.completion) return;
        await own.run(code.set);
        const { code: text, match } = code.completion;
        const found = await engine.complete(own.sessionId, text, text.length);
        expect(found).toMatchObject({ ok: true, value: { end: text.length } });
        expect(found.ok ? found.value.matches : []).toContain(match);
      }));
  });
}
