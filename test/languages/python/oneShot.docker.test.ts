import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { OUT_OF_MEMORY } from '../../testHost.ts';
import { once, realSandbox, shown } from './harness.ts';
import { python } from './language.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await realSandbox();
});
afterAll(() => sandbox.dispose());

describe('a one-shot run', () => {
  it('prints, and returns the value of its last expression', async () => {
    const result = await once(sandbox, 'x = 20\nprint("hello")\nx + 1');
    expect(result).toMatchObject({ status: 'ok', exitCode: 0, stdout: 'hello\n', value: '21', error: null });
  });

  it('returns no value after a semicolon, for None and for a statement', async () => {
    for (const code of ['1 + 1;', 'None', 'x = 1']) expect((await once(sandbox, code)).value).toBeUndefined();
  });

  it('accepts state, and returns the variables that JSON can hold', async () => {
    const code = 'y = x * 2\nt = (1, 2)\nimport math\ndef f(): pass\nbad = {1, 2}\nnan = float("nan")\n_hidden = 1';
    expect((await once(sandbox, code, { state: { x: 21 } })).state).toEqual({ x: 21, y: 42, t: [1, 2] });
  });

  it('keeps stdout and stderr apart and in order, also of programs that it starts', async () => {
    const code = `
import os, sys
for i in range(50):
    print("o", i)
    print("e", i, file=sys.stderr)
    os.system("echo p")
    os.write(1, b"raw\\n")`;
    const result = await once(sandbox, code);
    const texts = result.out.flatMap((item) => (item.kind === 'stdout' || item.kind === 'stderr' ? [item] : []));
    const order = texts
      .map((item) => `${item.kind}:${item.text}`)
      .join('')
      .replace(/stdout:|(?<=\n)stderr:/g, '');
    const wanted = Array.from({ length: 50 }, (_, i) => `o ${i}\ne ${i}\np\nraw\n`).join('');
    expect(order.replaceAll('stderr:', '')).toBe(wanted);
  });

  it('reads the given stdin up to its end', async () => {
    const code = 'print(input("name? "))\ntry:\n    input()\nexcept EOFError:\n    print("end")';
    expect(await once(sandbox, code, { stdin: 'Ada\n' })).toMatchObject({ status: 'ok', stdout: 'name? Ada\nend\n' });
    expect(await once(sandbox, 'input()')).toMatchObject({ status: 'error', error: { name: 'EOFError' } });
  });

  it("shows a traceback with the user's lines and none of the driver", async () => {
    const { error } = await once(sandbox, 'def f():\n    return 1 / 0\n\nf()');
    expect(error).toMatchObject({ name: 'ZeroDivisionError', message: 'division by zero' });
    expect(error?.traceback).toContain('File "<cell 1>", line 4, in <module>\n    f()');
    expect(error?.traceback).toContain('File "<cell 1>", line 2, in f\n    return 1 / 0');
    expect(error?.traceback).not.toContain('hothouse');
  });

  it('reports a syntax error with its line', async () => {
    const { error } = await once(sandbox, 'x = 1\nif x\n  y');
    expect(error).toMatchObject({ name: 'SyntaxError' });
    expect(error?.traceback).toContain('File "<cell 1>", line 2');
  });

  it('awaits at the top level', async () => {
    const result = await once(
      sandbox,
      'import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 7\nawait f()',
    );
    expect(result).toMatchObject({ status: 'ok', value: '7' });
  });

  it.each([
    ['import sys; sys.exit(3)', 'error', 3],
    ['exit(0)', 'ok', 0],
    ['raise SystemExit("why")', 'error', 1],
    ['import os; os._exit(4)', 'error', 4],
  ])('%s ends with %s and status %i', async (code, status, exitCode) => {
    expect(await once(sandbox, code)).toMatchObject({ status, exitCode });
  });

  it('joins its threads and runs its exit functions, as a program does', async () => {
    const code = `
import atexit, threading, time
atexit.register(print, "exit")
threading.Thread(target=lambda: (time.sleep(0.05), print("thread"))).start()
print("main")`;
    expect((await once(sandbox, code)).stdout).toBe('main\nthread\nexit\n');
  });

  it('ends executors that were not shut down, as a program does', async () => {
    const code = `
import asyncio, concurrent.futures
executor = concurrent.futures.ThreadPoolExecutor()
executor.submit(print, "executor")
await asyncio.to_thread(lambda: None)
print("main")`;
    const result = await once(sandbox, code);
    expect(result).toMatchObject({ status: 'ok', stdout: expect.stringContaining('main') });
  });

  it('is reported with the signal that ended it', async () => {
    const result = await once(sandbox, 'import os, signal; os.kill(os.getpid(), signal.SIGSEGV)');
    expect(result).toMatchObject({ status: 'error', exitCode: null, error: { name: 'SIGSEGV' } });
  });

  it('ends as out_of_memory at its memory limit, and the sandbox survives', async () => {
    const result = await once(sandbox, 'x = b"x" * (2 << 30)');
    expect(result).toMatchObject({ error: OUT_OF_MEMORY.error });
    expect(await sandbox.reset(5_000)).toMatchObject({ clean: true });
    expect(await once(sandbox, '1')).toMatchObject({ status: 'ok' });
  });

  it('survives endless recursion', async () => {
    expect(await once(sandbox, 'def f(): return f()\nf()')).toMatchObject({ error: { name: 'RecursionError' } });
  });

  it('can be killed', async () => {
    const interpreter = python.open(sandbox, { once: true });
    const end = interpreter.run({ code: 'while True: pass', name: '<x>', stdin: '', state: null }, () => {});
    interpreter.kill();
    expect(await end).toMatchObject({ status: 'killed', alive: false });
  });

  it.each([
    'import numpy\nfloat(numpy.random.rand())',
    'from numpy.random import rand\nfloat(rand())',
    'from numpy.random.mtrand import _rand\nfloat(_rand.rand())',
    'import numpy\nint(numpy.random.default_rng().integers(1 << 62))',
    'import random\nrandom.random()',
  ])('gives every run its own random numbers: %s', async (code) => {
    // Nothing is imported where a run has been.
    await sandbox.reset(5_000);
    await sandbox.request({ op: 'preload', modules: ['numpy.random'] });
    const values = [];
    for (let run = 0; run < 3; run += 1) values.push((await once(sandbox, code)).value);
    expect(values).not.toContain(undefined);
    expect(new Set(values).size).toBe(3);
  });

  it('returns the same random numbers for the same seed', async () => {
    const code = 'import numpy\nnumpy.random.seed(7)\nfloat(numpy.random.rand())';
    expect((await once(sandbox, code)).value).toBe('0.07630828937395717');
  });

  it('shows rich values of classes with display methods', async () => {
    const code = `
class Rich:
    def _repr_html_(self): return "<b>x</b>"
    def _repr_png_(self): return b"\\x89PNG"
    def __repr__(self): return "rich"
display(Rich())
Rich()`;
    const result = await once(sandbox, code);
    expect(shown(result)).toEqual(Array(2).fill(['image/png', 'text/html', 'text/plain']));
    expect(result.out[0]).toMatchObject({ display: { data: { 'image/png': 'iVBORw==', 'text/html': '<b>x</b>' } } });
  });
});
