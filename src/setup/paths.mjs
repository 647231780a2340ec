import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
/** Where set-up, tests and the demonstration write. */
export const out = join(root, 'out');
export const logs = join(out, 'logs');
export const cli = join(root, 'dist/cli.js');
export const vsix = join(root, 'dist/hothouse.vsix');

/** The environment without what only set-up understands: the program would report those as options it does not have. */
export function programEnv(env = process.env) {
  const { HOTHOUSE_CACHE_DIR, HOTHOUSE_CHROMIUM, HOTHOUSE_TEST_LEAN_IMAGE, ...rest } = env;
  return rest;
}

/** Where programs are kept that outlive a checkout. */
export function cacheFolder(env = process.env) {
  if (env.HOTHOUSE_CACHE_DIR) return env.HOTHOUSE_CACHE_DIR;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hothouse');
}
