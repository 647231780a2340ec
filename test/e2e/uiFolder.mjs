import { command, inOutput, openView, row, toast, type, welcomeButton } from './uiPage.mjs';

/** The workspace folder in a session: the question, the copy, the view of the session's files, a file opened and saved. */
export async function clickThroughFolder({ page, step }) {
  await step(
    'the first cell asks whether the folder is copied, and shows its size',
    () => ask(page),
    'folder-question',
  );
  await step('the copied folder is read by its relative path', () => read(page));
  await step('the view of session files shows what a cell made', () => view(page), 'folder-files');
  await step('a file of the session opens', () => open(page), 'folder-open');
  await step('Save to Workspace saves it', () => save(page));
}

async function ask(page) {
  await openView(page);
  await welcomeButton(page, 'New Python Session').waitFor();
  await command(page, 'Hothouse: New Python Session');
  await page.locator('.kernel-label', { hasText: 'Hothouse: Python' }).waitFor();
  await type(page, 'import os; print("entries:", len(os.listdir()))');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('entries: 0'));
  await toast(page, /Copy the folder shop \(2 files, 52 bytes\).*Left out: 1 file with secrets\./).waitFor();
}

async function read(page) {
  const question = toast(page, 'Copy the folder shop');
  await question.getByRole('button', { name: 'Copy Folder' }).click();
  await question.waitFor({ state: 'detached' });
  await page.locator('.notebookOverlay .cell-editor-part .view-lines').last().click();
  await type(
    page,
    'import helpers; open("result.txt", "w").write(helpers.total("data/sales.csv")); print(sorted(os.listdir()))',
  );
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText("['data', 'helpers.py', 'result.txt']"));
}

async function view(page) {
  await command(page, 'Hothouse: Focus on Session Files View');
  await row(page, 'result.txt').waitFor();
}

async function open(page) {
  await row(page, 'result.txt').click();
  await page.locator('.tab', { hasText: 'result.txt' }).waitFor();
  await page.locator('.editor-instance .view-line', { hasText: 'month' }).first().waitFor();
}

async function save(page) {
  await row(page, 'result.txt').hover();
  await row(page, 'result.txt').getByRole('button', { name: 'Save to Workspace' }).click();
  await toast(page, 'Saved 1 file to shop').waitFor();
}
