import { readFileSync } from 'node:fs';
import {
  command,
  editLastCell,
  inOutput,
  isBack,
  openView,
  reloadWindow,
  saveAs,
  type,
  waitFor,
  welcomeButton,
} from './uiPage.mjs';

/** A reload takes up to half a minute on a busy machine, after which the cell still runs. */
const LAST = 50;
// On one line: what is below stays in view.
const TICKS = `import time\nfor n in range(1, ${LAST + 1}):\n    print("tick", n, end=" ", flush=True)\n    time.sleep(1)\nkept += 1`;

const file = (folder) => `${folder}/reload.ipynb`;

const ENDLESS = 'print("endless", flush=True)\nwhile True:\n    kept += 1\n    time.sleep(0.1)';
const QUESTION = 'who = input("Who is there? ")\nprint("Hello", who, kept > 43)';

/**
 * Reloads of the window while a cell runs, or waits for an answer: the session, its variables and the cell are there after
 * them.
 */
export async function clickThroughReload({ page, step, folder }) {
  await step('a cell runs that prints every second', () => start(page, folder));
  await step('the cell continues after Reload Window', () => reload(page), 'reloaded');
  await step('all of its output is there, each piece once', () => complete(page));
  await step('the variables are there', () => variables(page), 'reload-end');
  await step('an endless cell continues after Reload Window', () => endless(page, folder));
  await step('the interrupt button stops it and keeps variables', () => interrupt(page), 'reload-interrupt');
  await step('its traceback is saved line by line', () => traceback(page, folder));
  await step('input() asks', () => question(page, folder));
  await step('its question is asked again after a reload', () => asksAgain(page), 'reload-question');
  await step('its answer reaches the cell', () => answer(page), 'reload-answer');
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
  await editLastCell(page);
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
  await waitFor('the next pieces', async () => lastTick(await output(page)) >= seen + 2);
  if (Date.now() - at > 20_000) throw new Error('The output came too late to be live.');
  await page.locator('.cell-status-item', { hasText: /s$/ }).first().waitFor();
  await page
    .locator('.notebook-toolbar-container')
    .getByRole('button', { name: /Interrupt/ })
    .first()
    .waitFor();
}

async function complete(page) {
  const isLast = async () => {
    const shown = await output(page);
    return lastTick(shown) === LAST && shown;
  };
  const text = await waitFor('the last piece', isLast, 2 * LAST * 1000);
  const ticks = [...text.matchAll(/tick (\d+)/g)].map(([, n]) => Number(n));
  const expected = Array.from({ length: LAST }, (_, index) => index + 1);
  if (ticks.join() !== expected.join()) throw new Error(`The output has the ticks ${ticks}.`);
}

async function variables(page) {
  await editLastCell(page);
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
  await editLastCell(page);
  await type(page, 'print("more than 42:", kept > 42)');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('more than 42: True', { exact: true }));
}

async function traceback(page, folder) {
  await save(page, folder, 'KeyboardInterrupt');
  const { cells } = JSON.parse(readFileSync(file(folder), 'utf8'));
  const lines = cells.flatMap(({ outputs = [] }) => outputs).flatMap((output) => output.traceback ?? []);
  if (lines.length < 2 || lines.some((line) => line.includes('\n'))) throw new Error(`It is ${JSON.stringify(lines)}.`);
}

function questionBox(page) {
  return page
    .locator('.quick-input-widget', { hasText: 'Who is there?' })
    .filter({ hasText: /Input for a Cell of reload/ });
}

async function question(page, folder) {
  await type(page, QUESTION);
  await save(page, folder, 'who = input');
  await storeNothing(page);
  await page.keyboard.press('Shift+Enter');
  await questionBox(page).waitFor();
}

/** From now on the page loses what VS Code stores in the browser, as a reload does with what was stored a moment before. */
async function storeNothing(page) {
  await page.evaluate(() => {
    IDBObjectStore.prototype.put = function (_value, key) {
      return this.get(key);
    };
  });
}

/** By the browser: the command palette would take the place of the question. */
async function asksAgain(page) {
  await page.reload();
  await isBack(page);
  await questionBox(page).waitFor();
}

async function answer(page) {
  await questionBox(page).locator('input').first().fill('Ada');
  await page.keyboard.press('Enter');
  await questionBox(page).waitFor({ state: 'hidden' });
  // The place to which the notebook was scrolled is lost, too, and only outputs in view are there.
  await command(page, 'Notebook: Focus Last Cell');
  await inOutput(page, (frame) => frame.getByText('Hello Ada True', { exact: true }));
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
