import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, inOutput, newSession, openView, row, toast, type, waitFor } from './uiPage.mjs';

/** Builds from the machine's package index take so long at most. */
const BUILD = { timeout: 240_000 };
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const [LAB, OWN, SLOW] = ['e2e-lab', 'e2e-own', 'e2e-slow'];

// Another text at each run, since Docker has the steps of an earlier one.
const FILE = `environments:
  ${LAB}:
    language: python
    packages:
      pip: [cowsay==6.1 ; python_full_version > "3.0.${Date.now()}"]
    variables: {LAB: "42"}
`;

/** A folder that defines an environment and has a file of requirements. */
export function labFolder(out) {
  const lab = path.join(out, 'lab');
  mkdirSync(path.join(lab, '.hothouse'), { recursive: true });
  writeFileSync(path.join(lab, '.hothouse/environments.yaml'), FILE);
  writeFileSync(path.join(lab, 'requirements.txt'), 'iniconfig>=2  # small\n-r more.txt\n');
  return lab;
}

/** Environments: the workspace's own, asked for and built; a new one, with the way back; a cancelled build; a removal. */
export async function clickThroughEnvironments({ page, step }) {
  await step("a folder without trust is not asked about its environments' file", () => untrusted(page));
  await step('trust brings the question, and nothing is built before the answer', () => asked(page), 'env-question');
  await step('Show File opens the file, and the question stays', () => shown(page), 'env-file');
  await step('Create builds with progress', () => created(page), 'env-building');
  await step('the pool view lists the environment', () => listed(page, LAB), 'env-tree');
  await step('a notebook uses it', () => selected(page), 'env-notebook');
  await step('New Environment starts from requirements.txt, and Back returns', () => started(page), 'env-start');
  await step('the second environment is built and used', () => built(page), 'env-used');
  await step('Add Packages installs into the session, whose variables stay', () => added(page), 'env-added-packages');
  await step('a cancelled build leaves no environment', () => cancelled(page), 'env-cancelled');
  await step('a failed build shows the words of the resolver', () => failed(page), 'env-failed');
  await step('Remove Environment removes it', () => removed(page), 'env-removed');
}

/** Removes what a run has left. */
export function removeEnvironments() {
  for (const name of [LAB, OWN, SLOW]) spawnSync(process.execPath, [CLI, 'env', 'remove', name]);
}

/** The names of all environments. */
export function environmentNames() {
  const { stdout } = spawnSync(process.execPath, [CLI, 'env', 'list', '--json'], { encoding: 'utf8' });
  return JSON.parse(stdout).map(({ name }) => name);
}

async function untrusted(page) {
  await openView(page);
  await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
  await page.waitForTimeout(3000);
  if ((await toast(page, LAB).count()) > 0) throw new Error('the file of an untrusted folder is offered');
}

async function asked(page) {
  await command(page, 'Workspaces: Manage Workspace Trust');
  await page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).click();
  await toast(page, `defines environments for Hothouse: ${LAB}.`).waitFor();
  await page.waitForTimeout(3000);
  if (environmentNames().includes(LAB)) throw new Error('it was built before the answer');
}

async function shown(page) {
  await toast(page, LAB).getByRole('button', { name: 'Show File' }).click();
  await page.locator('.tab', { hasText: 'environments.yaml' }).waitFor();
  await toast(page, LAB).getByRole('button', { name: 'Create' }).waitFor();
}

async function created(page) {
  await toast(page, LAB).getByRole('button', { name: 'Create' }).click();
  await toast(page, `Building the environment ${LAB}`).waitFor();
  await page.locator('.notification-toast', { hasText: /Building the environment .*: .*\w/ }).waitFor(BUILD);
}

async function listed(page, name) {
  await toast(page, `Ready: ${name}`).waitFor(BUILD);
  await row(page, name).waitFor();
}

async function selected(page) {
  await newSession(page);
  await command(page, 'Hothouse: Select Environment', { stays: true });
  await pick(page, LAB);
  await type(page, 'import cowsay, os; print("cowsay", cowsay.__version__, os.environ["LAB"])');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('cowsay 6.1 42'));
}

