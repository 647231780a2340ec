import { command, complete, inOutput, openView, rows, type } from './uiPage.mjs';

const DEFINITION = ['def double (n : Nat) : Nat := n + n', '#eval double 21'].join('\n');
// The oldest versions of Lean have no tactic `sorry`.
const MISSING_PROOF = [
  'theorem both (p q : Prop) (hp : p) (hq : q) : p ∧ q := by',
  '  apply And.intro',
  '  exact hp',
  '  admit',
].join('\n');
const WRONG = 'theorem four : double 2 = 4 := rfl\ntheorem five : double 2 = 5 := by decide';

/** A first Lean session: a definition, an open goal, an error with its squiggle, hovers and completions. */
export async function clickThroughLean({ page, step }) {
  await step('New Lean Session opens a notebook with our kernel', () => open(page));
  await step('the kernel picker shows it', () => kernels(page), 'lean-kernels');
  await step('the New File menu has a session of each language', () => newFile(page), 'new-file');
  await step('a cell prints', () => print(page));
  await step('a missing proof shows its goal', () => goal(page));
  await step('an error shows its position and a squiggle', () => wrong(page), 'lean');
  await step('a hover shows the type', () => hover(page));
  await step('completions propose definitions of the session', () => propose(page), 'lean-completion');
  await step('the pool view shows the session and closes it', () => close(page));
}

async function newFile(page) {
  await page.keyboard.press('Escape');
  await command(page, 'Create: New File...', { stays: true });
  for (const language of ['Python', 'Lean']) {
    await page
      .locator('.quick-input-list .monaco-list-row', { hasText: `New ${language} Session` })
      .first()
      .waitFor();
  }
}

async function kernels(page) {
  await page.locator('.kernel-label').first().click();
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Hothouse: Lean' }).first().waitFor();
}

async function open(page) {
  await openView(page);
  await command(page, 'Hothouse: New Lean Session');
  await page.locator('.kernel-label', { hasText: 'Hothouse: Lean' }).waitFor();
}

async function print(page) {
  await page.keyboard.press('Escape');
  await command(page, 'Notebook: Focus First Cell');
  await page.keyboard.press('Enter');
  await type(page, DEFINITION);
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('42', { exact: true }));
}

async function goal(page) {
  await type(page, MISSING_PROOF);
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('Incomplete'));
  await inOutput(page, (frame) => frame.getByText('⊢ q').first());
}

async function wrong(page) {
  await type(page, WRONG);
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText(/2:\d+: error:/).first());
  await page.locator('.notebookOverlay .squiggly-error').first().waitFor();
  await rows(page)
    .filter({ hasText: /Untitled-1.*Lean · </ })
    .first()
    .waitFor();
  // For the screenshot: shows the first cell.
  await command(page, 'Notebook: Focus First Cell');
  await page.waitForTimeout(2000);
}

async function hover(page) {
  const line = page.locator('.notebookOverlay .view-line > span', { hasText: '#eval double 21' });
  const { width, height } = await line.boundingBox();
  await line.hover({ position: { x: (width * '#eval dou'.length) / '#eval double 21'.length, y: height / 2 } });
  await page.locator('.monaco-hover', { hasText: 'double' }).filter({ hasText: 'Nat' }).first().waitFor();
}

async function propose(page) {
  await command(page, 'Notebook: Focus Last Cell');
  await page.keyboard.press('Escape');
  await page.keyboard.press('b');
  await page.keyboard.press('Enter');
  await complete(page, '#eval doub', 'double');
  await page.keyboard.press('Escape');
}

async function close(page) {
  const row = rows(page).filter({ hasText: 'Untitled' }).filter({ hasText: 'Lean' }).first();
  await row.hover();
  await row.getByRole('button', { name: 'Close Session' }).click();
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Close', exact: true }).click();
  await row.waitFor({ state: 'detached' });
}
