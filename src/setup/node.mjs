import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from './commands.mjs';
import { cacheFolder } from './paths.mjs';

/** Installs an exact Node version from npm into the cache: its folder, its binary and, if included, its headers. */
export async function ensureNode(version) {
  const folder = folderOf(version);
  await once(folder, () => npmInstall(folder, `node@${version}`, {}));
  const home = join(folder, 'node_modules/node');
  const bundled = join(home, 'node_modules');
  const [platform] = existsSync(bundled) ? readdirSync(bundled).filter((name) => name.startsWith('node-')) : [];
  const headers = platform && existsSync(join(bundled, platform, 'include/node')) ? join(bundled, platform) : null;
  return { folder: home, binary: join(home, 'bin/node'), headers };
}

/** The plan of `ensureNode`. */
export async function planNode(version) {
  const folder = folderOf(version);
  return isComplete(folder) ? [] : [{ verb: 'download', what: `Node ${version} into ${folder}`, mb: 190 }];
}

function folderOf(version) {
  return join(cacheFolder(), `node-${version}`);
}

/** Fills a cache folder once; an incomplete folder is deleted first. */
export async function once(folder, fill) {
  if (isComplete(folder)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await fill();
  writeFileSync(stampOf(folder), '');
}

/** Whether a cache folder is complete. */
export function isComplete(folder) {
  return existsSync(stampOf(folder));
}

function stampOf(folder) {
  return join(folder, '.complete');
}

/** Installs an npm package into a folder. */
export function npmInstall(folder, name, env) {
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', name];
  return must('editor', 'npm', args, { cwd: folder, env: { ...withoutNpm(process.env), ...env } });
}

/**
 * The environment without the variables of `npm start`, which an npm for another folder would apply: this project's folders
 * and the current Node, which code-server's install script checks.
 */
function withoutNpm(env) {
  const foreign =
    /^npm_(package|lifecycle|command|execpath|node_execpath|config_(local_prefix|prefix|global_prefix|user_agent|node_gyp))/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}