async function started(page) {
  await command(page, 'Hothouse: New Environment', { stays: true });
  await quickInput(page, 'Not taken: -r more.txt (another file)').waitFor();
  await pick(page, 'requirements.txt');
  await box(page, 'Name of the environment').fill('Not a name');
  // What is wrong takes the place of the question.
  await box(page, 'Use lower-case letters').fill(OWN);
  await page.keyboard.press('Enter');
  await waitFor('the packages of the file', async () => (await box(page, 'Packages for pip').inputValue()) !== '');
  await page.locator('.quick-input-widget').getByRole('button', { name: 'Back' }).click();
  await quickInput(page, 'Name of the environment').waitFor();
  await page.locator('.quick-input-widget').getByRole('button', { name: 'Back' }).click();
  await quickInput(page, 'No packages yet').waitFor();
}

async function built(page) {
  await pick(page, 'requirements.txt');
  await answer(page, 'Name of the environment', OWN);
  await answer(page, 'Packages for pip', 'iniconfig>=2');
  await answer(page, 'Packages for apt', '');
  await answer(page, 'Environment variables', 'OWN="two words"');
  await answer(page, 'Image that it is built on', '');
  await pick(page, 'Packages can be installed into sessions');
  const ready = toast(page, `The environment ${OWN} is ready.`);
  await ready.getByRole('button', { name: 'Use in This Notebook' }).click(BUILD);
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'End Session' }).click();
  await row(page, 'none open').waitFor();
  await page.locator('.notebookOverlay .cell-editor-part .view-lines').last().click();
  await type(
    page,
    'import iniconfig; import os; print("has", iniconfig.__name__, "cowsay" in globals(), os.environ["OWN"])',
  );
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('has iniconfig False two words'));
}

async function added(page) {
  await command(page, 'Hothouse: Add Packages', { stays: true });
  await answer(page, 'Names of packages', 'cowsay == 6.1');
  await toast(page, 'Installed cowsay 6.1.').waitFor(BUILD);
  await page.locator('.notebookOverlay .cell-editor-part .view-lines').last().click();
  await type(page, 'import cowsay; print("added", cowsay.__version__, os.environ["OWN"])');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('added 6.1 two words'));
}

async function cancelled(page) {
  await fillIn(page, SLOW, '', 'gcc');
  const building = toast(page, `Building the environment ${SLOW}`);
  await building.waitFor();
  await building.getByRole('button', { name: 'Cancel' }).click();
  await building.waitFor({ state: 'detached' });
  if (environmentNames().includes(SLOW)) throw new Error('it is there');
}

async function failed(page) {
  await fillIn(page, SLOW, 'cowsay-does-not-exist-9f3a', '');
  await toast(page, 'cowsay-does-not-exist-9f3a was not found').waitFor(BUILD);
  await toast(page, 'was not found').getByRole('button', { name: 'Show Log' }).click();
}

async function removed(page) {
  await row(page, OWN).hover();
  await row(page, OWN).getByRole('button', { name: 'Remove Environment' }).click();
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Remove', exact: true }).click();
  // The notebook's session runs in it.
  await toast(page, `Sessions run in the environment ${OWN}`).waitFor();
  await command(page, 'Hothouse: Close All Sessions');
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Close All' }).click();
  await row(page, 'none open').waitFor();
  await row(page, OWN).hover();
  await row(page, OWN).getByRole('button', { name: 'Remove Environment' }).click();
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Remove', exact: true }).click();
  await row(page, OWN).waitFor({ state: 'detached' });
  if (environmentNames().includes(OWN)) throw new Error('it is still there');
}

/** Goes through the steps of New Environment without a file. */
async function fillIn(page, name, pip, apt) {
  await command(page, 'Hothouse: New Environment', { stays: true });
  await pick(page, 'No packages yet');
  await pick(page, 'Python');
  await answer(page, 'Name of the environment', name);
  await answer(page, 'Packages for pip', pip);
  await answer(page, 'Packages for apt', apt);
  await answer(page, 'Environment variables', '');
  await answer(page, 'Image that it is built on', '');
  await pick(page, 'Packages can be installed into sessions');
}

async function pick(page, hasText) {
  await page.locator('.quick-input-list .monaco-list-row', { hasText }).first().click();
}

async function answer(page, question, text) {
  await box(page, question).fill(text);
  await page.keyboard.press('Enter');
}

function box(page, question) {
  return quickInput(page, question).locator('input.input').first();
}

function quickInput(page, hasText) {
  return page.locator('.quick-input-widget', { hasText });
}
