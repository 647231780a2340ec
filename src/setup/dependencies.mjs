import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { must } from './run.mjs';

/** Installs the project's dependencies as the lockfile says, unless they are there. */
export async function installDependencies() {
  const stamp = join(root, 'node_modules/.hothouse-lock');
  const wanted = hashOf(readFileSync(join(root, 'package-lock.json')), process.versions.modules);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  await must('npm-ci', 'npm', ['ci', '--no-audit', '--no-fund']);
  writeFileSync(stamp, wanted);
}

/** A short name for the contents. */
export function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 32);
}
