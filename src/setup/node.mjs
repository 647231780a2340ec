import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './paths.mjs';
import { must } from './run.mjs';

/** Node of an exact version from npm, beside the one that runs this: its folder, its binary and, where there are any, its headers. */
export async function ensureNode(version) {
  const folder = folderOf(version);
  await once(folder, () => npmInstall(folder, `node@${version}`, {}));
  const home = join(folder, 'node_modules/node');
  const bundled = join(home, 'node_modules');
  const [platform] = existsSync(bundled) ? readdirSync(bundled).filter((name) => name.startsWith('node-')) : [];
  const headers = platform && existsSync(join(bundled, platform, 'include/node')) ? join(bundled, platform) : null;
  return { folder: home, binary: join(home, 'bin/node'), headers };
}

/** What that does to the machine. */
export async function planNode(version) {
  const folder = folderOf(version);
  return isComplete(folder) ? [] : [{ verb: 'download', what: `Node ${version} into ${folder}`, mb: 190 }];
}

function folderOf(version) {
  return join(cacheFolder(), `node-${version}`);
}

/** Fills a folder of the cache; one that was left half filled is begun anew. */
export async function once(folder, fill) {
  if (isComplete(folder)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await fill();
  writeFileSync(stampOf(folder), '');
}

/** Whether a folder of the cache has been filled. */
export function isComplete(folder) {
  return existsSync(stampOf(folder));
}

function stampOf(folder) {
  return join(folder, '.complete');
}

/** Installs one package of npm's into a folder. */
export function npmInstall(folder, name, env) {
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
