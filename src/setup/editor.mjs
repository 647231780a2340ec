import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackages } from './apt.mjs';
import { cacheFolder } from './paths.mjs';
import { SetupProblem } from './problem.mjs';
import { ask, must } from './run.mjs';
import { step } from './steps.mjs';

const CODE_SERVER = '4.139.1';
/** What this code-server runs on, and nothing else. */
const NODE = '24.21.0';
/** For code-server's native parts, which are compiled when it is installed. */
const BUILD_PACKAGES = [
  'build-essential',
  'pkg-config',
  'python3',
  'libkrb5-dev',
  'libsecret-1-dev',
  'libx11-dev',
  'libxkbfile-dev',
];
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Sees to it that VS Code for the browser is there; resolves with the paths of its entry and of the Node it wants. */
export async function ensureCodeServer() {
  const node = await ensureNode();
  const folder = join(cacheFolder(), `code-server-${CODE_SERVER}`);
  const entry = join(folder, 'node_modules/code-server/out/node/entry.js');
  await once(folder, async () => {
    await installPackages(BUILD_PACKAGES, 'VS Code in the browser');
    await npmInstall(folder, `code-server@${CODE_SERVER}`, {
      // Its install script runs under the Node that is first in PATH, and compiles against that one's headers.
      PATH: [join(node.folder, 'bin'), process.env.PATH].join(delimiter),
      ...(node.headers ? { npm_config_nodedir: node.headers } : {}),
    });
    if ((await ask(node.binary, [entry, '--version'])) === null) {
      throw new SetupProblem(`code-server ${CODE_SERVER} does not start.`, `rm -r ${folder}`);
    }
  });
  return { entry, node: node.binary };
}

/** What the tests in a real VS Code are told by environment variables. */
export async function editorVariables() {
  const [{ entry, node }, chromium] = await Promise.all([
    step('VS Code in the browser', ensureCodeServer),
    step('Chromium', ensureChromium),
  ]);
  return { HOTHOUSE_CODE_SERVER: entry, HOTHOUSE_NODE24: node, HOTHOUSE_CHROMIUM: chromium };
}

/** Path of a Chromium; installs one when there is none. */
async function ensureChromium() {
  return (
    (await findChromium()) ??
    installPackages(['chromium', 'fonts-liberation'], 'Testing in a browser').then(findChromium)
  );
}

async function findChromium() {
  if (process.env.HOTHOUSE_CHROMIUM) return process.env.HOTHOUSE_CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}

async function ensureNode() {
  const folder = join(cacheFolder(), `node-${NODE}`);
  await once(folder, () => npmInstall(folder, `node@${NODE}`, {}));
  const home = join(folder, 'node_modules/node');
  const bundled = join(home, 'node_modules');
  const [platform] = existsSync(bundled) ? readdirSync(bundled).filter((name) => name.startsWith('node-')) : [];
  const headers = platform && existsSync(join(bundled, platform, 'include/node')) ? join(bundled, platform) : null;
  return { folder: home, binary: join(home, 'bin/node'), headers };
}

/** Fills a folder of the cache; one that was left half filled is begun anew. */
async function once(folder, fill) {
  const stamp = join(folder, '.complete');
  if (existsSync(stamp)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await fill();
  writeFileSync(stamp, '');
}

function npmInstall(folder, name, env) {
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', name];
  return must('editor', 'npm', args, { cwd: folder, env: { ...withoutNpm(process.env), ...env } });
}

/**
 * `npm start` leaves its own settings in the environment, which an npm for another folder would obey: this project's
 * folders, and the Node it runs on, by which code-server's install script judges.
 */
function withoutNpm(env) {
  const foreign =
    /^npm_(package|lifecycle|command|execpath|node_execpath|config_(local_prefix|prefix|global_prefix|user_agent|node_gyp))/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}
