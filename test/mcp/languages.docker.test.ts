import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deferred } from '../../src/base/deferred.ts';
import type { RunAnswer } from '../../src/mcp/output/runAnswer.ts';
import { connectMcp } from '../cli/program.ts';
import { call, ERAS, type TestClient } from './connect.ts';

/** Code of one language for what a client does with each. */
interface Sample {
  /** Prints its stdin in capitals to stdout, and `e` to stderr. */
  readonly filter: string;
  /** Sets `kept` to 40; shows or prints it with 2 added. */
  readonly set: string;
  readonly get: string;
  /** Fails in its second line, with the error's name, and what names the line in the message or the traceback. */
  readonly failing: { readonly code: string; readonly name: string; readonly line: RegExp };
  /** Prints `on` and computes for ever. */
  readonly endless: string;
}

const SAMPLES: Readonly<Record<string, Sample>> = {
  node: {
    filter:
      'import { readFileSync } from "node:fs";\nconst text: string = readFileSync(0, "utf8");\nprocess.stdout.write(text.toUpperCase());\nconsole.error("e");',
    set: 'const kept = 40;',
    get: 'await Promise.resolve(kept + 2)',
    failing: { code: 'const one = 1;\nnull.field;', name: 'TypeError', line: /:2:6/ },
    endless: 'console.log("on");\nwhile (true) {}',
  },
  bash: {
    filter: "tr '[:lower:]' '[:upper:]'\necho e >&2",
    set: 'kept=40',
    get: 'echo $((kept + 2))',
    failing: { code: 'true\nls /nowhere', name: 'ExitStatus', line: /Line 2 of/ },
    endless: 'echo on\nwhile :; do :; done',
  },
  csharp: {
    filter: 'Console.Write(Console.In.ReadToEnd().ToUpper());\nConsole.Error.WriteLine("e");',
    set: 'var kept = 40;',
    get: 'kept + 2',
    failing: {
      code: 'var one = 1;\nthrow new InvalidOperationException("bad");',
      name: 'InvalidOperationException',
      line: /line 2$/m,
    },
    endless: 'Console.WriteLine("on");\nwhile (true) {}',
  },
  r: {
    filter: 'cat(toupper(readLines(stdin())), sep = "\\n")\nmessage("e")',
    set: 'kept <- 40',
    get: 'cat(kept + 2, "\\n")',
    failing: { code: 'one <- 1\nstop("bad")', name: 'Error', line: /#2/ },
    endless: 'cat("on\\n")\nwhile (TRUE) {}',
  },
};

let client: TestClient;
let end: () => Promise<unknown>;
beforeAll(async () => {
  ({ client, end } = await connectMcp(ERAS[1], {}));
});
afterAll(() => end());

describe.each(Object.entries(SAMPLES))('an MCP client that uses %s', (language, sample) => {
  const run = async (code: string, more: Record<string, unknown> = {}) =>
    (await call(client, 'run_code', { language, code, timeout_seconds: 120, ...more })).structuredContent as RunAnswer &
      object;

  it('gets the output of a program for its stdin', async () => {
    expect(await run(sample.filter, { stdin: 'abc\n' })).toMatchObject({
      status: 'ok',
      stdout: 'ABC\n',
      stderr: 'e\n',
    });
  });

  it('gets status timeout after the limit', async () => {
    expect(await run(sample.endless, { timeout_seconds: 3 })).toMatchObject({ status: 'timeout', stdout: 'on\n' });
  });

  it('keeps variables in a session, after an error with its line and after an interrupt', async () => {
    const opened = await call(client, 'open_session', { language });
    const session_id = String(opened.structuredContent?.session_id);
    expect(await run(sample.set, { session_id })).toMatchObject({ status: 'ok', session_id });
    const failed = await run(sample.failing.code, { session_id });
    expect(failed).toMatchObject({ status: 'error', error: { name: sample.failing.name } });
    expect(`${failed.error?.message}\n${failed.error?.traceback}`).toMatch(sample.failing.line);

    const begun = deferred<string | undefined>();
    const params = { name: 'run_code', arguments: { language, code: sample.endless, session_id } };
    const onprogress = ({ message }: { message?: string | undefined }) => begun.resolve(message);
    const endless = client.callTool(params, undefined, { onprogress });
    expect(await begun.promise).toBe('on\n');
    expect((await call(client, 'interrupt_session', { session_id })).isError).toBe(false);
    const interrupted = ((await endless) as { structuredContent: RunAnswer }).structuredContent;
    expect(interrupted).toMatchObject({ status: 'interrupted', stdout: 'on\n' });

    const { result, stdout } = await run(sample.get, { session_id });
    expect((result ?? stdout ?? '').trim()).toBe('42');
    expect((await call(client, 'close_session', { session_id })).isError).toBe(false);
  });
});
