#!/usr/bin/env node
/** Runs the extension-host tests in a desktop VS Code that @vscode/test-electron downloads. Needs a display and Docker. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTests } from '@vscode/test-electron';
import { bundleHostTests } from './bundleHost.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = path.join(root, 'out/desktop');
mkdirSync(out, { recursive: true });
await runTests({
  extensionDevelopmentPath: root,
  extensionTestsPath: await bundleHostTests(root, path.join(out, 'tests')),
  launchArgs: ['--disable-extensions', '--user-data-dir', path.join(out, 'user')],
});
