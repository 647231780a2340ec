import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import { Options } from '../../src/engine/options.ts';
import type { Engine, Owner, RunOutput, RunRequest } from '../../src/engine/types.ts';
import { machineId, thisOwner } from '../../src/host/identity.ts';
import { LABEL } from '../../src/host/labels.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { OUT_OF_MEMORY, testHost } from '../testHost.ts';

const OWNER: Owner = { id: 'tests', kind: 'notebook', label: 'tests' };
const OPTIONS = { limits: { memoryMb: 256 }, python: { preload: [] } };
// Not this process's own name: other test files of the same process may make containers too.
const identity = { machine: '', owner: '' };

/** As another program has it. */
const host = testHost();

/** Ids of the containers that this file's engine has now. */
async function containers(): Promise<string[]> {
  return (await host.list({ [LABEL.machine]: identity.machine })).map(({ id }) => id);
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1_200; turn += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never came to: ${holds}`);
}

describe('an engine on a real host', () => {
  let engine: Engine;
  beforeAll(async () => {
    Object.assign(identity, { machine: `${await machineId()}-engine-test`, owner: await thisOwner() });
    engine = createEngine({
      connect: () => testHost(),
      agent: await loadAgent(path.resolve(import.meta.dirname, '../../images/agent')),
      options: Options.parse(OPTIONS),
      clock: systemClock,
      log: silentLog,
      identity,
      languages: LANGUAGES,
      images: imageSources(path.resolve(import.meta.dirname, '../../images'), async () => ({ buildArgs: {} })),
    });
  });
  afterAll(async () => {
    await engine.dispose();
    await host.dispose();
  });

  const run = (code: string, rest: Partial<RunRequest> = {}, signal?: AbortSignal) =>
    engine.run({ language: 'python', code, owner: OWNER, ...rest }, undefined, signal);
  /** Starts a cell and waits for its first output. */
  const begin = async (code: string, rest: Partial<RunRequest> = {}) => {
    let begun = false;
    const onOutput = () => {
      begun = true;
    };
    const result = engine.run({ language: 'python', owner: OWNER, code: `print('go')\n${code}`, ...rest }, onOutput);
    await until(() => begun);
    return { result };
  };
  const open = async () => {
    const opened = await engine.openSession('python', OWNER);
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value.id;
  };
  const session = (id: string) => engine.snapshot().sessions.find((other) => other.id === id);

  it('runs one-shot code with output in order, and leaves nothing for the next run', async () => {
    const outputs: RunOutput[] = [];
    const code = "import sys\nprint('out')\nprint('err', file=sys.stderr)\nopen('left', 'w').write('x')\n6 * 7";
    const result = await engine.run({ language: 'python', code, owner: OWNER }, (output) => outputs.push(output));
    expect(result).toMatchObject({ status: 'ok', exitCode: 0, stdout: 'out\n', stderr: 'err\n', error: null });
    expect(result.result).toMatchObject({ 'text/plain': '42' });
    // A stream may arrive in several pieces.
    expect([...new Set(outputs.map(({ kind }) => kind))]).toEqual(['stdout', 'stderr', 'result']);
    expect(await run("import os\nprint(os.listdir('.'), 'code' in globals())")).toMatchObject({ stdout: '[] False\n' });
  });

  it('ends a run as its code ends when a listener of output throws', async () => {
    const fails = () => {
      throw new Error('a caller has a defect');
    };
    const request = { language: 'python', code: 'print("a")\nprint("b")\n7', owner: OWNER };
    expect(await engine.run(request, fails)).toMatchObject({ status: 'ok', stdout: 'a\nb\n' });
    const opened = await engine.openSession('python', OWNER);
    if (!opened.ok) throw new Error(opened.error.message);
    const sessionId = opened.value.id;
    expect(await engine.run({ ...request, sessionId, code: 'x = 1\nprint(x)' }, fails)).toMatchObject({ status: 'ok' });
    expect(await engine.run({ ...request, sessionId, code: 'print(x + 1)' })).toMatchObject({ stdout: '2\n' });
    await engine.closeSession(sessionId);
  });

  it('accepts state and stdin, and returns the state', async () => {
    const result = await run('n += int(input())', { state: { n: 1 }, stdin: '41\n' });
    expect(result).toMatchObject({ status: 'ok', state: { n: 42 } });
  });

  it('reports the line of an error', async () => {
    const result = await run('x = 1\nx / 0');
    expect(result).toMatchObject({ status: 'error', error: { name: 'ZeroDivisionError' } });
    expect(result.error?.traceback).toContain('line 2');
  });

  it('ends a run at its timeout and when it is cancelled', async () => {
    expect(await run('while True: pass', { timeoutSeconds: 0.5 })).toMatchObject({ status: 'timeout' });
    const abort = new AbortController();
    const running = run('while True: pass', {}, abort.signal);
    await until(() => engine.snapshot().running === 1);
    abort.abort();
    expect((await running).status).toBe('interrupted');
  });

  it('ends a run that wants more memory than its limit', async () => {
    const result = await run('x = bytearray(10**9)\nfor i in range(0, 10**9, 4096): x[i] = 1');
    expect(result).toMatchObject(OUT_OF_MEMORY);
    expect((await run('print(1)')).stdout).toBe('1\n');
  });

  it('runs many requests at once and never mixes their output', async () => {
    const numbers = Array.from({ length: 50 }, (_, number) => number);
    const results = await Promise.all(numbers.map((number) => run(`print(${number})`)));
    expect(results.map(({ stdout }) => stdout)).toEqual(numbers.map((number) => `${number}\n`));
  });

  it('keeps a session through errors, timeouts and interrupts', async () => {
    const sessionId = await open();
    expect((await run('import math\nx = 41', { sessionId })).status).toBe('ok');
    expect((await run('1 / 0', { sessionId })).status).toBe('error');
    const late = await run('while True: pass', { sessionId, timeoutSeconds: 0.5 });
    expect(late).toMatchObject({ status: 'timeout', sessionLost: false });
    const { result } = await begin('while True: pass', { sessionId });
    await engine.interruptSession(sessionId);
    expect(await result).toMatchObject({ status: 'interrupted', sessionLost: false });
    expect((await run('math.floor(x + 1.5)', { sessionId })).result).toMatchObject({ 'text/plain': '42' });
    // The first completion loads the completer, and an editor asks again.
    const matches = async () => {
      const completions = await engine.complete(sessionId, 'math.flo', 8);
      return completions.ok ? completions.value.matches.map((match) => match.replace(/^.*\./, '')) : [];
    };
    await expect.poll(matches, { timeout: 30_000, interval: 100 }).toContain('floor');
    await engine.closeSession(sessionId);
    expect((await run('x', { sessionId })).error?.message).toContain('it was closed');
  });

  it('ends a session whose cell does not stop, and restarts it', async () => {
    const sessionId = await open();
    const stubborn = 'import time\nwhile True:\n  try: time.sleep(60)\n  except KeyboardInterrupt: pass';
    const { result } = await begin(stubborn, { sessionId });
    await engine.interruptSession(sessionId);
    expect(await result).toMatchObject({ status: 'interrupted', sessionLost: true });
    expect((await engine.restartSession(sessionId)).ok).toBe(true);
    expect((await run('print(2)', { sessionId })).stdout).toBe('2\n');
    await engine.closeSession(sessionId);
  });

  it('recovers when another program removes containers', async () => {
    const sessionId = await open();
    const inSession = await begin('import time\ntime.sleep(60)', { sessionId });
    const oneShot = await begin('import time\ntime.sleep(60)');
    const removed = await containers();
    for (const id of removed) await host.remove(id);
    expect(await inSession.result).toMatchObject({ status: 'sandbox_lost', sessionLost: true });
    expect(await oneShot.result).toMatchObject({ status: 'sandbox_lost' });
    expect(session(sessionId)?.state).toBe('ended');
    // One that was idle is known to be lost a moment after it has gone.
    const known = () => engine.snapshot().environments.flatMap(({ sandboxes }) => sandboxes.map(({ id }) => id));
    await until(() => known().every((id) => !removed.includes(id)));
    expect((await run('print(3)')).stdout).toBe('3\n');
    await engine.closeSession(sessionId);
  });

  it('applies new options to warm sandboxes and keeps the session', async () => {
    const sessionId = await open();
    await run('x = 5', { sessionId });
    engine.configure(Options.parse({ ...OPTIONS, limits: { memoryMb: 160 } }));
    expect((await run('x', { sessionId })).result).toMatchObject({ 'text/plain': '5' });
    await until(async () => {
      const sandboxes = engine.snapshot().environments[0]?.sandboxes ?? [];
      return sandboxes.length === 3 && sandboxes.every(({ state }) => state === 'idle' || state === 'leased');
    });
    expect(await containers()).toHaveLength(3);
    const fill = 'filled = b"x" * (190 << 20)';
    expect(await run(fill, { sessionId })).toMatchObject({ status: 'ok' });
    expect(await run(fill)).toMatchObject(OUT_OF_MEMORY);
    await engine.closeSession(sessionId);
  });

  it('leaves no container after dispose, whatever runs at that moment', async () => {
    const sessionId = await open();
    const running = await begin('import time\ntime.sleep(60)', { sessionId });
    const booting = run('print(1)', { owner: { ...OWNER, id: 'another' } });
    await engine.dispose();
    expect(await containers()).toEqual([]);
    expect((await running.result).sessionLost).toBe(true);
    expect((await booting).status).not.toBe('timeout');
  });
});
