import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEra, type TestClient } from '../mcp/connect.ts';
import { ended, start } from './program.ts';

/** A home of its own, so that only this file's server is found. */
const home = mkdtempSync(join(tmpdir(), 'hothouse-cp-'));
const env = { HOME: home };
const server = start(['serve', '--json', '--set', 'limits.workspaceMb=32'], env);
let address: { url: string; token: string };
let client: TestClient;
let session: string;

beforeAll(async () => {
  const line = await new Promise<string>((resolve) => server.stdout?.once('data', (chunk) => resolve(String(chunk))));
  address = JSON.parse(line);
  client = await connectEra('2025-11-25', address.url, address.token);
  session = String((await call(client, 'open_session', { language: 'python' })).session_id);
  mkdirSync(at('data/deep'), { recursive: true });
  writeFileSync(at('data/sales.csv'), 'month,total\n1,20\n2,22\n');
  writeFileSync(at('data/deep/note.txt'), 'deep');
});
afterAll(async () => {
  await client.close();
  server.kill('SIGTERM');
  await ended(server);
  expect(readdirSync(join(home, '.hothouse/servers'))).toEqual([]);
  rmSync(home, { recursive: true });
});

const at = (name: string) => join(home, name);

function cp(...args: string[]) {
  return ended(start(['cp', ...args], env));
}

/** The structured result of a tool. */
async function call(from: TestClient, name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const answer = (await from.callTool({ name, arguments: args })) as { structuredContent: Record<string, unknown> };
  return answer.structuredContent;
}

async function run(code: string): Promise<string> {
  return String((await call(client, 'run_code', { language: 'python', code, session_id: session })).stdout);
}

const LIST = 'import glob; print(sorted(glob.glob("**", recursive=True)))';

