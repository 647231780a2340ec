import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/** Bundles the test module for the extension host into `out`; resolves to its path. */
export async function bundleHostTests(root, out) {
  const outfile = path.join(out, 'index.js');
  await build({
    entryPoints: [path.join(root, 'test/e2e/host/index.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    logLevel: 'warning',
  });
  // The project's own package.json would make it an ES module.
  writeFileSync(path.join(out, 'package.json'), '{"type":"commonjs"}\n');
  return outfile;
}
