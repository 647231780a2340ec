import {
  command,
  editLastCell,
  inOutput,
  newSession,
  openView,
  reloadWindow,
  row,
  saveAs,
  toast,
  type,
  waitFor,
  welcomeButton,
} from './uiPage.mjs';

const PLOT = 'import matplotlib.pyplot as plt\nplt.figure(figsize=(5, 2))\nplt.plot([1, 3, 2]);';

/** A window of a user without a container engine: sandboxes are those of bubblewrap. */
export async function clickThroughLocal({ page, step, folder }) {
  await step('the welcome view offers the languages that can run here', () => welcome(page), 'local-welcome');
  await step('a cell runs', () => firstCell(page));
  await step('the folder is copied, and a cell reads a file of it', () => readFile(page));
  await step('a plot appears', () => plot(page), 'local-plot');
  await step('the pool view says what isolates the session', () => tree(page), 'local-tree');
  await step('the status bar says where sandboxes run and why there', () => status(page));
  await step('the interrupt button stops a cell and keeps variables', () => interrupt(page), 'local-interrupt');
  await step('Restart Session in the toolbar clears variables', () => restart(page));
  await step('a build says that C# needs a container engine', () => buildCsharp(page), 'local-csharp');
  await step('Run Diagnostics names the host and what is not built', () => diagnose(page), 'local-diagnostics');
  await step('after a reload a cell says what became of the session', () => reload(page, folder), 'local-reload');
}

async function welcome(page) {
  await openView(page);
  await welcomeButton(page, 'New Python Session').waitFor();
  const item = page.locator('.statusbar-item', { hasText: 'Hothouse' });
  await item.first().waitFor();
  if ((await item.locator('.codicon-warning').count()) > 0) throw new Error('The status bar shows a problem.');
  await page.locator('.part.sidebar').getByText('C# and R need Docker or Podman.').waitFor();
  if ((await welcomeButton(page, 'New C# Session').count()) > 0) throw new Error('The view offers C#.');
}

async function firstCell(page) {
  await newSession(page);
  await run(page, 'name = "Hothouse"\nprint(f"Hello from {name}")', 'Hello from Hothouse');
}

async function readFile(page) {
  const question = toast(page, 'Copy the folder sales');
  await question.getByRole('button', { name: 'Copy Folder' }).click();
  await question.waitFor({ state: 'detached' });
  await lastCell(page);
  await run(page, 'print("lines:", len(open("sales.csv").readlines()))', 'lines: 3');
}

/** Runs a cell whose output has this text. */
async function run(page, code, text) {
  await type(page, code);
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText(text, { exact: true }));
}

async function plot(page) {
  await type(page, PLOT);
  await page.keyboard.press('Shift+Enter');
  const image = await inOutput(page, (frame) => frame.locator('.output_container img, .output img'));
  await waitFor('the picture', () => image.evaluate((element) => element.complete && element.naturalWidth > 100));
}

async function tree(page) {
  await row(page, /Python.*warm · bubblewrap/).waitFor();
  await row(page, /session · /).waitFor();
}

async function status(page) {
  await page.locator('.statusbar-item', { hasText: 'Hothouse' }).first().hover();
  await page
    .locator('.monaco-hover', { hasText: /Host: Bubblewrap[\s\S]*It is used because/ })
    .first()
    .waitFor();
}

async function interrupt(page) {
  await type(page, 'count = 0\nwhile True:\n    count += 1');
  await page.keyboard.press('Shift+Enter');
  await row(page, 'running').waitFor();
  await toolbarButton(page, /Interrupt/).click();
  await inOutput(page, (frame) => frame.getByText('KeyboardInterrupt').first());
  await run(page, 'print(name, "counted:", count > 0)', 'Hothouse counted: True');
}

async function restart(page) {
  await type(page, 'print(name)');
  await toolbarButton(page, /Restart/).click();
  await lastCell(page);
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText("NameError: name 'name' is not defined").first());
}

function lastCell(page) {
  return page.locator('.notebookOverlay .cell-editor-part .view-lines').last().click();
}

function toolbarButton(page, name) {
  return page.locator('.notebook-toolbar-container').getByRole('button', { name }).first();
}

async function buildCsharp(page) {
  await command(page, 'Hothouse: Build C# Environment');
  await toast(page, /Only a container engine can build .*csharp.*Start Docker or Podman/).waitFor();
}

async function diagnose(page) {
  await command(page, 'Hothouse: Run Diagnostics');
  await toast(page, /Bubblewrap [\d.]+ on this machine.*Ready for Python and Bash\b/).waitFor();
}

async function reload(page, folder) {
  await command(page, 'Notebook: Focus Last Cell');
  await saveAs(page, `${folder}/sales.ipynb`);
  await reloadWindow(page);
  await editLastCell(page);
  await run(page, 'print("again")', 'again');
  await inOutput(page, (frame) =>
    frame.getByText(/without a container engine a sandbox ends\s+with the program/).first(),
  );
}
