import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { command, inOutput, openView, type, welcomeButton } from './uiPage.mjs';

/** A window that cannot reach Docker, until the setting is corrected. */
export async function clickThroughProblem({ page, step, userFolder }) {
  await step('the welcome view shows the problem', () => problem(page), 'problem');
  await step('a cell shows the problem', () => cell(page), 'problem-cell');
  await step('the button opens the setting', () => fix(page), 'problem-fix');
  await step('the settings have categories', () => categories(page), 'settings');
  await step('the welcome view clears after the fix', () => fixed(page, userFolder), 'problem-fixed');
}

async function problem(page) {
  await openView(page);
  await page.locator('.part.sidebar').getByText('Docker does not respond').first().waitFor();
  await welcomeButton(page, 'Open Setting').waitFor();
  await page.locator('.statusbar-item', { hasText: 'Hothouse' }).first().waitFor();
}

async function cell(page) {
  await command(page, 'Hothouse: New Python Session');
  await page.locator('.kernel-label', { hasText: 'Hothouse: Python' }).waitFor();
  await type(page, 'print(1)');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('unix:///nonexistent.sock').first());
  await page.locator('.notification-toast', { hasText: 'nonexistent.sock' }).first().waitFor();
}

async function fix(page) {
  await welcomeButton(page, 'Open Setting').click();
  await page.locator('.settings-editor', { hasText: 'Docker: Host' }).waitFor();
}

async function categories(page) {
  await page.locator('.settings-header .suggest-input-container').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('@ext:hothouse.hothouse');
  for (const title of ['Host', 'Limits', 'Network']) {
    await page.locator('.settings-toc-container .monaco-list-row', { hasText: title }).waitFor();
  }
}

async function fixed(page, userFolder) {
  writeFileSync(path.join(userFolder, 'Machine/settings.json'), '{}');
  await page.locator('.part.sidebar').getByText('Docker does not respond').waitFor({ state: 'hidden' });
  const warning = page.locator('.statusbar-item', { hasText: 'Hothouse' }).locator('.codicon-warning');
  await warning.waitFor({ state: 'hidden' });
}
