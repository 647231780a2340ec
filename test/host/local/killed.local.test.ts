import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { searchChildrenOf, startOf } from '../../../src/host/local/processes.ts';
import { hostIn } from './hostIn.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const SESSION = path.join(import.meta.dirname, 'localSession.ts');
const CLI = path.join(ROOT, 'src/cli/main.ts');

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'hothouse-killed-'));
});
afterEach(() => rm(home, { recursive: true }));

const started = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const all = { ...process.env, HOTHOUSE_HOST_KIND: 'local', ...env };
  return spawn(process.execPath, ['--import', 'tsx', ...args], { cwd: ROOT, env: all, stdio: 'ignore' });
};

interface Process {
  readonly pid: number;
  readonly name: string;
  readonly startedAt: string | null;
}

/** Every process below one, however deep. */
async function descendantsOf(pid: number): Promise<Process[]> {
  const children = await searchChildrenOf(pid);
  const found = children.map(async (child) => [await processOf(child), ...(await descendantsOf(child))]);
  return (await Promise.all(found)).flat();
}

async function processOf(pid: number): Promise<Process> {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  return { pid, name: name.trim(), startedAt: await startOf(pid) };
}

const namesBelow = async ({ pid = 0 }: ChildProcess) => (await descendantsOf(pid)).map(({ name }) => name);

/** Kills a process as the kernel does; resolves with those below it that still live. */
async function killed(child: ChildProcess): Promise<() => Promise<Process[]>> {
  const below = await descendantsOf(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return async () => {
    const now = await Promise.all(below.map(({ pid }) => startOf(pid)));
    return below.filter(({ startedAt }, index) => startedAt !== null && startedAt === now[index]);
  };
}

/** The processes of this machine with a mount of something in the home folder, as far as they let themselves be looked at. */
async function mounting(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const mounts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => mounts[index]?.includes(path.basename(home)));
}

const local = (name: string) => path.join(home, '.hothouse/local', name);
const namesIn = (name: string) => readdir(local(name)).catch(() => []);

/** The sweep of another process, when nothing that was left is new any more. */
async function sweep(): Promise<void> {
  for (const name of await namesIn('volumes')) await utimes(path.join(local('volumes'), name), 0, 0);
  const host = hostIn(home);
  await host.list({});
  await host.removeUnusedVolumes({});
}

describe('after kill -9', () => {
  it('of an engine, nothing is left of its sessions: no process, no mount, and no folder after a sweep', async () => {
    const child = started([SESSION, home]);
    await expect.poll(() => namesBelow(child)).toEqual(expect.arrayContaining(['bwrap', 'sleep', 'sleep']));
    expect(await mounting()).not.toEqual([]);
    expect(await namesIn('sandboxes')).not.toEqual([]);
    const left = await killed(child);
    await expect.poll(left).toEqual([]);
    await expect.poll(mounting).toEqual([]);
    await sweep();
    expect([await namesIn('sandboxes'), await namesIn('volumes')]).toEqual([[], []]);
  });

  it('of a build, nothing is left of it', async () => {
    const asking = new Set<Socket>();
    // It never answers.
    const index = createServer((socket) => asking.add(socket)).listen(0, '127.0.0.1');
    await once(index, 'listening');
    const { port } = index.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/simple`;
    const child = started([CLI, 'build', 'python'], { HOME: home, PIP_INDEX_URL: url });
    await expect.poll(() => asking.size).toBeGreaterThan(0);
    expect(await namesIn('environments')).not.toEqual([]);
    const left = await killed(child);
    await expect.poll(left).toEqual([]);
    for (const socket of asking) socket.destroy();
    index.close();
    await sweep();
    expect(await namesIn('environments')).toEqual([]);
  });
});
