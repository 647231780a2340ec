import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives this process and those that it starts a folder of their own for temporary files, which goes when this process ends. */
export function useOwnTemporaryFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'hothouse-tests-'));
  // As open as the system's own, so that what a test puts there is protected by nothing else.
  chmodSync(folder, 0o755);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
