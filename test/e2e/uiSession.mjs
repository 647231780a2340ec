import {
  command,
  complete,
  editLastCell,
  inOutput,
  openView,
  rows,
  saveAs,
  type,
  waitFor,
  welcomeButton,
} from './uiPage.mjs';

const PLOT = [
  'import numpy as np, matplotlib.pyplot as plt',
  't = np.linspace(0, 4 * np.pi, 400)',
  'plt.figure(figsize=(7, 2.6))',
  'plt.plot(t, np.sin(t) * np.exp(-t / 6), color="tab:orange")',
  'plt.fill_between(t, np.exp(-t / 6), -np.exp(-t / 6), alpha=.15)',
  'plt.title("A damped wave");',
].join('\n');

// What tqdm writes for two bars, one in the other.
const PROGRESS = [
  'import sys, time',
  'for outer in range(1, 4):',
  '    sys.stderr.write(f"\\router {outer}/3")',
  '    for inner in range(1, 21):',
  '        sys.stderr.write(f"\\n\\rinner {inner}/20\\x1b[A")',
  '        time.sleep(0.02)',
  'sys.stderr.write("\\n");',
].join('\n');

/** A first session: a notebook, state, a plot, an endless cell, the pool view. */
export async function clickThroughSession({ page, step, folder }) {
  await step('the welcome view shows before anything runs', () => welcome(page), 'welcome');
  await step('New Python Session opens a notebook with our kernel', () => open(page));
  await step('a cell runs', () => firstCell(page));
  await step('a plot appears', () => plot(page));
  await step('input() asks in an input box', () => input(page), 'input');
  await step('nested progress bars stay in place', () => progress(page), 'progress');
  await step("Jupyter's keys add, delete and restore cells", () => keys(page));
  await step('the pool view shows the session and its sandbox', () => tree(page), 'session');
  await step('an endless cell runs', () => endless(page), 'pool', { x: 0, y: 36, width: 350, height: 230 });
  await step('the interrupt button stops it and keeps variables', () => interrupt(page), 'interrupt');
  await step('saving the notebook keeps its session', () => save(page, folder), 'saved');
  await step('completions propose variables of the session', () => complete(page, 'coun', 'count'), 'completion');
  await step('Restart Session in the toolbar clears variables', () => restart(page), 'restarted');
  await step('the loss of an idle session shows at once', () => lose(page), 'lost');
  await step('the next cell shows why its variables are lost', () => afterLoss(page), 'after-loss');
  await step('Run Diagnostics shows which languages are ready', () => diagnose(page), 'diagnostics');
  await step('the pool view closes the session', () => close(page), 'closed');
}

async function welcome(page) {
  await openView(page);
  await welcomeButton(page, 'New Python Session').waitFor();
}

async function open(page) {
  await command(page, 'Hothouse: New Python Session');
  await page.locator('.notebookOverlay').waitFor();
  await page.locator('.kernel-label', { hasText: 'Hothouse: Python' }).waitFor();
}

async function firstCell(page) {
  await type(page, 'name = "Hothouse"\nprint(f"Hello from {name}")');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('Hello from Hothouse', { exact: true }));
}

async function plot(page) {
  await type(page, PLOT);
  await page.keyboard.press('Shift+Enter');
  const image = await inOutput(page, (frame) => frame.locator('.output_container img, .output img'));
  await waitFor('the picture', () => image.evaluate((element) => element.complete && element.naturalWidth > 100));
  await page.waitForTimeout(1000);
}

async function input(page) {
  await type(page, 'who = input("Who is there? ")\nprint("Hello", who)');
  await page.keyboard.press('Shift+Enter');
  const box = page.locator('.quick-input-widget', { hasText: 'Who is there?' });
  await box.filter({ hasText: /Input for a Cell of Untitled/ }).waitFor();
  await box.locator('input').first().fill('Ada');
  await page.keyboard.press('Enter');
  await inOutput(page, (frame) => frame.getByText('Hello Ada'));
  await page.locator('.notebookOverlay .cell-editor-part .view-lines').last().click();
}

async function progress(page) {
  await type(page, PROGRESS);
  await page.keyboard.press('Shift+Enter');
  const output = await inOutput(page, (frame) => frame.locator('.output_container', { hasText: 'outer 3/3' }));
  const lines = (await output.innerText()).split('\n').filter((line) => /outer|inner/.test(line));
  if (lines.join() !== 'outer 3/3,inner 20/20') throw new Error(`The bars are ${JSON.stringify(lines)}.`);
}

