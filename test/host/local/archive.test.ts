import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract, type Headers } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packVolume } from '../../../src/host/local/archive.ts';

const SECRET = 'the secret of the user';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hothouse-archive-'));
  await mkdir(path.join(folder, 'volume/data/out/sub'), { recursive: true });
  await mkdir(path.join(folder, 'private'));
  await writeFile(path.join(folder, 'private/file'), SECRET);
});
afterEach(() => rm(folder, { recursive: true }));

const inVolume = (name: string) => path.join(folder, 'volume/data', name);

/** Headers and texts of what is packed, by name. Rejects as the archive does. */
async function packed(name: string): Promise<Record<string, Pick<Headers, 'type' | 'linkname'> & { text: string }>> {
  const found: Awaited<ReturnType<typeof packed>> = {};
  const entries = extract();
  entries.on('entry', ({ name: entry, type, linkname }, content, next) => {
    let text = '';
    content.on('data', (chunk) => {
      text += chunk;
    });
    content.on('end', () => {
      found[entry.replace(/\/$/, '')] = { type, text, ...(linkname ? { linkname } : {}) };
      next();
    });
  });
  await pipeline(packVolume(new Map([['/volume', path.join(folder, 'volume')]]), `/volume/data/${name}`), entries);
  return found;
}

describe.runIf(process.platform === 'linux')('what a sandbox has left in a volume', () => {
  it('is packed with files, folders and links as they are', async () => {
    await writeFile(inVolume('out/sub/one'), 'text');
    await writeFile(inVolume('out/empty'), '');
    await chmod(inVolume('out/empty'), 0o4755);
    await symlink('/nowhere', inVolume('out/link'));
    expect(await packed('out')).toEqual({
      out: { type: 'directory', text: '' },
      'out/sub': { type: 'directory', text: '' },
      'out/sub/one': { type: 'file', text: 'text' },
      'out/empty': { type: 'file', text: '' },
      'out/link': { type: 'symlink', text: '', linkname: '/nowhere' },
    });
  });

  it('is not read where a link leads out of it', async () => {
    await symlink(path.join(folder, 'private'), inVolume('way'));
    await expect(packed('way/file')).rejects.toThrow('ENOTDIR');
    expect(await packed('way')).toMatchObject({ way: { type: 'symlink' } });
  });

  it('is not read by links that appear while it is packed', async () => {
    await writeFile(inVolume('out/sub/file'), 'own');
    await symlink(path.join(folder, 'private'), inVolume('link'));
    // As fast as a hostile program can: the folder, the link, the folder …
    const swap = `
import os, sys
os.chdir(sys.argv[1])
print(flush=True)
while True:
    os.rename("out/sub", "kept"); os.rename("link", "out/sub")
    os.rename("out/sub", "link"); os.rename("kept", "out/sub")`;
    const swapping = spawn('python3', ['-c', swap, inVolume('')], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(swapping.stdout, 'data');
    const texts = new Set<string>();
    for (let count = 0; count < 2_000; count += 1) {
      const found = await packed('out').catch(() => ({}));
      for (const { text } of Object.values(found)) texts.add(text);
    }
    swapping.kill('SIGKILL');
    await once(swapping, 'exit');
    expect([...texts]).toContain('own');
    expect([...texts]).not.toContain(SECRET);
  });

  it('is refused with a pipe, which nobody waits for', async () => {
    execFileSync('mkfifo', [inVolume('out/pipe')]);
    await expect(packed('out')).rejects.toThrow('out/pipe is no file, folder or link.');
  });
});
