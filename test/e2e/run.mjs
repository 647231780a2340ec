#!/usr/bin/env node
/**
 * Tests the extension in a real VS Code: first a module in the extension host, then the packed extension in headless
 * Chromium, then the view of the MCP server in a test host. Prints `ok NAME` and `not ok NAME` lines and finally `N passed, N failed`; the exit status is 0 when all
 * passed. Needs a Docker Engine with the Python image, a build in dist, and
 *
 *   HOTHOUSE_CODE_SERVER  code-server's out/node/entry.js
 *   HOTHOUSE_NODE24       the Node that code-server needs
 *   HOTHOUSE_CHROMIUM     Chromium
 *
 * Tests Lean sessions too when HOTHOUSE_TEST_LEAN_IMAGE names an image with Lean. The window `local` uses no Docker: it is that of an
 * ordinary user with bubblewrap, and is skipped where that cannot be used.
 *
 * The argument `host`, `ui` or `view` runs that part alone. `--extension=FOLDER` names the built extension (default: the checkout),
 * `--vsix=FILE` the packed one (default: dist/hothouse.vsix). `--only=NAME` runs one window of the part `ui`. All files are written to out/e2e.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runHostTests } from './hostRun.mjs';
import { runUiTests } from './uiRun.mjs';
import { runViewTests } from './viewRun.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = path.join(root, 'out/e2e');
const args = process.argv.slice(2);
const parts = args.filter((arg) => !arg.startsWith('--'));
const extension = option('extension') ?? root;
const vsix = option('vsix') ?? path.join(root, 'dist/hothouse.vsix');

const editor = {
  codeServer: variable('HOTHOUSE_CODE_SERVER'),
  node: variable('HOTHOUSE_NODE24'),
  chromium: variable('HOTHOUSE_CHROMIUM'),
};
const leanImage = process.env.HOTHOUSE_TEST_LEAN_IMAGE;
const counts = { passed: 0, failed: 0 };

rmSync(out, { recursive: true, force: true });
const folder = path.join(out, 'workspace');
mkdirSync(folder, { recursive: true });
const shared = { folder, report, leanImage, ...editor };
await part('host', () => runHostTests({ root, extension, out: path.join(out, 'host'), ...shared }));
await part('ui', () => runUiTests({ out: path.join(out, 'ui'), shots: out, vsix, only: option('only'), ...shared }));
await part('view', () => runViewTests({ root, out, ...shared }));
if (!leanImage) console.log('Lean sessions were skipped: name an image with Lean in HOTHOUSE_TEST_LEAN_IMAGE.');
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0);

/** Prints a line and counts a result. */
function report(line) {
  console.log(line);
  if (line.startsWith('ok ')) counts.passed += 1;
  if (line.startsWith('not ok ')) counts.failed += 1;
}

async function part(name, run) {
  if (parts.length > 0 && !parts.includes(name)) return;
  try {
    await run();
  } catch (error) {
    report(`not ok ${name}: ${error instanceof Error ? error.message : error}`);
  }
}

function option(name) {
  return args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}

function variable(name) {
  const value = process.env[name];
  if (value && existsSync(value)) return value;
  console.error(`${name} must name a file that exists; it is ${JSON.stringify(value ?? '')}.`);
  process.exit(2);
}
