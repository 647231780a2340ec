import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../src/base/deferred.ts';
import { processNames } from '../faults/engineApi.ts';
import type { LeftEngineLine, LeftWork } from './leftEngine.ts';
import { begin, identity, OWNER, open, ownMachine, release, resume, run, start } from './resumeBench.ts';

ownMachine('resume-faults');

const PROGRAM = fileURLToPath(new URL('./leftEngine.ts', import.meta.url));
/** Capabilities, new privileges, the filter of system calls and one that it denies, and interfaces. */
const WALLS = `
import ctypes
status = dict(line.split(":") for line in open("/proc/self/status") if line.count(":") == 1)
names = [line.split(":")[0].strip() for line in open("/proc/net/dev").read().splitlines()[2:]]
facts = [status[name].strip() for name in ("CapEff", "NoNewPrivs", "Seccomp")]
[*facts, ctypes.CDLL(None).ptrace(0, 0, 0, 0), *names]`;
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** An engine in another process, when it has done its work; `next` resolves with the next thing that it says. */
async function left(work: LeftWork) {
  const args = ['--import', 'tsx', PROGRAM, work, identity.machine, identity.owner];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<LeftEngineLine> => JSON.parse((await lines.next()).value);
  const line = await next();
  if (!('record' in line)) throw new Error('its record is missing');
  const said = await next();
  if (!('ready' in said)) throw new Error('it is not ready');
  const end = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return { child, record: line.record, ready: said.ready, next, end };
}

describe('a session that another engine resumes', () => {
  it.each([
    [
      'node',
      'let x = 41; const { existsSync } = require("node:fs")',
      'console.log("on"); while (!existsSync("go")) await new Promise((done) => setTimeout(done, 50)); console.log(x + 1)',
    ],
    ['bash', 'x=41', 'echo on; until [ -e go ]; do sleep 0.05; done; echo $((x + 1))'],
    [
      'csharp',
      'var x = 41;',
      'Console.WriteLine("on"); while (!System.IO.File.Exists("go")) System.Threading.Thread.Sleep(50); Console.WriteLine(x + 1);',
    ],
    ['r', 'x <- 41', 'cat("on\n"); while (!file.exists("go")) Sys.sleep(0.05); cat(x + 1)'],
  ])('has its variables and its running cell in %s', async (language, set, code) => {
    const first = await start();
    const record = await open(first, language);
    expect(await run(first.engine, record.sessionId, set, { language })).toMatchObject({ status: 'ok' });
    const begun = deferred<void>();
    const request = { language, owner: OWNER, sessionId: record.sessionId, code };
    const running = first.engine.run(request, () => begun.resolve());
    await begun.promise;
    await first.engine.detach();
    const { runId, status } = await running;
    expect(status).toBe('sandbox_lost');
    const second = await start();
    const { result } = await resume(second.engine, record);
    await release(second.engine, record.sessionId);
    const ended = await result;
    expect(ended).toMatchObject({ runId, status: 'ok', error: null });
    expect(ended?.stdout.trim()).toBe('on\n42');
    const after = await second.engine.run(request);
    expect(after.stdout.trim()).toBe('on\n42');
    await second.engine.dispose();
  });

  it('has the walls of every sandbox, and so have its copies', async () => {
    const first = await start();
    const record = await open(first);
    await run(first.engine, record.sessionId, 'x = 1');
    await first.engine.detach();
    const second = await start();
    await resume(second.engine, record);
    const held = ['0000000000000000', '1', '2', -1, 'lo'].map((one) => (typeof one === 'string' ? `'${one}'` : one));
    const own = await run(second.engine, record.sessionId, WALLS);
    expect(own.result?.['text/plain']).toBe(`[${held.join(', ')}]`);
    const tried = await second.engine.tryCode(record.sessionId, [{ code: WALLS }, { code: WALLS }]);
    const texts = tried.ok ? tried.value.candidates.map(({ result }) => result.result?.['text/plain']) : [];
    expect(texts).toEqual([`[${held.join(', ')}]`, `[${held.join(', ')}]`]);
    await second.engine.dispose();
  });

  it('asks the question again that its cell has asked in the earlier engine', async () => {
    const first = await start();
    const record = await open(first);
    const asked: string[] = [];
    const onInput = ({ text }: { readonly text: string }) => {
      asked.push(text);
      return new Promise<string>(() => {});
    };
    void begin(first.engine, record.sessionId, 'name = input("Name? "); print("hello", name)', { onInput });
    await expect.poll(() => asked).toEqual(['Name? ']);
    await first.engine.detach();
    const second = await start();
    const { result } = await resume(second.engine, record, async ({ text }) => {
      asked.push(text);
      return 'Ada';
    });
    expect(await result).toMatchObject({ status: 'ok', stdout: 'begun\nName? Ada\nhello Ada\n' });
    expect(asked).toEqual(['Name? ', 'Name? ']);
    await second.engine.dispose();
  });

  it('returns an answer again, with its id, that an engine had returned when it was killed', async () => {
    const { record, ready: runId } = await left('answer');
    const second = await start();
    const { result } = await resume(second.engine, record);
    expect(await result).toMatchObject({ runId, status: 'ok', stdout: '2\n' });
    expect(await run(second.engine, record.sessionId, 'print(x)')).toMatchObject({ stdout: '2\n' });
    await second.engine.dispose();
  });

  it('has lost the copies that ran when its engine was killed', async () => {
    const { record, end } = await left('trial');
    const processes = async () => (await processNames(record.sandboxId)).length;
    const withCopies = await processes();
    await end();
    const second = await start();
    const { result } = await resume(second.engine, record);
    expect(await result).toBeNull();
    expect(await run(second.engine, record.sessionId, 'print(x)')).toMatchObject({ status: 'ok', stdout: '1\n' });
    await expect.poll(processes).toBeLessThanOrEqual(withCopies - 2);
    const tried = await second.engine.tryCode(record.sessionId, [{ code: 'x + 1' }]);
    expect(tried).toMatchObject({
      value: { candidates: [{ result: { status: 'ok', result: { 'text/plain': '2' } } }] },
    });
    await second.engine.dispose();
  });

  it('comes from an engine that is stopped and holds its stream; that one loses it when it continues', async () => {
    const { child, record, next, end } = await left('cell');
    child.kill('SIGSTOP');
    const second = await start();
    const { info, result } = await resume(second.engine, record);
    expect(info.owner).toEqual(OWNER);
    await release(second.engine, record.sessionId);
    expect(await result).toMatchObject({ status: 'ok', stdout: 'begun\n2\n' });
    // Less than Docker keeps for the one that does not read.
    const print = 'print("o" * 200_000)';
    expect((await run(second.engine, record.sessionId, print)).stdout.length).toBe(200_001);
    child.kill('SIGCONT');
    expect(await next()).toEqual({ ready: 'sandbox_lost' });
    await end();
    expect(await run(second.engine, record.sessionId, 'print(x)')).toMatchObject({ stdout: '2\n' });
    await second.engine.dispose();
  });
});
