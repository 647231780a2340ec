import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, inOutput, waitFor } from './uiPage.mjs';

const NOTEBOOKS = fileURLToPath(new URL('notebooks', import.meta.url));
/** Every notebook imports, fits or draws; a busy machine needs its time. */
const RUN_MS = 120_000;
/** Pixels: enough for a whole notebook, because VS Code draws only outputs in view. */
const TALL = { width: 1280, height: 4200 };

/** A folder with notebooks, their data and their module. */
export function notebooksFolder(out) {
  const folder = path.join(out, 'course');
  cpSync(NOTEBOOKS, folder, { recursive: true });
  return folder;
}

/** Notebooks made elsewhere: opened and run by the mouse, their outputs seen, their questions answered. */
export async function clickThroughNotebooks({ page, step }) {
  await servePlotly(page);
  await page.setViewportSize(TALL);
  await step('the first cell waits for the answer about the folder', () => askFolder(page));
  await step('sales.ipynb runs from top to bottom', () => sales(page), 'notebook-sales');
  await step('flowers.ipynb runs from top to bottom', () => flowers(page), 'notebook-flowers');
  await step('a notebook in a background tab runs to its end', () => background(page));
  await step('survey.ipynb installs a package, and input() and getpass() ask', () => survey(page));
  await step('charts of Plotly and widgets show', () => charts(page), 'notebook-survey');
  await step('%debug asks after an error', () => debug(page), 'notebook-debug');
}

async function askFolder(page) {
  await open(page, 'sales.ipynb');
  await clickRunAll(page);
  const question = page.locator('.notification-toast', { hasText: 'Copy the folder course' }).first();
  await question.getByRole('button', { name: 'Copy Folder' }).click({ timeout: RUN_MS });
}

async function sales(page) {
  await allRan(page);
  await text(page, 'Revenue by month');
  await text(page, 'monthly.parquet');
  await pictures(page, 2);
  const bars = await inOutput(page, (frame) => frame.locator('.output_container', { hasText: 'regions: 100%' }));
  const lines = (await bars.innerText()).split('\n').filter((line) => line.includes('%|'));
  if (lines.length !== 1) throw new Error(`The progress bars are ${JSON.stringify(lines)}.`);
  await chart(page, 1);
}

async function flowers(page) {
  await closeAll(page);
  await open(page, 'flowers.ipynb');
  await clickRunAll(page);
  await allRan(page);
  await text(page, 'macro avg');
  await text(page, 'np.True_');
  await pictures(page, 1);
}

/** The outputs of a cell whose tab is hidden are there when it comes back. */
async function background(page) {
  await open(page, 'course.ipynb');
  await clickRunAll(page);
  await page.locator('.tab', { hasText: 'flowers.ipynb' }).click();
  await page.locator('.tab.active', { hasText: 'flowers.ipynb' }).waitFor();
  await page.waitForTimeout(10_000);
  await page.locator('.tab', { hasText: 'course.ipynb' }).click();
  await pictures(page, 3);
  // VS Code draws what is in view.
  await command(page, 'Notebook: Focus Last Cell');
  await text(page, 'Beautiful is better than ugly.');
}

async function survey(page) {
  await closeAll(page);
  await open(page, 'survey.ipynb');
  await clickRunAll(page);
  await answer(page, 'Your name?', 'Ada');
  await answer(page, 'Your key:', 'secret');
  await text(page, 'Ada has a key of 6 characters.');
}

async function charts(page) {
  await text(page, '| moo |');
  await chart(page, 2);
  await text(page, 'How many?');
  await text(page, "IntSlider(value=7, description='n')");
  await text(page, 'Widgets are shown as text');
}

async function debug(page) {
  await text(page, 'ZeroDivisionError: division by zero');
  await command(page, 'Notebook: Focus Last Cell');
  await page.keyboard.press('Control+Enter');
  await answer(page, /pdb/i, 'p part + 1');
  await answer(page, /pdb/i, 'q');
  await text(page, /\b30\b/);
}

/** Outputs of other notebooks must not count. */
async function closeAll(page) {
  await command(page, 'File: Save All');
  await command(page, 'View: Close All Editors');
  await page.locator('.tab').first().waitFor({ state: 'detached' });
}

async function open(page, name) {
  await page.keyboard.press('Control+P');
  await page.locator('.quick-input-widget input').first().fill(name);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.tab.active', { hasText: name }).waitFor();
  await page.locator('.kernel-label:visible', { hasText: 'Select Kernel' }).click();
  const row = (hasText) => page.locator('.quick-input-list .monaco-list-row', { hasText }).first();
  await row('Hothouse').click();
  // The first list names extensions until ours is active.
  if (await page.locator('.kernel-label:visible', { hasText: 'Select Kernel' }).isVisible())
    await row('Hothouse: Python').click();
  await page.locator('.kernel-label:visible', { hasText: 'Hothouse: Python' }).waitFor();
}

function clickRunAll(page) {
  return page.locator('.notebook-toolbar-container:visible').getByRole('button', { name: 'Run All' }).click();
}

/** Every cell must succeed. */
async function allRan(page) {
  const cells = page.locator('.notebookOverlay .code-cell-row');
  const icons = (name) => page.locator(`.notebookOverlay .cell-status-item .codicon-notebook-state-${name}`);
  await waitFor(
    'the end of every cell',
    async () => {
      if ((await icons('error').count()) > 0) throw new Error('A cell has failed.');
      return (await icons('success').count()) === (await cells.count());
    },
    RUN_MS,
  );
}

function text(page, wanted) {
  return inOutput(page, (frame) => frame.locator('.output_container').getByText(wanted));
}

/** At least so many pictures are drawn. */
async function pictures(page, least) {
  await waitFor(`${least} pictures`, async () => {
    const drawn = await Promise.all(
      page.frames().map((frame) =>
        frame
          .locator('.output_container img')
          .evaluateAll((images) => images.filter((image) => image.complete && image.naturalWidth > 100).length)
          .catch(() => 0),
      ),
    );
    return Math.max(...drawn) >= least;
  });
}

/** So many charts of Plotly are drawn, each in a page of its own. */
async function chart(page, count) {
  const drawn = () =>
    Promise.all(
      page.frames().map((frame) =>
        frame
          .locator('.js-plotly-plot .plot .point, .js-plotly-plot .plot .js-line')
          .count()
          .catch(() => 0),
      ),
    );
  await waitFor(`${count} charts`, async () => (await drawn()).filter((shapes) => shapes > 0).length === count);
}

async function answer(page, question, given) {
  const box = page.locator('.quick-input-widget').filter({ hasText: question });
  await box.waitFor({ timeout: RUN_MS });
  await box.locator('input').first().fill(given);
  await page.keyboard.press('Enter');
}

/** Serves the address that charts load plotly.js from, with the file of the image. */
async function servePlotly(page) {
  const file = ['run', '--rm', '--network', 'none', '--entrypoint', 'cat', 'hothouse/python:latest'];
  const { stdout } = spawnSync('docker', [...file, '/usr/share/python3-plotly/plotly.js'], { maxBuffer: 1 << 25 });
  await page
    .context()
    .route('https://cdn.plot.ly/**', (route) =>
      route.fulfill({ contentType: 'text/javascript; charset=utf-8', body: stdout }),
    );
}
