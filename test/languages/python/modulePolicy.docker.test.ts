import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Interpreter, Language } from '../../../src/languages/language.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { realSandbox, runCell } from './harness.ts';
import { pythonWith } from './language.ts';

const BLOCKED = 'The code may not import os: it is on the list python.blockedModules.';
const REFUSED = { status: 'error', error: { name: 'ImportRefused', message: BLOCKED }, alive: true };

let sandbox: Sandbox;
let blocking: Interpreter;
let allowing: Interpreter;
beforeAll(async () => {
  sandbox = await realSandbox();
  const session = (language: Language) => language.open(sandbox, { once: false });
  blocking = session(pythonWith({ allowed: [], blocked: ['os'] }));
  allowing = session(pythonWith({ allowed: ['math', 'numpy', 'datetime', 'importlib'], blocked: [] }));
});
afterAll(() => sandbox.dispose());

describe('python.blockedModules', () => {
  it('refuses a cell before it starts, with the line of the import', async () => {
    const end = await runCell(blocking, 'print("started")\nif False:\n    from os import path');
    expect(end).toMatchObject({ ...REFUSED, stdout: '' });
    expect(end.error?.traceback).toContain('File "<cell 1>", line 3');
    expect(end.error?.traceback).toContain('from os import path');
    expect(end.error?.traceback).not.toContain('<hothouse>');
  });

  it.each([
    ['__import__', 'name = "o" + "s"\n__import__(name)'],
    ['import_module', 'import importlib\nimportlib.import_module("o" + "s")'],
    ['importlib.__import__', 'import importlib\nimportlib.__import__("o" + "s")'],
    ['exec', 'exec("import os")'],
    ['exec with variables of its own', 'exec("import os", {})'],
    ['eval', 'eval("__import__(\'os\')")'],
    ['a function that a library calls', 'import functools\nfunctools.reduce(lambda a, b: __import__("os"), [1, 2])'],
    ['a submodule', 'exec("import os.path")'],
    ['the arguments that a library in C passes', 'name = "o" + "s"\n__import__(name, globals(), locals(), [])'],
    ['all arguments', 'name = "o" + "s"\n__import__(name, globals(), locals(), [], 0)'],
    ['a text that splits differently', 'class S(str):\n  def split(self, *_): return ["x"]\n__import__(S("o" + "s"))'],
    ['letters that Python reads as the name', 'import ｏｓ'],
    ['a function that another one calls', 'list(map(__import__, ["o" + "s"]))'],
  ])('refuses the import by %s', async (_, code) => {
    const end = await runCell(blocking, code);
    expect(end).toMatchObject({ status: 'error', error: { name: 'ImportRefused' }, alive: true });
    expect(end.error?.message).toMatch(/may not import os(\.path)?: it is on the list python\.blockedModules\.$/);
  });

  it('refuses the import in a file of the workspace', async () => {
    await runCell(blocking, 'open("helper.py", "w").write("import math\\ndef f():\\n    import os\\n    return os")');
    expect(await runCell(blocking, 'import helper\nhelper.math.pi > 3')).toMatchObject({ status: 'ok', value: 'True' });
    const end = await runCell(blocking, 'helper.f()');
    expect(end).toMatchObject(REFUSED);
    expect(end.error?.traceback).toContain('helper.py", line 3');
  });

  it('lets libraries import a blocked module', async () => {
    // None of them was imported before, and each imports os itself.
    const code = 'import tempfile, numpy, pathlib, glob\ntempfile.gettempdir(), numpy.arange(3).sum()';
    expect(await runCell(blocking, code)).toMatchObject({ status: 'ok', error: null });
  });

  it('does not refuse names that only look like the module', async () => {
    const code = 'class P: x = 1\npos = P()\nos = P()\npos.x + os.x  # import os';
    expect(await runCell(blocking, code)).toMatchObject({ status: 'ok', value: '2' });
  });
});

describe('python.allowedModules', () => {
  it('refuses every other module', async () => {
    const end = await runCell(allowing, 'import json');
    expect(end.error).toMatchObject({
      name: 'ImportRefused',
      message: 'The code may not import json: it is not on the list python.allowedModules.',
    });
  });

  it('lets what is allowed work, with what it imports itself in Python and in C', async () => {
    const code = [
      'import math, numpy as np, importlib',
      'from datetime import datetime',
      'importlib.import_module("math")',
      'datetime.strptime("2026-01-02", "%Y-%m-%d").year, float(np.random.default_rng(1).random()) < 1, math.floor(2.5)',
    ].join('\n');
    expect(await runCell(allowing, code)).toMatchObject({ status: 'ok', value: '(2026, True, 2)' });
  });

  it('lets code handle a refused import as it handles a missing module', async () => {
    const code = 'def find(name):\n    try: return __import__(name)\n    except ImportError: return None\nfind("json")';
    expect(await runCell(allowing, code)).toMatchObject({ status: 'ok', value: undefined });
  });

  it('shows values and plots as without a policy', async () => {
    expect(await runCell(allowing, 'np.arange(3)')).toMatchObject({ status: 'ok', value: 'array([0, 1, 2])' });
  });
});
