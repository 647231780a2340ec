const WAIT_MS = 120_000;

/** Runs a command by its title in the command palette; `stays` for a command that keeps the palette open. */
export async function command(page, title, { stays = false } = {}) {
  await waitFor(`the command ${title}`, () => offers(page, title));
  await page.keyboard.press('Enter');
  if (!stays) await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

/** Opens the command palette and looks for a command. An editor that opens meanwhile takes the palette away. */
async function offers(page, title) {
  await page.keyboard.press('F1');
  try {
    await page.locator('.quick-input-widget input').first().fill(`>${title}`, { timeout: 5000 });
    await page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().waitFor({ timeout: 5000 });
    return true;
  } catch {
    return false;
  }
}

/** Opens a new Python session; resolves when its cell has the cursor, after which nothing else takes the focus. */
export async function newSession(page) {
  await command(page, 'Hothouse: New Python Session');
  await page.locator('.kernel-label', { hasText: 'Hothouse: Python' }).waitFor();
  await page.locator('.notebookOverlay .cell-editor-part .monaco-editor.focused').waitFor();
}

/** Opens our view in the activity bar. */
export async function openView(page) {
  await page.locator('.activitybar').getByRole('tab', { name: 'Hothouse' }).click();
  await page.locator('.part.sidebar').getByText('Hothouse', { exact: false }).first().waitFor();
}

/** The button of the welcome view with this label. */
export function welcomeButton(page, label) {
  return page.locator('.part.sidebar .welcome-view-content .monaco-button', { hasText: label });
}

/** Rows of the pool view. */
export function rows(page) {
  return page.locator('.part.sidebar .monaco-list-row');
}

/** The first row of the pool view with this text. */
export function row(page, hasText) {
  return rows(page).filter({ hasText }).first();
}

/** The first notification with this text. */
export function toast(page, hasText) {
  return page.locator('.notification-toast', { hasText }).first();
}

/** Types code once an empty cell has the cursor. */
export async function type(page, code) {
  const cell = page.locator('.notebookOverlay .cell-editor-part .monaco-editor.focused');
  await cell.waitFor();
  await waitFor('an empty cell', async () => (await cell.locator('.view-lines').textContent()).trim() === '');
  await page.keyboard.insertText(code);
}

/** Puts the cursor into the last cell, which is empty. */
export async function editLastCell(page) {
  const lines = page.locator('.notebookOverlay .cell-editor-part .monaco-editor.focused .view-lines');
  await waitFor('the cursor in an empty last cell', async () => {
    await command(page, 'Notebook: Focus Last Cell');
    await page.keyboard.press('Enter');
    const text = await lines.textContent({ timeout: 3000 }).catch(() => null);
    // A notebook that was restored may focus another cell meanwhile.
    return text?.trim() === '';
  });
}

/** Saves the untitled notebook as `file`; it keeps its kernel. */
export async function saveAs(page, file) {
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+S');
  const input = page.locator('.quick-input-widget input').first();
  await input.waitFor();
  await waitFor('the proposed name', async () => (await input.inputValue()).includes('Untitled'));
  await input.fill(file);
  await page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
  await page.locator('.tab', { hasText: file.slice(file.lastIndexOf('/') + 1) }).waitFor();
  await page.locator('.kernel-label', { hasText: 'Hothouse: Python' }).waitFor();
}

/** Reloads the window by its command. */
export async function reloadWindow(page) {
  const loaded = page.waitForEvent('load');
  await command(page, 'Developer: Reload Window', { stays: true });
  await loaded;
  await isBack(page);
}

/** Waits until a reloaded window has its Python notebook again. */
export async function isBack(page) {
  await page.waitForSelector('.monaco-workbench');
  await page.locator('.kernel-label', { hasText: 'Hothouse: Python' }).waitFor();
}

/** Types the beginning of a word in an empty cell and waits for the completion `word`; retries on a busy machine. */
export async function complete(page, prefix, word) {
  await type(page, '');
  await page.keyboard.type(prefix);
  const proposed = page.locator('.suggest-widget .monaco-list-row', { hasText: word }).first();
  await waitFor(`the completion ${word}`, async () => {
    await page.keyboard.press('Backspace');
    await page.keyboard.type(prefix.slice(-1));
    await page.keyboard.press('Control+Space');
    return proposed.waitFor({ timeout: 3000 }).then(
      () => true,
      () => false,
    );
  });
}

/** Waits until the locator that `find` returns matches in an output frame; resolves to it. */
export async function inOutput(page, find) {
  return waitFor('an output', async () => {
    for (const frame of page.frames()) {
      const found = find(frame);
      if ((await found.count().catch(() => 0)) > 0) return found.first();
    }
    return undefined;
  });
}

/** Waits until `probe` returns a truthy value. */
export async function waitFor(what, probe, ms = WAIT_MS) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) throw new Error(`Waited ${ms / 1000} s for ${what}, which did not appear.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
