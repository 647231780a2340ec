import { readFileSync } from 'node:fs';
import { command, inOutput, openView, saveAs, type, waitFor, welcomeButton } from './uiPage.mjs';

const TICKS = 'import time\nfor n in range(1, 31):\n    print("tick", n, flush=True)\n    time.sleep(1)\nkept += 1';

const file = (folder) => `${folder}/reload.ipynb`;

const ENDLESS = 'print("endless", flush=True)\nwhile True:\n    kept += 1\n    time.sleep(0.1)';

/** Reloads of the window while a cell runs: the session, its variables and the cell are there after them. */
export async function clickThroughReload({ page, step, folder }) {
  await step('a cell runs that prints every second', () => start(page, folder));
  await step('the cell continues after Reload Window', () => reload(page), 'reloaded');
  await step('all of its output is there, each line once', () => complete(page));
  await step('the variables are there', () => variables(page), 'reload-end');
  await step('an endless cell continues after Reload Window', () => endless(page, folder));
  await step('the interrupt button stops it and keeps variables', () => interrupt(page), 'reload-interrupt');
}

async function start(page, folder) {
  await openView(page);
  await welcomeButton(page, 'New Python Session').waitFor();
  await command(page, 'Hothouse: New Python Session');
  await page.locator('.kernel-label', { hasText: 'Hothouse: Python' }).waitFor();
  await type(page, 'kept = 41\nprint("set")');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('set', { exact: true }));
  await saveAs(page, file(folder));
  await command(page, 'Notebook: Focus Last Cell');
  await page.keyboard.press('Enter');
  await type(page, TICKS);
  await page.keyboard.press('Shift+Enter');
  await save(page, folder, 'tick');
  await inOutput(page, (frame) => frame.getByText('tick 3'));
}

/** What was typed a moment before a reload may not be in VS Code's backup yet. */
async function save(page, folder, text) {
  await page.keyboard.press('Control+S');
  await waitFor('the saved cell', () => readFileSync(file(folder), 'utf8').includes(text));
}

async function reload(page) {
  await reloadWindow(page);
  const at = Date.now();
  const seen = await waitFor('new output', async () => lastTick(await output(page)));
  await waitFor('the next lines', async () => lastTick(await output(page)) >= seen + 2);
  if (Date.now() - at > 20_000) throw new Error('The output came too late to be live.');
  await page.locator('.cell-status-item', { hasText: /s$/ }).first().waitFor();
  await page
    .locator('.notebook-toolbar-container')
    .getByRole('button', { name: /Interrupt/ })
    .first()
    .waitFor();
}

async function complete(page) {
  const text = await waitFor('the last line', async () => {
    const shown = await output(page);
    return lastTick(shown) === 30 && shown;
  });
  const lines = [...text.matchAll(/tick (\d+)/g)].map(([, n]) => Number(n));
  const expected = Array.from({ length: 30 }, (_, index) => index + 1);
  if (lines.join() !== expected.join()) throw new Error(`The output has the lines ${lines}.`);
}

async function variables(page) {
  await command(page, 'Notebook: Focus Last Cell');
  await page.keyboard.press('Enter');
  await type(page, 'print("kept is", kept)');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('kept is 42', { exact: true }));
}

async function endless(page, folder) {
  await type(page, ENDLESS);
  await page.keyboard.press('Shift+Enter');
  await save(page, folder, 'endless');
  await inOutput(page, (frame) => frame.getByText('endless', { exact: true }));
  await reloadWindow(page);
  await inOutput(page, (frame) => frame.getByText('endless', { exact: true }));
}

async function interrupt(page) {
  const button = page.locator('.notebook-toolbar-container').getByRole('button', { name: /Interrupt/ });
  await button.first().click();
  await inOutput(page, (frame) => frame.getByText('KeyboardInterrupt').first());
  await button.first().waitFor({ state: 'hidden' });
  await command(page, 'Notebook: Focus Last Cell');
  await page.keyboard.press('Enter');
  await type(page, 'print("more than 42:", kept > 42)');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('more than 42: True', { exact: true }));
}

async function reloadWindow(page) {
  const loaded = page.waitForEvent('load');
  await command(page, 'Developer: Reload Window', { stays: true });
  await loaded;
  await page.waitForSelector('.monaco-workbench', { timeout: 60_000 });
  await page.locator('.kernel-label', { hasText: 'Hothouse: Python' }).waitFor();
}

/** The text of all outputs. */
async function output(page) {
  const texts = await Promise.all(
    page.frames().map((frame) =>
      frame
        .locator('.output_container')
        .allInnerTexts()
        .catch(() => []),
    ),
  );
  return texts.flat().join('\n');
}

function lastTick(text) {
  return Number([...text.matchAll(/tick (\d+)/g)].at(-1)?.[1] ?? 0);
}
