import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackages, planPackages } from './apt.mjs';
import { ask } from './commands.mjs';
import { ensureNode, isComplete, npmInstall, once, planNode } from './node.mjs';
import { cacheFolder } from './paths.mjs';
import { SetupProblem, step } from './steps.mjs';

const CODE_SERVER = '4.139.1';
/** The Node version that this code-server requires. */
const NODE = '24.21.0';
/** Build dependencies of code-server's native modules. */
const BUILD_PACKAGES = [
  'build-essential',
  'pkg-config',
  'python3',
  'libkrb5-dev',
  'libsecret-1-dev',
  'libx11-dev',
  'libxkbfile-dev',
];
const CHROMIUM_PACKAGES = ['chromium', 'fonts-liberation'];
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Installs VS Code for the browser if missing; resolves with the paths of its entry and its Node. */
export async function ensureCodeServer() {
  const node = await ensureNode(NODE);
  const folder = codeServerFolder();
  const entry = join(folder, 'node_modules/code-server/out/node/entry.js');
  await once(folder, async () => {
    await installPackages(BUILD_PACKAGES, 'VS Code in the browser');
    await npmInstall(folder, `code-server@${CODE_SERVER}`, {
      // Its install script runs with the first Node in PATH and compiles against the headers of that Node.
      PATH: [join(node.folder, 'bin'), process.env.PATH].join(delimiter),
      ...(node.headers ? { npm_config_nodedir: node.headers } : {}),
    });
    if ((await ask(node.binary, [entry, '--version'])) === null) {
      throw new SetupProblem(`code-server ${CODE_SERVER} does not start.`, `rm -r ${folder}`);
    }
  });
  return { entry, node: node.binary };
}

/** The plan of `ensureCodeServer`. */
export async function planCodeServer() {
  const isDone = isComplete(codeServerFolder());
  return [
    ...(await planNode(NODE)),
    ...(isDone ? [] : await planPackages(BUILD_PACKAGES, 300)),
    ...(isDone ? [] : [{ verb: 'download', what: `VS Code for the browser into ${codeServerFolder()}`, mb: 620 }]),
  ];
}

/** Environment variables of the tests in VS Code; installs what they need. */
export async function editorVariables() {
  const [{ entry, node }, chromium] = await Promise.all([
    step('VS Code in the browser', ensureCodeServer),
    step('Chromium', ensureChromium),
  ]);
  return { HOTHOUSE_CODE_SERVER: entry, HOTHOUSE_NODE24: node, HOTHOUSE_CHROMIUM: chromium };
}

/** The plan of `editorVariables`. */
export async function planEditorVariables() {
  const chromium = (await findChromium()) ? [] : await planPackages(CHROMIUM_PACKAGES, 400);
  return [...(await planCodeServer()), ...chromium];
}

/** Path of Chromium; installs it if missing. */
async function ensureChromium() {
  return (await findChromium()) ?? installPackages(CHROMIUM_PACKAGES, 'Testing in a browser').then(findChromium);
}

async function findChromium() {
  if (process.env.HOTHOUSE_CHROMIUM) return process.env.HOTHOUSE_CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}

function codeServerFolder() {
  return join(cacheFolder(), `code-server-${CODE_SERVER}`);
}