describe('hothouse cp', () => {
  it('announces its server in a file that no other user can read', () => {
    const folder = at('.hothouse/servers');
    const [file = ''] = readdirSync(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it('copies a file into a folder of a session, and back', async () => {
    const put = await cp(at('data/sales.csv'), `${session}:data/`);
    expect([put.status, put.stderr]).toEqual([0, 'hothouse: copied 1 file (22 bytes)\n']);
    expect(await run('print(open("data/sales.csv").read())')).toBe('month,total\n1,20\n2,22\n\n');
    const got = await cp('-q', `${session}:data/sales.csv`, at('back.csv'));
    expect([got.status, got.stderr]).toEqual([0, '']);
    expect(readFileSync(at('back.csv'), 'utf8')).toBe('month,total\n1,20\n2,22\n');
  });

  it('places folders as docker cp does', async () => {
    await run('import shutil; shutil.rmtree("data", ignore_errors=True)');
    await cp(at('data'), `${session}:new`);
    expect(await run(LIST)).toBe("['new', 'new/deep', 'new/deep/note.txt', 'new/sales.csv']\n");
    await cp(at('data'), `${session}:new`);
    await cp(`${at('data')}/.`, `${session}:new/contents`);
    expect(await run('import os; print(sorted(os.listdir("new")), sorted(os.listdir("new/contents")))')).toBe(
      "['contents', 'data', 'deep', 'sales.csv'] ['deep', 'sales.csv']\n",
    );
    mkdirSync(at('out'));
    await cp(`${session}:new/data`, at('out'));
    expect(readFileSync(at('out/data/deep/note.txt'), 'utf8')).toBe('deep');
    await cp(`${session}:new/data/.`, at('out'));
    expect(readFileSync(at('out/deep/note.txt'), 'utf8')).toBe('deep');
    await run('import shutil; shutil.rmtree("new")');
  });

  it('copies files of many calls byte by byte', async () => {
    const bytes = randomBytes(11 * 1024 * 1024 + 7);
    writeFileSync(at('large.bin'), bytes);
    expect((await cp(at('large.bin'), `${session}:`)).status).toBe(0);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const code = 'import hashlib; print(hashlib.sha256(open("large.bin", "rb").read()).hexdigest())';
    expect(await run(code)).toBe(`${hash}\n`);
    expect((await cp(`${session}:large.bin`, at('large.back'))).status).toBe(0);
    expect(readFileSync(at('large.back')).equals(bytes)).toBe(true);
    await run('import os; os.remove("large.bin")');
  });

  it('passes a file through standard input and output as it is, and a folder as a tar archive', async () => {
    const put = await ended(start(['cp', '-q', '-', `${session}:notes/a.txt`], env), 'from stdin');
    expect([put.status, put.stderr]).toEqual([0, '']);
    const got = await cp('-q', `${session}:notes/a.txt`, '-');
    expect([got.stdout, got.stderr]).toEqual(['from stdin', '']);
    const tar = spawnSync('tar', ['-C', home, '-cf', '-', 'data']).stdout;
    writeFileSync(at('data.tar'), tar);
    const unpacked = spawnSync(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', 'cp', '-', `${session}:`], {
      input: tar,
      env: { ...process.env, ...env },
    });
    expect(String(unpacked.stderr)).toBe('hothouse: copied 2 files (26 bytes)\n');
    const packed = spawnSync(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', 'cp', `${session}:data`, '-'], {
      env: { ...process.env, ...env },
    });
    const listed = spawnSync('tar', ['-tf', '-'], { input: packed.stdout });
    expect(String(listed.stdout).split('\n').sort()).toEqual(['', 'data/deep/note.txt', 'data/sales.csv']);
    await run('import shutil; shutil.rmtree("data"); shutil.rmtree("notes")');
  });

  it('says that there is no room before anything is written', async () => {
    mkdirSync(at('full'));
    for (const name of ['a', 'b', 'c']) writeFileSync(at(`full/${name}`), randomBytes(12 * 1024 * 1024));
    const put = await cp(at('full'), `${session}:`);
    expect([put.status, put.stderr]).toEqual([
      1,
      expect.stringMatching(/There is no room for the files: they have 37748736 bytes together, and \d+ are free\./),
    ]);
    expect(await run(LIST)).toBe('[]\n');
  });

  it('names what it leaves out, and neither follows links nor leaves the folders', async () => {
    await run(
      'import os; os.makedirs("odd/.git"); os.symlink("/etc/passwd", "odd/link"); open("odd/.git/config", "w"); open("odd/ok", "w"); open("odd/back\\\\slash", "w")',
    );
    const got = await cp(`${session}:odd`, at('odd'));
    expect(got.status).toBe(1);
    expect(got.stderr).toContain('not copied: odd/link: it is no regular file');
    expect(got.stderr).toContain('not copied: odd/.git/config: programs here take settings from it');
    expect(readdirSync(at('odd'))).toEqual(['ok']);
    symlinkSync('/etc/passwd', at('data/link'));
    const put = await cp(at('data'), `${session}:`);
    expect([put.status, put.stderr]).toEqual([
      1,
      expect.stringContaining(`not copied: ${at('data/link')}: it is no regular file`),
    ]);
    const outside = await cp(at('data/sales.csv'), `${session}:../../etc/x`);
    expect([outside.status, outside.stderr]).toEqual([1, expect.stringContaining('is not a path in the workspace')]);
    rmSync(at('data/link'));
    await run('import shutil; shutil.rmtree("odd"); shutil.rmtree("data")');
  });

  it('replaces a named file, and files of a folder only with --overwrite', async () => {
    await run('import os; os.makedirs("made"); open("made/kept", "w").write("new")');
    mkdirSync(at('there/made'), { recursive: true });
    writeFileSync(at('there/made/kept'), 'old');
    const refused = await cp(`${session}:made`, at('there'));
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('made/kept exists')]);
    expect(readFileSync(at('there/made/kept'), 'utf8')).toBe('old');
    expect((await cp('--overwrite', `${session}:made`, at('there'))).status).toBe(0);
    expect(readFileSync(at('there/made/kept'), 'utf8')).toBe('new');
    writeFileSync(at('there/kept'), 'old');
    expect((await cp(`${session}:made/kept`, at('there/kept'))).status).toBe(0);
    expect(readFileSync(at('there/kept'), 'utf8')).toBe('new');
  });

  it('copies the kept files of a run of a client without a session of its own', async () => {
    const current = await connectEra('2026-07-28', address.url, address.token);
    const code = 'open("made.txt", "w").write("by a run")';
    const id = String((await call(current, 'run_code', { language: 'python', code })).run_id);
    expect((await cp(`${id}:made.txt`, '-')).stdout).toBe('by a run');
    await current.close();
    const gone = await cp('run-000000000000:made.txt', '-');
    expect([gone.status, gone.stderr]).toEqual([
      1,
      expect.stringContaining('No files of the run run-000000000000 are kept.'),
    ]);
    expect((await cp(at('back.csv'), `${id}:x`)).status).toBe(2);
  });

  it('names the sessions that there are, and takes another server with its token', async () => {
    const unknown = await cp('py-00000000:x', '.');
    expect([unknown.status, unknown.stderr]).toEqual([
      1,
      `hothouse: There is no session py-00000000.\nhothouse: Open sessions: ${session}.\n`,
    ]);
    const elsewhere = { HOME: at('out'), HOTHOUSE_TOKEN: address.token };
    const without = await ended(start(['cp', `${session}:x`, '.'], elsewhere));
    expect(without.stderr).toContain('No server of yours runs on this machine.');
    await run('open("x", "w").write("found")');
    const args = ['cp', '-q', '--server', address.url, `${session}:x`, '-'];
    expect((await ended(start(args, elsewhere))).stdout).toBe('found');
    const wrong = await ended(start(args, { ...elsewhere, HOTHOUSE_TOKEN: 'wrong' }));
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining('does not accept the token')]);
    const missing = await cp(`${session}:nothing`, '.');
    expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining('"nothing" does not exist')]);
  });

  it('ignores and removes the file of a server that was killed', async () => {
    const killed = start(['serve', '--json'], { HOME: at('killed') });
    await new Promise((resolve) => killed.stdout?.once('data', resolve));
    killed.kill('SIGKILL');
    await ended(killed);
    expect(readdirSync(at('killed/.hothouse/servers'))).toHaveLength(1);
    const copied = await ended(start(['cp', `${session}:x`, '.'], { HOME: at('killed') }));
    expect(copied.stderr).toContain('No server of yours runs on this machine.');
    expect(existsSync(at('killed/.hothouse/servers'))).toBe(true);
    expect(readdirSync(at('killed/.hothouse/servers'))).toEqual([]);
  });
});

