import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Interpreter } from '../../../src/languages/language.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { realSandbox, runCell } from './harness.ts';
import { python } from './language.ts';

let sandbox: Sandbox;
let session: Interpreter;
beforeAll(async () => {
  sandbox = await realSandbox();
  await sandbox.request({ op: 'preload', modules: ['numpy', 'pandas', 'matplotlib.pyplot', 'IPython'] });
  session = python.open(sandbox, { once: false });
});
afterAll(() => sandbox.dispose());

it.each([
  'bs4',
  'html5lib',
  'ipywidgets',
  'jinja2',
  'lxml.etree',
  'networkx',
  'openpyxl',
  'PIL.Image',
  'pip',
  'plotly.express',
  'pyarrow.parquet',
  'requests',
  'seaborn',
  'sqlalchemy',
  'statsmodels.api',
  'tabulate',
  'tqdm.notebook',
  'uv',
  'xarray',
  'yaml',
])('imports %s', async (module) => {
  expect(await runCell(session, `import ${module}`)).toMatchObject({ status: 'ok', error: null });
});

it('starts no thread for PyArrow, which pandas imports: a process with threads cannot be forked safely', async () => {
  const code = 'import os, sys, pandas\nprint("pyarrow" in sys.modules, len(os.listdir("/proc/self/task")))';
  const fresh = python.open(sandbox, { once: true });
  expect(await runCell(fresh, code)).toMatchObject({ stdout: 'True 1\n' });
});

it('gives the packages to interpreters that code starts as libraries do', async () => {
  const code = `
import subprocess, sys
program = 'import numpy; print(numpy.__name__)'
print(subprocess.check_output([sys.executable, *subprocess._args_from_interpreter_flags(), '-c', program], text=True))`;
  expect(await runCell(session, code)).toMatchObject({ status: 'ok', stdout: 'numpy\n\n' });
});

it('writes and reads Parquet and Excel files', async () => {
  const code = `
import pandas as pd
frame = pd.DataFrame({'a': [1, 2]})
frame.to_parquet('a.parquet')
frame.to_excel('a.xlsx', index=False)
print(pd.read_parquet('a.parquet').equals(frame), pd.read_excel('a.xlsx').equals(frame), '<table' in frame.style.to_html())`;
  expect(await runCell(session, code)).toMatchObject({ status: 'ok', stdout: 'True True True\n' });
});

it.each(['!python --version', '!python3 --version'])('runs %s', async (command) => {
  expect((await runCell(session, command)).stdout).toMatch(/^Python 3\.\d+/);
});
