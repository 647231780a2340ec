import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { contentOf, MAX_FILES, scanFolder } from '../../src/vscode/workspaceFolder/scanFolder.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'hothouse-scan-'));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

async function pathsOf(folder: string, patterns: readonly string[] = []): Promise<readonly string[]> {
  return (await scanFolder(folder, patterns)).files.map(({ path }) => path);
}

describe('the copy of a folder', () => {
  it('has the files of all folders and their size', async () => {
    const folder = folderWith({ 'b.py': 'xx', 'data/sales.csv': 'a,b', 'data/deep/ä.txt': '' });
    const scan = await scanFolder(folder, []);
    expect(scan).toMatchObject({ bytes: 5, tooMany: false });
    expect(scan.files.map(({ path, size }) => [path, size])).toEqual([
      ['b.py', 2],
      ['data/deep/ä.txt', 0],
      ['data/sales.csv', 3],
    ]);
  });

  it('leaves out keys, passwords and what each machine makes for itself', async () => {
    const secrets = ['.env', '.env.local', 'sub/.ENV', 'prod.env', 'id_rsa', 'a/server.pem', '.aws/config', '.netrc'];
    const more = ['.streamlit/secrets.toml', 'credentials.json', 'terraform.tfstate', '.npmrc', 'x/id_ed25519.pub'];
    const unneeded = ['.git/config', 'node_modules/a/index.js', '.venv/bin/python', 'a/__pycache__/b.pyc'];
    const kept = ['.env.example', 'environment.py', 'keys.py', 'a/monkey.txt'];
    const all = [...secrets, ...more, ...unneeded, ...kept];
    const folder = folderWith(Object.fromEntries(all.map((path) => [path, 'x'])));
    const scan = await scanFolder(folder, []);
    expect(scan.files.map(({ path }) => path)).toEqual([...kept].sort());
    expect(scan.leftOut).toMatchObject({ secret: secrets.length + more.length, unneeded: unneeded.length });
  });

  it('leaves out what .gitignore files name, as git does', async () => {
    const folder = folderWith({
      '.gitignore': '*.log\n/data/\nbuild\n!keep.log\n',
      'a.log': '',
      'keep.log': '',
      'data/x.csv': '',
      'sub/data/y.csv': '',
      'sub/build/z': '',
      'sub/.gitignore': '*.csv\n!y.csv\n',
      'sub/w.csv': '',
      'sub/a.log': '',
    });
    execFileSync('git', ['init', '-q'], { cwd: folder });
    const listed = execFileSync('git', ['ls-files', '--others', '--exclude-standard'], { cwd: folder }).toString();
    expect(await pathsOf(folder)).toEqual(listed.trim().split('\n').sort());
    expect(await pathsOf(folder)).toEqual(['.gitignore', 'keep.log', 'sub/.gitignore', 'sub/data/y.csv']);
    expect(await pathsOf(join(folder, 'sub'))).toEqual(['.gitignore', 'data/y.csv']);
    // The folder that is opened is never ignored itself.
    expect(await pathsOf(join(folder, 'sub/build'))).toEqual(['z']);
  });

  it('follows the patterns of the user last, which may bring back what the others leave out', async () => {
    const folder = folderWith({ '.gitignore': 'data/', 'data/in/x.csv': '', 'a.py': '', 'b.bin': '', '.env': '' });
    expect(await pathsOf(folder, ['*.bin', '!data/', '!.env'])).toEqual([
      '.env',
      '.gitignore',
      'a.py',
      'data/in/x.csv',
    ]);
  });

  it('follows a link to a file that it has, and no other', async () => {
    const outside = folderWith({ secret: 's' });
    const folder = folderWith({ 'a.txt': 'text', '.env': 's', 'sub/b': '' });
    const links = { inside: 'a.txt', env: '.env', out: join(outside, 'secret'), folder: 'sub', up: '..', gone: 'none' };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
    symlinkSync(outside, join(folder, 'sub/other'));
    symlinkSync('loop', join(folder, 'loop'));
    const scan = await scanFolder(folder, []);
    expect(scan.files.map(({ path }) => path)).toEqual(['a.txt', 'inside', 'sub/b']);
    expect(scan.leftOut.link).toBe(7);
    const linked = scan.files.find(({ path }) => path === 'inside');
    expect(linked?.location).toMatch(/a\.txt$/);
  });

  it('reads no file that has become a link or a pipe since', async () => {
    const folder = folderWith({ 'a.txt': 'text', 'b.txt': 'text' });
    const { files } = await scanFolder(folder, []);
    for (const { location } of files) rmSync(location);
    symlinkSync('/etc/passwd', join(folder, 'a.txt'));
    execFileSync('mkfifo', [join(folder, 'b.txt')]);
    for (const file of files) await expect(contentOf(file).next()).rejects.toThrow();
  });

  it('ends at a file too many, and when it is cancelled', async () => {
    const folder = folderWith({});
    for (let index = 0; index <= MAX_FILES; index += 1) writeFileSync(join(folder, String(index)), '');
    expect(await scanFolder(folder, [])).toMatchObject({ tooMany: true, files: { length: MAX_FILES } });
    await expect(scanFolder(folder, [], AbortSignal.abort())).rejects.toThrow('aborted');
  });
});
