import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Interpreter } from '../../../src/languages/language.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { realSandbox, runCell, shown } from './harness.ts';
import { python } from './language.ts';

let sandbox: Sandbox;
let session: Interpreter;
beforeAll(async () => {
  sandbox = await realSandbox();
  session = python.open(sandbox, { once: false });
});
afterAll(() => sandbox.dispose());

const run = (code: string) => runCell(session, code);

describe('a session', () => {
  it('keeps variables, imports and functions', async () => {
    await run('import math\ndef add(a, b): return a + b\nx = 10');
    expect(await run('add(x, 20), math.floor(2.5)')).toMatchObject({ status: 'ok', value: '(30, 2)', alive: true });
  });

  it('keeps variables after an error and after exit()', async () => {
    expect(await run('1/0')).toMatchObject({ status: 'error', alive: true });
    expect(await run('exit(2)')).toMatchObject({ status: 'error', exitCode: 2, alive: true });
    expect((await run('x')).value).toBe('10');
  });

  it('keeps variables after an interrupt', async () => {
    const end = session.run({ code: 'print("on")\nwhile True: pass', name: '<c>', stdin: '', state: null }, (item) => {
      if (item.kind === 'stdout') session.interrupt();
    });
    expect(await end).toMatchObject({ status: 'interrupted', error: { name: 'KeyboardInterrupt' }, alive: true });
    expect((await run('x')).value).toBe('10');
  });

  it('can be interrupted before the first line of a cell, as when its process is late', async () => {
    // Four megabytes to read before the code starts.
    const cell = { code: 'while True: pass', name: '<c>', stdin: 'x'.repeat(4 << 20), state: null };
    for (let turn = 0; turn < 10; turn += 1) {
      const end = session.run(cell, () => {});
      session.interrupt();
      expect(await end).toMatchObject({ status: 'interrupted', alive: true });
    }
    expect((await run('x')).value).toBe('10');
  });

  it('ignores an interrupt between cells', async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      session.interrupt();
      expect((await run('x')).value).toBe('10');
    }
  });

  it('has the built-in names as a module, as a program has', async () => {
    expect(await run('len(dir(__builtins__)) > 100, __builtins__.__name__')).toMatchObject({
      value: "(True, 'builtins')",
    });
  });

  it('keeps future statements and the last value', async () => {
    await run('from __future__ import annotations');
    await run('def f(a: undefined_name): return a');
    await run('40 + 2');
    expect((await run('f(_)')).value).toBe('42');
  });

  it('completes names, in UTF-16 offsets', async () => {
    await run('alphabet = 1');
    const list = await session.complete('"😀"; alph', 10);
    expect(list).toMatchObject({ start: 6, end: 10 });
    expect(list.matches).toContain('alphabet');
  });

  it('completes names of variables where Jedi fails', async () => {
    const other = python.open(sandbox, { once: false });
    await runCell(other, 'alphabet = 1\nimport jedi; jedi.Interpreter = None');
    expect(await other.complete('x = alph', 8)).toEqual({ start: 4, end: 8, matches: ['alphabet'] });
    other.kill();
    await other.ended;
  });

  it('shows figures without savefig: by show(), at the end of the cell, and as a value', async () => {
    expect(shown(await run('import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint("after")'))).toEqual([
      ['image/png', 'text/plain'],
    ]);
    expect(shown(await run('plt.plot([1, 2]);'))).toEqual([['image/png', 'text/plain']]);
    expect(shown(await run('fig, ax = plt.subplots()\nax.plot([1])\nfig'))).toEqual([['image/png', 'text/plain']]);
  });

  it('shows tables, formulas, Markdown and SVG', async () => {
    const code = `
import pandas, sympy
from IPython.display import display, Markdown, SVG, HTML
display(pandas.DataFrame({"a": [1]}))
display(Markdown("# x"))
display(SVG("<svg xmlns='http://www.w3.org/2000/svg'/>"))
sympy.sqrt(sympy.Symbol("x"))`;
    expect(shown(await run(code))).toEqual([
      ['text/html', 'text/plain'],
      ['text/markdown', 'text/plain'],
      ['image/svg+xml', 'text/plain'],
      ['text/latex', 'text/plain'],
    ]);
  });

  it('updates and clears displays', async () => {
    const ended = await run(
      'from IPython.display import clear_output\nh = display("one", display_id=True)\nh.update("two")\nclear_output()',
    );
    expect(ended.out.map((item) => item.kind)).toEqual(['display', 'update', 'clear']);
  });

  it('understands magics and shell escapes', async () => {
    expect(await run('%time 1\n!echo from the shell')).toMatchObject({ status: 'ok' });
    expect((await run('!echo from the shell')).stdout).toContain('from the shell');
  });

  it('survives code that forks without waiting, and code that closes its streams', async () => {
    await run('import os\nos.fork()');
    for (let cell = 0; cell < 5; cell += 1) expect((await run('x')).value).toBe('10');
    expect(await run('os.close(2)\n1')).toMatchObject({ status: 'ok', value: '1' });
  });

  it('interrupts top-level await', async () => {
    const end = session.run(
      { code: 'import asyncio\nprint("on")\nawait asyncio.sleep(60)', name: '<c>', stdin: '', state: null },
      (item) => {
        if (item.kind === 'stdout') session.interrupt();
      },
    );
    expect(await end).toMatchObject({ status: 'interrupted', alive: true });
    expect((await run('x')).value).toBe('10');
  });

  it('awaits in later cells after an interrupt that came while the event loop stopped', async () => {
    const patched = `
import asyncio, os
stop = asyncio.events._set_running_loop
def interrupted(loop):
    asyncio.events._set_running_loop = stop
    if loop is None: os.kill(os.getpid(), 2)
    stop(loop)
async def work():
    asyncio.events._set_running_loop = interrupted
await work()`;
    expect(await run(patched)).toMatchObject({ status: 'interrupted', alive: true });
    expect((await run('await asyncio.sleep(0, 7)')).value).toBe('7');
  });

  it('ends when its process is killed, and returns the reason from then on', async () => {
    expect(await run('import os; os.kill(os.getpid(), 9)')).toMatchObject({ status: 'error', alive: false });
    expect(await run('x')).toMatchObject({ alive: false });
    expect(await session.complete('x', 1)).toEqual({ start: 0, end: 0, matches: [] });
  });
});

describe('a copy of a session', () => {
  it('lives when the session is killed as soon as it says that it was copied', async () => {
    const original = python.open(sandbox, { once: false });
    // The copy is late: it has just been forked when the session has its answer.
    const late = 'import os, time\nos.register_at_fork(after_in_child=lambda: time.sleep(0.2))\nx = 5';
    expect(await runCell(original, late)).toMatchObject({ status: 'ok' });
    const { interpreters = [], losses } = original.copy?.(1) ?? {};
    expect(await losses).toEqual({ threads: 0, sockets: 0 });
    original.kill();
    await original.ended;
    const [copy] = interpreters;
    expect(copy && (await runCell(copy, 'x'))).toMatchObject({ status: 'ok', value: '5' });
    copy?.kill();
    await copy?.ended;
  });
});
