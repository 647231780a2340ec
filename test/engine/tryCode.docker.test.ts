import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deferred } from '../../src/base/deferred.ts';
import type { TryOptions } from '../../src/engine/trial/types.ts';
import { type Isolated, isolationEngine, OWNER, PROCESSES } from '../isolation/harness.ts';
import { isOnLocalHost, OUT_OF_MEMORY } from '../testHost.ts';

describe('candidates in a real session', () => {
  let isolated: Isolated;
  beforeAll(async () => {
    isolated = await isolationEngine({ limits: { memoryMb: 300 }, python: { preload: ['numpy', 'IPython'] } });
  });
  afterAll(() => isolated.dispose());

  async function openSession() {
    const { engine } = isolated;
    const opened = await engine.openSession('python', OWNER);
    if (!opened.ok) throw new Error(opened.error.message);
    const { id } = opened.value;
    const run = (code: string) => engine.run({ language: 'python', code, owner: OWNER, sessionId: id });
    const attempt = async (codes: readonly string[], options: TryOptions = {}) => {
      const given = codes.map((code) => ({ code }));
      const tried = await engine.tryCode(id, given, options);
      if (!tried.ok) throw new Error(tried.error.message);
      const results = tried.value.candidates.map(({ result }) => result);
      return { ...tried.value, results, texts: results.map(({ result }) => result?.['text/plain'] ?? null) };
    };
    return { id, engine, run, attempt, close: () => engine.closeSession(id) };
  }

  it('run side by side, and leave no process', async () => {
    const { run, attempt, close } = await openSession();
    await run('import time, os; x = 1');
    // Each waits until another one runs too.
    const pair = (index: number) => `
open(f"at-{os.getpid()}", "w").close(); print(os.getpid())
while sum(name.startswith("at-") for name in os.listdir()) < 2: time.sleep(0.01)
x += ${index}; x`;
    const codes = Array.from({ length: 20 }, (_, index) => pair(index));
    const { results, texts } = await attempt(codes);
    expect(texts).toEqual(codes.map((_, index) => String(1 + index)));
    expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(20);
    // init, the zygote, the session, and a spare of each kind at most.
    expect(Number((await run(`${PROCESSES}\nseen`)).result?.['text/plain'])).toBeLessThanOrEqual(5);
    await close();
  });

  it('that crash, loop, kill what they can or exhaust the memory harm neither the session nor the others', async () => {
    const { run, attempt, close } = await openSession();
    await run('import os, signal, ctypes, threading; x = bytearray(50_000_000)');
    const bad = [
      'ctypes.string_at(0)',
      'while True: pass',
      'signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass',
      'os.kill(-1, signal.SIGKILL)',
      'b = bytearray(1_000_000_000)',
      'os._exit(3)',
      'raise SystemExit(4)',
    ];
    const { results, texts } = await attempt([...bad, 'import time; time.sleep(1); len(x)'], { timeoutSeconds: 10 });
    expect(results.map(({ status }) => status)).toEqual([
      ...['error', 'timeout', 'timeout', 'ok', OUT_OF_MEMORY.status, 'error', 'error', 'ok'],
    ]);
    expect(texts.at(-1)).toBe('50000000');
    expect(results[4]).toMatchObject(OUT_OF_MEMORY);
    if (!isOnLocalHost) expect(results[4]?.error?.message).toContain('300 MB');
    expect(results.every(({ sessionLost }) => !sessionLost)).toBe(true);
    expect((await run('len(x)')).result).toEqual({ 'text/plain': '50000000' });
    await close();
  });

  it('that together want more memory than there is end without the others', async () => {
    const { run, attempt, close } = await openSession();
    await run('import time; x = bytearray(50_000_000)');
    const hog = `
held = []
for _ in range(15):
  held.append(b"1" * 10_000_000)
  time.sleep(0.05)
time.sleep(5)`;
    const { results } = await attempt([hog, hog, 'time.sleep(2); len(x)'], { timeoutSeconds: 30 });
    const ends = results.map(({ status, error }) => error?.name ?? status);
    expect(ends.slice(0, 2)).toContain('OutOfMemory');
    expect(ends[2]).toBe('ok');
    expect((await run('len(x)')).result).toEqual({ 'text/plain': '50000000' });
    // What has ended before is not the reason of a later end.
    const { results: later } = await attempt(['import os, signal; os.kill(os.getpid(), signal.SIGKILL)']);
    expect(later[0]?.error?.name).toBe('SIGKILL');
    await close();
  });

  it('print while a thread of the session does, whose locks they do not wait for', async () => {
    const { run, attempt, close } = await openSession();
    await run(`
import threading, time
def report():
  while not done:
    print("x" * 100_000)
    time.sleep(0.002)
done = False
threading.Thread(target=report, daemon=True).start()`);
    for (let round = 0; round < 10; round += 1) {
      const { results } = await attempt(['print("printed")', 'import sys; sys.stderr.write("too\\n")'], {
        timeoutSeconds: 15,
      });
      expect(results.map(({ status, stdout, stderr }) => ({ status, stdout, stderr }))).toEqual([
        { status: 'ok', stdout: 'printed\n', stderr: '' },
        { status: 'ok', stdout: '', stderr: 'too\n' },
      ]);
    }
    expect(await run('done = True')).toMatchObject({ status: 'ok' });
    await close();
  });

  it('share files and random numbers, and keep functions, figures and tasks that wait', async () => {
    const { run, attempt, close } = await openSession();
    await run('import random, asyncio, numpy as np\nrandom.seed(1); np.random.seed(1)');
    await run(`
q = asyncio.Queue()
async def add():
  await asyncio.sleep(0.2)
  await q.put("late")
async def begin():
  global task
  task = asyncio.create_task(add())
await begin()
`);
    const drawn = await attempt(Array(3).fill('(random.random(), float(np.random.rand()), await q.get())'));
    expect(new Set(drawn.texts)).toEqual(new Set([drawn.texts[0]]));
    expect(drawn.texts[0]).toContain("'late'");
    expect((await run('(random.random(), float(np.random.rand()), await q.get())')).result?.['text/plain']).toBe(
      drawn.texts[0],
    );
    await attempt(['open("made", "w").write("x")']);
    expect((await run('open("made").read()')).result?.['text/plain']).toBe("'x'");
    await close();
  });

  it('become the session when they are kept, again and again, with completions and interrupts', async () => {
    const { id, engine, run, attempt, close } = await openSession();
    await run('values = []');
    for (let round = 0; round < 20; round += 1) {
      const { kept } = await attempt(['1/0', `values.append(${round})`, 'values.clear()'], { keep: 'first_ok' });
      expect(kept).toBe('2');
    }
    expect((await run('values == list(range(20))')).result).toEqual({ 'text/plain': 'True' });
    // A question that takes long, as the first one does on a busy machine, has no answer.
    const complete = () => engine.complete(id, 'valu', 4);
    await expect.poll(complete, { timeout: 20_000 }).toMatchObject({ value: { matches: ['values'] } });
    const begun = deferred<void>();
    const request = { language: 'python', owner: OWNER, sessionId: id } as const;
    const code = 'import time\nprint("go")\ntime.sleep(60)';
    const running = engine.run({ ...request, code }, () => begun.resolve());
    await begun.promise;
    await engine.interruptSession(id);
    expect(await running).toMatchObject({ status: 'interrupted', sessionLost: false });
    expect(Number((await run(`${PROCESSES}\nseen`)).result?.['text/plain'])).toBeLessThanOrEqual(5);
    await close();
  });

  it('of two trials at once each start from the session as the one before has left it', async () => {
    const { run, attempt, close } = await openSession();
    await run('x = 1');
    const [first, second, cell] = await Promise.all([
      attempt(['x += 1; x', 'x += 2; x'], { keep: 'first_ok' }),
      attempt(['x += 10; x', 'x += 20; x']),
      run('print(x)'),
    ]);
    expect(first.texts).toEqual(['2', '3']);
    expect(second.texts).toEqual(['12', '22']);
    expect(cell).toMatchObject({ status: 'ok', stdout: '2\n' });
    await close();
  });

  it('lack threads and sockets of the session, which is reported, and print nothing twice', async () => {
    const { run, attempt, close } = await openSession();
    await run(`
import threading, socket, sys, ctypes
threading.Thread(target=threading.Event().wait, daemon=True).start()
one, other = socket.socketpair()
sys.stdout.write("unfinished"); ctypes.CDLL(None).printf(b"from C")
`);
    const tried = await attempt(['one.recv(1), threading.active_count()', 'print("x")']);
    expect(tried.losses).toEqual({ threads: 1, sockets: 2 });
    expect(tried.texts[0]).toBe("(b'', 1)");
    expect(tried.results[1]?.stdout).toBe('x\n');
    expect((await run('other.send(b"y"); one.recv(1)')).result).toEqual({ 'text/plain': "b'y'" });
    await close();
  });

  it('of a session whose code prevents copies fail, and the session ends only if it does not answer', async () => {
    const { run, attempt, close } = await openSession();
    await run('import os\nreal = os.fork\ndef refuse(): raise OSError\nos.fork = refuse');
    const { results } = await attempt(['1', '2'], { timeoutSeconds: 5 });
    expect(results.map(({ status, error }) => [status, error?.message])).toEqual(
      Array(2).fill(['error', expect.stringContaining('could not be copied')]),
    );
    await run('os.fork = real');
    expect((await attempt(['1'])).texts).toEqual(['1']);
    await run('import time\nos.fork = lambda: time.sleep(1000)');
    const stuck = await attempt(['1'], { timeoutSeconds: 0.5 });
    expect(stuck.results[0]).toMatchObject({ status: 'timeout', sessionLost: true });
    await close();
  });
});
