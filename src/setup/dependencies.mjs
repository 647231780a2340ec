import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from './commands.mjs';
import { root } from './paths.mjs';

const STAMP = join(root, 'node_modules/.hothouse-lock');

/** Installs the dependencies of the lockfile unless they are installed. */
export async function installDependencies() {
  if (areInstalled()) return;
  await must('npm-ci', 'npm', ['ci', '--no-audit', '--no-fund']);
  writeFileSync(STAMP, wantedStamp());
}

/** The plan of `installDependencies`. */
export async function planDependencies() {
  if (areInstalled()) return [];
  return [{ verb: 'download', what: `npm packages into ${join(root, 'node_modules')}`, mb: 350 }];
}

function areInstalled() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wantedStamp();
}

function wantedStamp() {
  return hashOf(readFileSync(join(root, 'package-lock.json')), process.versions.modules);
}

/** A short hash of the contents. */
export function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 32);
}

/** A short hash of the paths and contents of the files in a folder. */
export function folderHash(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
  return hashOf(...paths.flatMap((path) => [path.slice(folder.length), readFileSync(path)]));
}
