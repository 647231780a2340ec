import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ServerProgram } from '../../src/clients/client.ts';
import { launcherOf, renewLauncher, writeLauncher } from '../../src/clients/launcher.ts';

const run = promisify(execFile);
const PLATFORMS = ['linux', 'win32'] as const;
const SAYS = 'console.log(JSON.stringify([VERSION, process.argv.slice(2), process.env.AS_NODE]));';

/** A home, and the program of a version in a folder with characters that shells read. */
async function newHome() {
  const home = await mkdtemp(join(tmpdir(), 'launcher-'));
  const programOf = async (version: number): Promise<ServerProgram> => {
    const folder = join(home, `it's "$HOME" ${version}`);
    await mkdir(folder);
    await writeFile(join(folder, 'program.js'), SAYS.replace('VERSION', `${version}`));
    return { command: process.execPath, args: [join(folder, 'program.js'), 'mcp'], env: { AS_NODE: '1' } };
  };
  return { home, programOf };
}

async function said({ command, args, env }: ServerProgram): Promise<unknown> {
  const { stdout } = await run(command, [...args, '--own'], { env: { PATH: process.env.PATH, ...env } });
  return JSON.parse(stdout);
}

describe.each(PLATFORMS)('the launcher of an extension on %s', (platform) => {
  it('starts the version that has written it last, by an entry that stays', async () => {
    const { home, programOf } = await newHome();
    const [first, second] = [launcherOf({ platform, home }, await programOf(1)), await programOf(2)];
    await writeLauncher(first);
    expect(await said(first.program)).toEqual([1, ['mcp', '--own'], '1']);
    const updated = launcherOf({ platform, home }, second);
    expect(updated.program).toEqual(first.program);
    await renewLauncher(updated);
    expect(await said(first.program)).toEqual([2, ['mcp', '--own'], '1']);
    expect(statSync(updated.file).mode & 0o077).toBe(0);
    expect(readdirSync(join(home, '.hothouse', 'bin'))).toHaveLength(1);
  });

  it('says what to do when the extension is gone', async () => {
    const { home, programOf } = await newHome();
    const launcher = launcherOf({ platform, home }, await programOf(1));
    await writeLauncher(launcher);
    await rename(join(home, `it's "$HOME" 1`), join(home, 'away'));
    await expect(said(launcher.program)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Hothouse is not where it was: .*remove this server\.\n$/),
    });
  });

  it('is not written by an update where nobody has asked for it', async () => {
    const { home, programOf } = await newHome();
    await renewLauncher(launcherOf({ platform, home }, await programOf(1)));
    expect(existsSync(join(home, '.hothouse'))).toBe(false);
  });
});