async function keys(page) {
  const status = page.locator('.part.statusbar').getByText(/^Cell \d+ of \d+/);
  const count = async () => Number(/of (\d+)/.exec(await status.textContent())?.[1]);
  // The cell that running the last one has added takes the focus late.
  const editing = page.locator('.notebookOverlay .monaco-editor.focused');
  await editing.waitFor();
  await waitFor('the command mode', async () => {
    await page.keyboard.press('Escape');
    return (await editing.count()) === 0;
  });
  const before = await count();
  for (const [pressed, change] of [
    [['b'], 1],
    [['d', 'd'], 0],
    [['z'], 1],
    [['d', 'd'], 0],
  ]) {
    for (const key of pressed) await page.keyboard.press(key);
    await waitFor(`the key ${pressed.at(-1)}`, async () => (await count()) === before + change);
  }
  await command(page, 'Notebook: Focus Last Cell');
  await page.keyboard.press('Enter');
}

async function tree(page) {
  await rows(page)
    .filter({ hasText: /Untitled-1.*Python · </ })
    .first()
    .waitFor();
  await rows(page).filter({ hasText: 'session' }).first().waitFor();
  // For the screenshot: waits for the memory and shows the first cell.
  await command(page, 'Notebook: Focus First Cell');
  await page.waitForTimeout(4000);
}

async function endless(page) {
  await editLastCell(page);
  await type(page, 'count = 0\nwhile True:\n    count += 1');
  await page.keyboard.press('Shift+Enter');
  await rows(page).filter({ hasText: 'running' }).first().waitFor();
  await page.waitForTimeout(1500);
}

async function interrupt(page) {
  await page
    .locator('.notebook-toolbar-container')
    .getByRole('button', { name: /Interrupt/ })
    .first()
    .click();
  await inOutput(page, (frame) => frame.getByText('KeyboardInterrupt').first());
  await type(page, 'f"{name} counted: {count > 0}"');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('Hothouse counted: True'));
}

async function save(page, folder) {
  await saveAs(page, `${folder}/saved.ipynb`);
  // Longer than the session of a closed notebook stays open.
  await page.waitForTimeout(2000);
  await command(page, 'Notebook: Focus Last Cell');
  await page.keyboard.press('b');
  await page.keyboard.press('Enter');
  await type(page, 'f"still {name}"');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('still Hothouse'));
}

async function restart(page) {
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('print(name)');
  await page
    .locator('.notebook-toolbar-container')
    .getByRole('button', { name: /Restart/ })
    .first()
    .click();
  await page.locator('.notebookOverlay .cell-editor-part .view-lines').last().click();
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText("NameError: name 'name' is not defined").first());
}

async function lose(page) {
  await type(page, 'import os, threading\nthreading.Timer(3, os._exit, [3]).start()');
  await page.keyboard.press('Shift+Enter');
  const reason = 'its interpreter left with exit status 3';
  await page.locator('.notification-toast', { hasText: reason }).first().waitFor();
  await rows(page)
    .filter({ hasText: `ended: ${reason}` })
    .first()
    .waitFor();
  await page.locator('.notebookOverlay .cell-status-item', { hasText: 'Session ended' }).first().waitFor();
}

async function afterLoss(page) {
  await type(page, 'print("in a new session")');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('Its variables are lost. This cell').first());
  await inOutput(page, (frame) => frame.getByText('in a new session', { exact: true }).first());
  const marks = page.locator('.notebookOverlay .cell-status-item', { hasText: 'Session ended' });
  await waitFor('the marks to go', async () => (await marks.count()) === 0);
}

async function diagnose(page) {
  await command(page, 'Hothouse: Run Diagnostics');
  const toast = page.locator('.notification-toast', { hasText: /Ready for Python\b.*Not ready for Lean: / }).first();
  await toast.filter({ hasText: 'There is no image hothouse/absent:latest.' }).waitFor();
  await toast.getByRole('button', { name: 'Build Environment' }).waitFor();
}

async function close(page) {
  const row = rows(page).filter({ hasText: 'saved.ipynb' }).first();
  await row.hover();
  await row.getByRole('button', { name: 'Close Session' }).click();
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Close', exact: true }).click();
  await row.waitFor({ state: 'detached' });
}
