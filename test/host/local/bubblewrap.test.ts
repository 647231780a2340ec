import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrapArguments } from '../../../src/host/local/arguments.ts';
import { checkBubblewrap } from '../../../src/host/local/bubblewrap.ts';
import { ownSpec, problemOf } from '../../contract/hostContract.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hothouse-bwrap-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** What a sandbox without some walls prints. */
const STATUS = [
  ...['CapPrm:\t0000000000000000', 'CapEff:\t0000000000000000', 'CapBnd:\t0000000000200000'],
  ...['user:[1]', 'pid:[2]', 'mnt:[3]'],
].join('\n');

/** A program that answers as a bubblewrap of that version, and whose sandboxes print that, or fail with that text. */
async function program(version: string, failure: string, printed = ''): Promise<string> {
  const file = path.join(folder, version);
  const start = printed ? `echo '${printed}'` : `echo '${failure}' >&2\nexit 1`;
  const text = `#!/bin/sh\n[ "$1" = --version ] && { echo 'bubblewrap ${version}'; exit; }\n${start}\n`;
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

describe.runIf(process.platform === 'linux')('bubblewrap is refused', () => {
  it('when it is missing', async () => {
    const problem = await problemOf(checkBubblewrap(path.join(folder, 'none')));
    expect(problem).toMatchObject({ kind: 'host_missing', command: 'sudo apt-get install bubblewrap' });
  });

  it('when it is too old', async () => {
    const problem = await problemOf(checkBubblewrap(await program('0.7.9', '')));
    expect(problem).toMatchObject({
      kind: 'host_too_old',
      message: 'bubblewrap 0.7.9 is too old: 0.8.0 or later is needed.',
    });
  });

  it('where the machine forbids namespaces', async () => {
    const said = 'bwrap: No permissions to create new namespace';
    const problem = await problemOf(checkBubblewrap(await program('1.0.0', said)));
    expect(problem).toMatchObject({ kind: 'permission_denied', message: expect.stringContaining(said) });
  });

  it('when it has started a process with less than the least walls', async () => {
    const problem = await problemOf(checkBubblewrap(await program('1.0.1', '', STATUS)));
    expect(problem).toMatchObject({
      kind: 'permission_denied',
      message:
        'Sandboxes would lack walls on this machine: net namespace, removal of capabilities, filter of system calls.',
    });
  });
});

describe('a sandbox of bubblewrap', () => {
  const folders = { environment: '/env', base: null, cgroup: null, volumes: new Map([['/packages', '/volume']]) };
  const spec = { ...ownSpec(), volumes: [{ path: '/packages', name: null, isWritable: false }] };

  it('has no network unless its spec names one', () => {
    expect(bubblewrapArguments(spec, 5, folders, 'limited', 'python3')).toContain('--unshare-net');
    expect(bubblewrapArguments({ ...spec, network: 'bridge' }, 5, folders, 'limited', 'python3')).not.toContain(
      '--unshare-net',
    );
  });

  it('binds nothing that it can write to', () => {
    const args = bubblewrapArguments(spec, 5, folders, 'limited', 'python3');
    expect(args.filter((arg) => /^--(dev-)?bind/.test(arg))).toEqual([]);
    const at = args.indexOf('/volume');
    expect(args.slice(at - 1, at + 2)).toEqual(['--ro-bind', '/volume', '/packages']);
    const inCgroup = bubblewrapArguments(spec, 5, { ...folders, cgroup: '/its' }, 'limited', 'python3');
    expect(inCgroup.slice(inCgroup.indexOf('/its') - 1).slice(0, 3)).toEqual(['--ro-bind', '/its', '/sys/fs/cgroup']);
  });
});
