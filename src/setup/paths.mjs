import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
/** Output of setup, tests and demo. */
export const out = join(root, 'out');
export const logs = join(out, 'logs');
export const cli = join(root, 'dist/cli.js');
export const vsix = join(root, 'dist/hothouse.vsix');
export const mcpb = join(root, 'dist/hothouse.mcpb');
/** The manifest for the MCP registry. */
export const registryManifest = join(root, 'dist/server.json');

/** The environment without the variables of setup, which `hothouse` would report as unknown options. */
export function programEnv(env = process.env) {
  const { HOTHOUSE_CACHE_DIR, HOTHOUSE_CHROMIUM, HOTHOUSE_TEST_LEAN_IMAGE, ...rest } = env;
  return rest;
}

/** The folder for programs that outlive a checkout. */
export function cacheFolder(env = process.env) {
  if (env.HOTHOUSE_CACHE_DIR) return env.HOTHOUSE_CACHE_DIR;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hothouse');
}
