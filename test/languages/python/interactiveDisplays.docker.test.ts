import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Interpreter } from '../../../src/languages/language.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { isOnLocalHost } from '../../testHost.ts';
import { type CellResult, realSandbox, runCell, shown } from './harness.ts';
import { python } from './language.ts';

const CHART = ['application/vnd.plotly.v1+json', 'text/html'];
const NOTE = 'Widgets are shown as text, as there is no window for interactive ones.\n';

let sandbox: Sandbox;
let session: Interpreter;
beforeAll(async () => {
  sandbox = await realSandbox();
});
beforeEach(async () => {
  await sandbox.reset(10_000);
  session = python.open(sandbox, { once: false });
});
afterAll(() => sandbox.dispose());

/** The HTML of the first display, or of the result. */
function htmlOf({ out }: CellResult): unknown {
  return out.flatMap((item) => {
    if (item.kind === 'display') return [item.display.data['text/html']];
    return item.kind === 'result' ? [item.data['text/html']] : [];
  })[0];
}

/** The same without text, which IPython adds to what is a result to it. */
function charts(ended: CellResult): string[][] {
  return shown(ended).map((types) => types.filter((type) => type !== 'text/plain'));
}

describe('a chart of Plotly', () => {
  beforeEach(async () => {
    await runCell(session, 'import plotly.graph_objects as go, plotly.io as pio\nfig = go.Figure(go.Bar(y=[3, 1]))');
  });

  it.each(['fig', 'fig.show()', 'display(fig)', 'fig.update_layout(title="a")'])(
    'is shown once by %s',
    async (code) => {
      expect(charts(await runCell(session, code))).toEqual([CHART]);
    },
  );

  it('is the result of its cell, with a text for agents', async () => {
    expect((await runCell(session, 'fig')).value).toContain('Figure');
  });

  it('is a page that loads plotly.js itself and has the height of the chart', async () => {
    const page = String(htmlOf(await runCell(session, 'fig.update_layout(height=300, title="<i>&")')));
    expect(page).toMatch(/^<iframe srcdoc="[^"]+" style="width: 100%; height: 320px; border: 0"><\/iframe>$/);
    expect(page).toContain('https://cdn.plot.ly/plotly-');
    expect(page).not.toContain('require(');
  });

  it.each(['notebook', 'notebook_connected', 'vscode', 'browser', 'iframe'])(
    'is shown with the renderer %s that a notebook selects',
    async (renderer) => {
      await runCell(session, `pio.renderers.default = ${JSON.stringify(renderer)}`);
      const ended = await runCell(session, 'fig.show()');
      expect(ended).toMatchObject({ status: 'ok', error: null, stderr: '' });
      expect(charts(ended)).toEqual([CHART]);
    },
  );

  it('is shown by init_notebook_mode and iplot of older notebooks', async () => {
    const code =
      'from plotly.offline import init_notebook_mode, iplot\ninit_notebook_mode(connected=False)\niplot(fig)';
    expect(charts(await runCell(session, code))).toEqual([CHART]);
  });

  // Plotly 6 and later need anywidget for it, which the environment without a container engine does not have.
  it.skipIf(isOnLocalHost)('is shown as a widget', async () => {
    expect(charts(await runCell(session, 'go.FigureWidget(fig)'))).toEqual([CHART]);
  });
});

describe('a widget of ipywidgets', () => {
  beforeEach(async () => {
    await runCell(session, 'import ipywidgets as widgets\nfrom IPython.display import display');
  });

  it('is shown as text, and one line says so once', async () => {
    const first = await runCell(session, 'widgets.IntSlider(value=7, description="n")');
    expect(first).toMatchObject({ stdout: NOTE, value: "IntSlider(value=7, description='n')" });
    const second = await runCell(session, 'display(widgets.Text("a"), widgets.Dropdown(options=[1, 2]))');
    expect(second.stdout).toBe('');
    expect(shown(second)).toEqual([['text/plain'], ['text/plain']]);
  });

  it('with HTML is shown as HTML', async () => {
    expect(htmlOf(await runCell(session, 'display(widgets.HTML("<b>a</b>"))'))).toBe('<b>a</b>');
  });

  it('of interact shows what the function prints, and keeps what the cell has shown before', async () => {
    const code = 'print("before")\nwidgets.interact(lambda n: print("n is", n), n=5);\nprint("after")';
    const ended = await runCell(session, code);
    expect(ended.stdout.replace(NOTE, '')).toBe('before\nn is 5\nafter\n');
    expect(ended.error).toBeNull();
  });

  it('for output does not keep the cell from being cleared', async () => {
    const ended = await runCell(
      session,
      'from IPython.display import clear_output\nout = widgets.Output()\nwith out: print("in")\nclear_output()',
    );
    expect(ended.out.map(({ kind }) => kind)).toEqual(['stdout', 'clear']);
  });
});
