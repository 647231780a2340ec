import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { workspace } from 'vscode';
import { report, test } from './harness.ts';
import { hostileDisplays, RAW_EVENTS } from './hostileDisplays.ts';
import { addCells, ended, execute, interruptEndless, notebookFile, runCell, SharedNotebook } from './notebook.ts';
import { outputsOf, STDERR, STDOUT, textOf } from './outputs.ts';

/** Tests of hostile displays and of floods of output. */
export function displayTests(): void {
  const shared = new SharedNotebook();
  const notebook = () => shared.get();

  test('a cell with any of 200 hostile displays ends, and the next cell runs', async () => {
    const opened = await shared.open(notebookFile('displays.ipynb'));
    await runCell(opened, RAW_EVENTS);
    const displays = hostileDisplays();
    assert.ok(displays.length >= 200, String(displays.length));
    const cells = await addCells(opened, ...displays.map((display, index) => `${display}\nprint("ran", ${index})`));
    const late = await lateness(async () => {
      await execute(cells);
      for (const [index, cell] of cells.entries()) {
        await ended(cell);
        assert.match(textOf(cell, STDOUT), new RegExp(`ran ${index}\n$`), displays[index]);
        assert.equal(cell.executionSummary?.success, true, displays[index]);
      }
    });
    report(`# ${cells.length} hostile displays: ${late}`);
  });

  test('a display that cannot be shown becomes a notice in its place', async () => {
    const bad = 'form("application/vnd.code.notebook.error")';
    const cell = await runCell(notebook(), `form("text/plain", '"a"'); ${bad}; form("text/plain", '"b"')`);
    const [before, failure, after] = outputsOf(cell);
    assert.deepEqual([before, after], [{ 'text/plain': 'a' }, { 'text/plain': 'b' }]);
    assert.match(failure?.[STDERR] ?? '', /^An output could not be shown: /);
  });

  test('an interrupt stops an endless cell after a hostile display', async () => {
    await interruptEndless(notebook(), 'form("x")');
    assert.match(textOf(await runCell(notebook(), 'print(len("kept"))'), STDOUT), /4/);
  });

  test('a notebook with hostile displays is saved as a valid notebook', async () => {
    assert.ok(await notebook().save());
    const bytes = await workspace.fs.readFile(notebook().uri);
    const { cells }: { cells: unknown[] } = JSON.parse(Buffer.from(bytes).toString());
    assert.equal(cells.length, notebook().cellCount);
  });

  for (const [name, code] of Object.entries(FLOODS)) {
    test(`a flood of ${name} ends, and the next cell runs`, async () => {
      const started = performance.now();
      const late = await lateness(async () => {
        const cell = await runCell(notebook(), `${code}\nprint("the end")`);
        assert.match(textOf(cell, STDOUT), /the end\n$/);
        assert.equal(cell.executionSummary?.success, true);
        assert.ok(cell.outputs.length <= 510, `${cell.outputs.length} outputs`);
      });
      report(`# ${name}: ${late}, ${((performance.now() - started) / 1000).toFixed(1)} s`);
      assert.deepEqual(outputsOf(await runCell(notebook(), '6 * 7')), [{ 'text/plain': '42' }]);
    });
  }

  test('the last of many updates is shown', async () => {
    const code = ['from IPython.display import display', 'handle = display("first", display_id=True)'];
    const cell = await runCell(notebook(), [...code, 'for i in range(2000): handle.update(i)'].join('\n'));
    assert.deepEqual(
      outputsOf(cell).map((output) => output['text/plain']),
      ['1999'],
    );
  });
}

const FLOODS: Readonly<Record<string, string>> = {
  displays: 'for i in range(60000): form("text/plain")',
  'bad displays': 'for i in range(60000): form("x")',
  'updates of one display':
    'show(\'{"text/plain": 1}\', id=\'"a"\')\nfor i in range(60000): form("text/plain", id=\'"a"\', kind="update")',
  'updates and clears':
    'for i in range(60000): form("text/plain", id=\'"%d"\' % i, kind="update"); raw(\'"type": "clear", "wait": false\')',
  'displays with an id and their updates':
    'for i in range(30000): form("text/plain", id=\'"%d"\' % i); form("text/plain", id=\'"%d"\' % (i // 2), kind="update")',
  errors: 'for i in range(60000): raw(\'"type": "error", "name": "x", "message": "y", "traceback": ""\')',
  'both streams in turn': 'import os\nfor i in range(100000): os.write(1, b"a"); os.write(2, b"b")\nprint()',
};

/** The largest delay of the extension host's event loop during `work`, as a sentence. */
async function lateness(work: () => Promise<void>): Promise<string> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  try {
    await work();
  } finally {
    delay.disable();
  }
  return `extension host late by at most ${(delay.max / 1e6).toFixed(0)} ms`;
}
