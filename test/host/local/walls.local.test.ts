import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HostWithImages } from '../../../src/host/host.ts';
import { findScopes } from '../../../src/host/local/scopes.ts';
import { MASKED_PATHS } from '../../../src/host/spec.ts';
import { ownSpec } from '../../contract/hostContract.ts';
import { hostIn } from './hostIn.ts';

const IMAGE = 'hothouse/bash:latest';
const NAMESPACES = ['user', 'pid', 'mnt', 'net', 'ipc', 'uts', 'cgroup'];
const VARIABLE = 'HOTHOUSE_TEST_CANARY';

let home: string;
let host: HostWithImages;
beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'hothouse-walls-'));
  process.env[VARIABLE] = 'canary';
  host = hostIn(home);
  const context = path.resolve(import.meta.dirname, '../../../images/bash');
  await host.images.build({ tag: IMAGE, context, buildArgs: {}, labels: {} }, () => {});
});
afterAll(async () => {
  delete process.env[VARIABLE];
  await host.dispose();
  await rm(home, { recursive: true });
});

const helpers: ChildProcess[] = [];
afterEach(() => {
  for (const helper of helpers.splice(0)) helper.kill('SIGKILL');
});

/** What a program prints that runs in place of the agent, whose own walls are not there. It has to wait for a line. */
async function printedBy(...argv: string[]): Promise<string> {
  const container = await host.create({ ...ownSpec(IMAGE), argv });
  const output = text(container.stdout);
  container.stdin.write('\n');
  return (await output).trim();
}

const printed = (script: string) => printedBy('bash', '-c', `exec 2>&1; read -r; ${script}`);

const lines = async (script: string) => (await printed(script)).split('\n');

describe('a sandbox of this machine, before its agent', () => {
  it('has every namespace of its own', async () => {
    const own = await lines(`cd /proc/self/ns && readlink ${NAMESPACES.join(' ')}`);
    const ours = await Promise.all(NAMESPACES.map((name) => readlink(`/proc/self/ns/${name}`)));
    expect(own.map((name) => name.split(':')[0])).toEqual(NAMESPACES);
    expect(own.filter((name) => ours.includes(name))).toEqual([]);
  });

  it('can make no further user namespace, and has no capability that it could use in one', async () => {
    expect(await printed('unshare --user true')).toContain('unshare failed');
    expect(await lines('grep ^Cap /proc/self/status')).toEqual(
      ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'].map((set) => `Cap${set}:\t${'0'.repeat(16)}`),
    );
  });

  it('is a session of its own, with no terminal', async () => {
    expect(await printed('cut -d " " -f 5-7 /proc/1/stat')).toBe('1 1 0');
    expect(await printed('ls /dev/pts; exec < /dev/tty')).toMatch(/^bash: .*\/dev\/tty: No such device or address$/);
  });

  it('has the standard streams open and nothing else', async () => {
    const code = `
import select, sys
sys.stdin.readline()
all = select.poll()
for fd in range(1024): all.register(fd)
print([fd for fd, state in all.poll(0) if not state & select.POLLNVAL])`;
    expect(await printedBy('python3', '-c', code)).toBe('[0, 1, 2]');
  });

  it('has the variables of its spec and no other', async () => {
    const code = 'import os, sys; sys.stdin.readline(); print(*os.environ)';
    const names = (await printedBy('python3', '-I', '-c', code)).split(' ');
    expect(names).not.toContain(VARIABLE);
    expect(new Set(names)).toEqual(new Set([...Object.keys(ownSpec().env), 'PWD']));
  });

  it('can write to nothing but what lives in memory', async () => {
    const mounts = (await lines('cut -d " " -f 5,6 /proc/self/mountinfo')).map((line) => line.split(' '));
    const writable = mounts.filter(([, flags = '']) => flags.split(',').includes('rw')).map(([at]) => at);
    // What hides the terminals lies over the mount that bubblewrap has made, and the processes of /proc are its own.
    expect(new Set(writable)).toEqual(new Set(['/proc', '/dev/pts', '/workspace', '/tmp', '/dev/shm']));
    expect(mounts.at(-1)?.[0]).toBe('/dev/shm');
    const places = '/dev/pts/x /environment/x /usr/x /x /dev/x /tmp/x';
    expect(await printed(`for place in ${places}; do touch $place 2> /dev/null && echo $place; done`)).toBe('/tmp/x');
    expect(mounts.filter(([, flags = '']) => !flags.split(',').includes('nosuid'))).toEqual([]);
  });

  it('does not see what is masked', async () => {
    const masked = MASKED_PATHS.filter((name) => name.startsWith('/proc/') && existsSync(name));
    expect(masked).toContain('/proc/locks');
    const shown = await lines(`for path in ${masked.join(' ')}; do [ -d $path ] && ls $path || cat $path; done`);
    expect(shown.filter((line) => !/^(cat: .*: Permission denied)?$/.test(line))).toEqual([]);
  });

  it('sees no file of the user', async () => {
    // Its own cgroup is the only folder of /sys that a sandbox has, if it has one.
    const places = `${home} /home/* /root /run /var /sys/[!f]* /sys/fs/[!c]* /etc/passwd /etc/shadow /boot /usr`;
    expect(await printed(`ls -d ${places} 2> /dev/null`)).toBe('/usr');
  });

  it('gives one process no more memory than its limit', async () => {
    const { held } = await findScopes();
    // A cgroup counts what is used, not what is reserved.
    expect(await printed('ulimit -d')).toBe(held.memory ? 'unlimited' : String(ownSpec().memoryBytes / 1024));
  });

  it('has a part of the watches of files that the user has', async () => {
    const code = `
import ctypes, sys
sys.stdin.readline()
print(sum(ctypes.CDLL(None).inotify_init() >= 0 for _ in range(100)))`;
    expect(await printedBy('python3', '-c', code)).toBe('16');
  });

  it('ends with the process that has started it, whatever it does, and has none of its descriptors', async () => {
    const program = path.join(import.meta.dirname, 'localProcess.ts');
    // With a descriptor that it passes on: Node.js closes those of low numbers.
    const script = 'exec 50< /dev/null; exec "$@"';
    const args = ['-c', script, 'bash', process.execPath, '--import', 'tsx', program, home, 'sleep', '600'];
    const child = spawn('bash', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    helpers.push(child);
    const line = await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve));
    const { pid } = JSON.parse(String(line));
    await expect.poll(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1')).toMatch(/^sleep/);
    expect(readdirSync(`/proc/${pid}/fd`)).toEqual(['0', '1', '2']);
    child.kill('SIGKILL');
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });

  it('ends with a process that is killed while it starts one', async () => {
    const program = path.join(import.meta.dirname, 'localProcess.ts');
    for (let ms = 0; ms < 10; ms += 1) {
      const child = spawn(process.execPath, ['--import', 'tsx', program, home], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      helpers.push(child);
      while (starting().length === 0) await pause(1);
      await pause(ms);
      child.kill('SIGKILL');
      await expect.poll(starting).toEqual([]);
    }
  });
});

/** The processes of bubblewrap, for sandboxes of this file's home folder, that have not become another program. */
function starting(): string[] {
  return readdirSync('/proc').filter((pid) => {
    const [program = '', ...args] = commandOf(pid).split('\0');
    // systemd starts it by its path.
    return path.basename(program) === 'bwrap' && args.some((arg) => arg.startsWith(home));
  });
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    // No process, or one that has just ended.
    return '';
  }
}
