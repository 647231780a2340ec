import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LEAN_VARIABLES, PYTHON_VARIABLES, writeOlderConfiguration } from '../config/olderServers.ts';
import { leanImage } from '../leanImage.ts';
import { ended, start } from './program.ts';

it('runs Lean with the documented configuration of python-docker-mcp and lean-docker-mcp', async () => {
  const HOME = await mkdtemp(join(tmpdir(), 'hothouse-older-'));
  await writeOlderConfiguration(HOME);
  const env = { HOME, ...PYTHON_VARIABLES, ...LEAN_VARIABLES, HOTHOUSE_LEAN_IMAGE: leanImage() };
  const { status, stdout } = await ended(start(['run', 'lean', '-'], env), '#eval 6 * 7');
  expect([status, stdout]).toEqual([0, '42\n']);
});
