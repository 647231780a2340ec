import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { bundleHostTests } from './bundleHost.mjs';
import { startEditor } from './codeServer.mjs';

const SECONDS = 300;

/** Runs the test module in the extension host, with the extension from its folder and Lean tests on `leanImage`. */
export async function runHostTests({ root, extension, out, folder, report, leanImage, ...editorFiles }) {
  mkdirSync(out, { recursive: true });
  cpSync(path.join(root, 'test/e2e/notebooks'), path.join(folder, 'notebooks'), { recursive: true });
  const tests = await bundleHostTests(root, path.join(out, 'tests'));
  const results = path.join(out, 'results.txt');
  const env = { E2E_RESULTS: results, ...(leanImage ? { E2E_LEAN: '1' } : {}) };
  // Sandboxes of sessions end soon after the editor.
  const machineSettings = {
    'hothouse.sessions.keepSeconds': 30,
    ...(leanImage && { 'hothouse.lean.image': leanImage }),
  };
  const editor = await startEditor({ ...editorFiles, out, folder, driver: true, env, machineSettings });
  try {
    await openWithTests(editor, { extension, tests, folder });
  } finally {
    await editor.page.screenshot({ path: path.join(out, 'last.png') }).catch(() => {});
    await editor.stop();
    const lines = existsSync(results) ? readFileSync(results, 'utf8').trim().split('\n') : [];
    for (const line of lines) report(line);
  }
}

/** Resolves when the test module has ended; the tests report their results themselves. */
async function openWithTests({ page, address }, { extension, tests, folder }) {
  const uri = (file) => `vscode-remote://remote${file}`;
  const payload = [
    ['skipWelcome', 'true'],
    ['skipReleaseNotes', 'true'],
    ['extensionDevelopmentPath', uri(path.resolve(extension))],
    ['extensionTestsPath', uri(tests)],
  ];
  const finished = new Promise((resolve) => {
    page.exposeFunction('codeAutomationExit', resolve);
  });
  await page.exposeFunction('codeAutomationLog', () => {});
  const query = `folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
  await page.goto(`${address}/?${query}`);
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result in ${SECONDS} s`)), SECONDS * 1000);
  });
  await Promise.race([finished, timeout]).finally(() => clearTimeout(timer));
}
