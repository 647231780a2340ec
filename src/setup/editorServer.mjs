import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ended, logFile, must } from './commands.mjs';
import { cli, out, programEnv, vsix } from './paths.mjs';
import { SetupProblem } from './steps.mjs';

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.editorAssociations': { '*.ipynb': 'jupyter-notebook' },
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'security.workspace.trust.enabled': false,
  'git.openRepositoryInParentFolders': 'never',
};

/** Serves VS Code with the extension, and MCP clients, until a signal. */
export async function serve({ entry, node }) {
  const editor = await startEditor(entry, node);
  const mcp = await startMcp();
  console.log(`
VS Code      ${editor.address}
  password   ${editor.password}
MCP server   ${mcp.url}
  header     Authorization: Bearer ${mcp.token}

Press Ctrl+C to stop both.`);
  const children = [editor.child, mcp.child];
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop(children));
  await Promise.race(children.map(ended));
  stop(children);
  await Promise.all(children.map((child) => child.exitCode === null && child.signalCode === null && ended(child)));
}

async function startEditor(entry, node) {
  const folder = join(out, 'editor');
  const common = [entry, '--user-data-dir', join(folder, 'user'), '--extensions-dir', join(folder, 'extensions')];
  const config = ['--config', join(folder, 'config.yaml')];
  mkdirSync(join(folder, 'user/User'), { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), '');
  writeFileSync(join(folder, 'user/User/settings.json'), JSON.stringify(SETTINGS));
  await must('editor', node, [...common, ...config, '--install-extension', vsix, '--force']);
  const sample = copySample(join(folder, 'sample'));
  const port = await freePort();
  // Access to this port is access to a terminal on this machine.
  const password = randomBytes(16).toString('hex');
  const quiet = ['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
  const child = spawn(
    node,
    [...common, ...config, '--auth', 'password', '--bind-addr', `127.0.0.1:${port}`, ...quiet],
    {
      stdio: 'ignore',
      env: { ...programEnv(), PASSWORD: password },
    },
  );
  const origin = `http://127.0.0.1:${port}`;
  await waitForServer(origin, child);
  return { child, password, address: `${origin}/?${query(sample)}` };
}

/** The query of the workbench that opens a file. */
function query({ folder, file }) {
  return new URLSearchParams({ folder, payload: JSON.stringify([['openFile', `vscode-remote://remote${file}`]]) });
}

function copySample(folder) {
  const file = join(folder, 'sample.ipynb');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(file)) copyFileSync(new URL('sample.ipynb', import.meta.url), file);
  return { folder, file };
}

async function startMcp() {
  const child = spawn(process.execPath, [cli, 'serve', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: programEnv(),
  });
  const line = await Promise.race([firstLine(child.stdout), ended(child).then(() => null)]);
  if (line === null) throw new SetupProblem('The MCP server exited immediately.', `node ${cli} serve`);
  return { child, ...JSON.parse(line) };
}

async function firstLine(stream) {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0];
}

async function waitForServer(origin, child) {
  for (let tries = 0; tries < 240 && child.exitCode === null; tries++) {
    if (
      await fetch(`${origin}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await sleep(250);
  }
  stop([child]);
  throw new SetupProblem(`The server of VS Code does not respond; see ${logFile('editor')}.`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function stop(children) {
  for (const child of children) if (child.exitCode === null) child.kill('SIGTERM');
}
