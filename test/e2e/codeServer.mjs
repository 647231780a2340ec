import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';

/** Settings of every test editor; `settings` override them. */
const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.editor.useModal': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  'telemetry.telemetryLevel': 'off',
  'chat.agentHost.enabled': false,
  'chat.commandCenter.enabled': false,
};

/** This user. */
const SELF = { before: [], at: (path) => path, own: () => {} };

/**
 * Starts a VS Code server with a user folder under `out`, and a browser page. Installs `vsix` before the start; `driver`
 * lets a test module run in the extension host. Every folder is trusted, unless `asksForTrust`. The server is of `user`, if
 * that is given. `stop` stops both.
 *
 * @param {{ out: string, codeServer: string, node: string, chromium: string, folder: string, vsix?: string,
 *   driver?: boolean, asksForTrust?: boolean, settings?: object, machineSettings?: object, env?: NodeJS.ProcessEnv,
 *   user?: { before: readonly string[], at: (path: string) => string, own: (folder: string) => void } }} options
 */
export async function startEditor(options) {
  const { out, codeServer, settings = {}, machineSettings = {}, vsix, user = SELF } = options;
  for (const folder of ['user/User', 'user/Machine', 'extensions'])
    mkdirSync(path.join(out, folder), { recursive: true });
  writeFileSync(path.join(out, 'config.yaml'), 'auth: none\n');
  writeFileSync(path.join(out, 'user/User/settings.json'), JSON.stringify({ ...SETTINGS, ...settings }));
  writeFileSync(path.join(out, 'user/Machine/settings.json'), JSON.stringify(machineSettings));
  user.own(out);
  const seen = user.at(out);
  const places = ['--config', `${seen}/config.yaml`, '--user-data-dir', `${seen}/user`];
  const program = [...user.before, user.at(options.node), user.at(codeServer)];
  const common = [...program, ...places, '--extensions-dir', `${seen}/extensions`];
  if (vsix) install(common, user.at(vsix));
  const server = await serve(options, common);
  const browser = await chromium.launch({
    executablePath: options.chromium,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 });
  // Only what hangs takes so long, however slow the machine.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const consoleLog = createWriteStream(`${out}/console.log`);
  page.on('console', (message) => consoleLog.write(`[${message.type()}] ${message.text()}\n`));
  return {
    page,
    address: server.address,
    async stop() {
      await browser.close();
      await end(server.process);
    },
  };
}

function install([program, ...common], vsix) {
  const done = spawnSync(program, [...common, '--install-extension', vsix, '--force'], {
    encoding: 'utf8',
    env: plainEnv(),
  });
  if (done.status !== 0) throw new Error(`The VSIX did not install: ${done.stdout}${done.stderr}`);
}

async function serve({ out, driver, asksForTrust, env = {} }, [program, ...common]) {
  const port = await freePort();
  const flags = ['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check'];
  const quiet = ['--disable-getting-started-override', '--ignore-last-opened'];
  const trust = asksForTrust ? [] : ['--disable-workspace-trust'];
  const smoke = driver ? ['--vscode-option', 'enable-smoke-test-driver'] : [];
  const child = spawn(program, [...common, ...flags, ...quiet, ...trust, ...smoke], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that `end` can wait for it.
    detached: true,
    env: { ...plainEnv(), ...env },
  });
  const log = createWriteStream(`${out}/server.log`);
  await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`code-server ended with ${code}, see ${out}/server.log`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        log.write(chunk);
        if (String(chunk).includes('HTTP server listening')) resolve();
      });
    }
  });
  return { process: child, address: `http://127.0.0.1:${port}` };
}

/** The environment without our variables, which the extension would read as options. */
function plainEnv() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HOTHOUSE_')));
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Stops the server and waits for its extension host, which removes its containers before it exits. */
async function end(child) {
  if (!groupLives(child.pid)) return;
  child.kill('SIGTERM');
  for (let turn = 0; turn < 100 && groupLives(child.pid); turn += 1) await sleep(200);
  if (groupLives(child.pid)) process.kill(-child.pid, 'SIGKILL');
}

function groupLives(pid) {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}
