import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Interpreter } from '../../../src/languages/language.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { realSandbox, runCell, shown } from './harness.ts';
import { python } from './language.ts';

const PLOT = 'import matplotlib.pyplot as plt\n_ = plt.plot([1, 2])';

/** With IPython loaded ahead of time, and without. */
describe.each([[['IPython', 'matplotlib.pyplot']], [[]]])(
  'the first lines of notebooks, with %j preloaded',
  (modules) => {
    let sandbox: Sandbox;
    let session: Interpreter;
    beforeAll(async () => {
      sandbox = await realSandbox();
    });
    beforeEach(async () => {
      await sandbox.reset(10_000);
      await sandbox.request({ op: 'preload', modules });
      session = python.open(sandbox, { once: false });
    });
    afterAll(() => sandbox.dispose());

    it.each([
      '%matplotlib inline',
      '%matplotlib notebook',
      '%matplotlib',
      '%matplotlib widget',
      '%gui qt',
      '%pylab inline',
      "%config InlineBackend.figure_format = 'retina'",
      '%load_ext autoreload\n%autoreload 2',
      '%time 1 + 1',
      '%precision 3',
    ])('run, and figures are shown: %s', async (line) => {
      expect(await runCell(session, line)).toMatchObject({ status: 'ok', error: null });
      const plotted = await runCell(session, PLOT);
      expect(plotted).toMatchObject({ status: 'ok', error: null, stderr: '' });
      expect(shown(plotted)).toEqual([['image/png', 'text/plain']]);
    });

    it('say in one line that figures of widgets and windows are shown inline', async () => {
      for (const gui of ['widget', 'notebook', 'qt']) {
        const ended = await runCell(session, `%matplotlib ${gui}`);
        expect(ended.stdout.trimEnd().split('\n')).toEqual([expect.stringContaining(`%matplotlib ${gui}: figures`)]);
      }
      expect((await runCell(session, '%matplotlib inline')).stdout).toBe('');
    });

    it('can select another format for figures', async () => {
      await runCell(session, "%config InlineBackend.figure_formats = ['svg']");
      expect(shown(await runCell(session, PLOT))).toEqual([['image/svg+xml', 'text/plain']]);
    });

    it('change the folder and keep bookmarks of folders without a warning', async () => {
      const code = '%cd -q /tmp\n%bookmark here\n%cd -q /\n%cd here\n!pwd';
      expect(await runCell(session, code)).toMatchObject({
        status: 'ok',
        stdout: '(bookmark:here) -> /tmp\n/tmp\n/tmp\n',
      });
      expect(await runCell(session, '%cd -q /')).toMatchObject({ status: 'ok', stderr: '' });
    });

    it('reload a changed module where %autoreload asks for it', async () => {
      await runCell(session, '%%writefile helpers.py\ndef answer(): return 1');
      expect(await runCell(session, 'from helpers import answer\nanswer()')).toMatchObject({ value: '1' });
      await runCell(session, '%load_ext autoreload\n%autoreload 2');
      await runCell(session, '%%writefile helpers.py\ndef answer(): return "two"');
      expect(await runCell(session, 'answer()')).toMatchObject({ status: 'ok', value: "'two'", stderr: '' });
    });

    it('show the value of every statement, or of an assignment, where ast_node_interactivity asks for it', async () => {
      const code =
        'from IPython.core.interactiveshell import InteractiveShell\nInteractiveShell.ast_node_interactivity =';
      await runCell(session, `${code} 'all'`);
      const all = await runCell(session, '1\nx = 2\nx\n"three"');
      expect(all).toMatchObject({
        out: [
          { kind: 'display', display: { data: { 'text/plain': '1' } } },
          { kind: 'display', display: { data: { 'text/plain': '2' } } },
          { kind: 'result', data: { 'text/plain': "'three'" } },
        ],
      });
      expect((await runCell(session, '1\n2;')).out).toEqual([]);
      await runCell(session, `${code} 'last_expr_or_assign'`);
      expect(await runCell(session, 'y = 4')).toMatchObject({ status: 'ok', value: '4' });
      expect((await runCell(session, 'z: int')).out).toEqual([]);
    });

    it('call what is registered for each cell, and keep the texts of cells', async () => {
      const register = `
from IPython import get_ipython
def said(result):
    print(result.info.raw_cell, type(result.error_in_exec).__name__)
get_ipython().events.register('post_run_cell', said)`;
      await runCell(session, register, { name: '<cell 2>' });
      expect(await runCell(session, '1/0', { name: '<cell 3>' })).toMatchObject({
        status: 'error',
        stdout: '1/0 ZeroDivisionError\n',
      });
      await runCell(session, 'get_ipython().events.unregister("post_run_cell", said)', { name: '<cell 4>' });
      expect(await runCell(session, 'In[3], get_ipython().execution_count', { name: '<cell 5>' })).toMatchObject({
        value: "('1/0', 5)",
      });
      expect(await runCell(session, '%history 3-4', { name: '<cell 6>' })).toMatchObject({
        stdout: '1/0\nget_ipython().events.unregister("post_run_cell", said)\n',
      });
    });

    it('show what %load would put into the cell', async () => {
      await runCell(session, '%%writefile part.py\nx = 1');
      expect((await runCell(session, '%load part.py')).stdout).toContain('x = 1\n');
    });

    it('run where code has changed IPython', async () => {
      await runCell(session, 'del get_ipython().history_manager.input_hist_raw, get_ipython().events');
      expect(await runCell(session, '6 * 7')).toMatchObject({ status: 'ok', value: '42', alive: true });
    });

    it('run a program after an exclamation mark', async () => {
      expect(await runCell(session, '!echo from a shell')).toMatchObject({ status: 'ok', stdout: 'from a shell\n' });
      expect(await runCell(session, 'lines = !echo one; echo two\n[*lines]')).toMatchObject({
        value: "['one', 'two']",
      });
    });

    it('end a program of a cell when the cell is interrupted', async () => {
      const code = '!echo begun; sleep 3000; echo on\nprint("and on")';
      let printed = '';
      const cell = session.run({ code, name: '<c>', stdin: '', state: null }, (item) => {
        if (item.kind !== 'stdout') return;
        printed += item.text;
        session.interrupt();
      });
      expect(await cell).toMatchObject({ status: 'interrupted', alive: true });
      expect(printed).toBe('begun\n');
      expect(await runCell(session, '!exit 3\n_exit_code')).toMatchObject({ value: '3' });
    });

    it("can write to Matplotlib's folders", async () => {
      const code = `
import matplotlib, os
[os.access(folder(), os.W_OK) for folder in (matplotlib.get_configdir, matplotlib.get_cachedir)]`;
      expect(await runCell(session, code)).toMatchObject({ value: '[True, True]' });
    });

    it.each(['exit()', 'quit()', 'exit(0)', 'import sys; sys.exit()'])(
      'end the cell and keep the session: %s',
      async (line) => {
        await runCell(session, '%matplotlib inline\nx = 7');
        expect(await runCell(session, `${line}\nx = 8`)).toMatchObject({ status: 'ok', error: null, alive: true });
        expect(await runCell(session, 'x')).toMatchObject({ value: '7' });
      },
    );
  },
);