describe('hothouse ls', () => {
  const ls = (...args: string[]) => ended(start(['ls', ...args], env));

  it('lists what is in a folder of a session, with sizes and everything below it when asked', async () => {
    await run(
      'import os; os.makedirs("listed/deep"); open("listed/a.txt", "w").write("four"); open("listed/deep/b", "w")',
    );
    expect(await ls(`${session}:listed`)).toMatchObject({ status: 0, stdout: 'listed/a.txt\nlisted/deep/\n' });
    const all = await ls('--long', '--recursive', `${session}:listed`);
    expect(all.stdout).toBe('4  listed/a.txt\n-  listed/deep/\n0  listed/deep/b\n');
    expect((await ls(session)).stdout).toContain('listed/\n');
    expect((await ls('-l', `${session}:listed/a.txt`)).stdout).toBe('4  listed/a.txt\n');
  });

  it('prints names without what a terminal obeys, and exactly as JSON', async () => {
    await run('import os; os.makedirs("odd"); open("odd/\\x1b[2Jx\\ny", "w")');
    expect((await ls(`${session}:odd`)).stdout).toBe('odd/x?y\n');
    const entries = JSON.parse((await ls('--json', `${session}:odd`)).stdout);
    expect(entries).toMatchObject([{ path: 'odd/\x1b[2Jx\ny', type: 'file', size: 0 }]);
  });

  it('says what there is where there is no such session or path', async () => {
    const unknown = await ls('py-00000000');
    expect([unknown.status, unknown.stdout]).toEqual([1, '']);
    expect(unknown.stderr).toContain(`Open sessions: ${session}`);
    expect((await ls(`${session}:absent`)).stderr).toContain('absent');
    expect((await ls('./here')).status).toBe(2);
  });
});
