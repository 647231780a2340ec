import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { inOutput, newSession, openView, type, waitFor } from './uiPage.mjs';

/** A window that has not used an environment for a minute leaves warm sandboxes to the one that has. */
const TURN_MS = 120_000;

/** Two windows of one user: each has an engine, and together they keep about as many warm sandboxes as one. */
export async function clickThroughWindows({ page, step, folder, userHome, address }) {
  let second;
  await step('a window has a session and a warm sandbox', async () => {
    await cell(page, 'first = 41\nprint("one", first)', 'one 41');
    await waitFor('a warm sandbox', () => counts(userHome).some((count) => count > 1));
  });
  await step('another window has a session and warm sandboxes too', async () => {
    second = await page.context().newPage();
    await second.goto(`${address}/?folder=${encodeURIComponent(path.dirname(folder))}`);
    await second.waitForSelector('.monaco-workbench');
    await cell(second, 'print("two")', 'two');
    await waitFor('the sandboxes of two windows', () => counts(userHome).length === 2);
  });
  await step('the window that used Python last keeps the warm sandboxes alone', () =>
    waitFor('the other window to give up its own', () => counts(userHome)[0] === 1, TURN_MS),
  );
  await step('both sessions go on', async () => {
    await page.bringToFront();
    await type(page, 'print("still", first + 1)');
    await page.keyboard.press('Shift+Enter');
    await inOutput(page, (frame) => frame.getByText('still 42', { exact: true }));
    await second.bringToFront();
    await type(second, 'print("two again")');
    await second.keyboard.press('Shift+Enter');
    await inOutput(second, (frame) => frame.getByText('two again', { exact: true }));
  });
}

async function cell(page, code, text) {
  await openView(page);
  await newSession(page);
  await type(page, code);
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText(text, { exact: true }));
}

/** How many sandboxes each engine of this home has, fewest first; engines without one are left out. */
function counts(home) {
  const engines = readdirSync(path.join(home, '.hothouse/leases'));
  const format = '{{.Label "dev.hothouse.owner"}}';
  const owners = execFileSync('docker', ['ps', '--format', format], { encoding: 'utf8' }).split('\n');
  const numbers = engines.map((engine) => owners.filter((owner) => owner === engine).length);
  return numbers.filter((count) => count > 0).sort((one, other) => one - other);
}
