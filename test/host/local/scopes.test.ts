import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findScopes } from '../../../src/host/local/scopes.ts';
import { ownSpec } from '../../contract/hostContract.ts';

const FOLDER = '/sys/fs/cgroup/user.slice/app.slice';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hothouse-scopes-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Where systemd-run is a program that does this. */
async function where(...script: string[]) {
  const file = path.join(folder, 'systemd-run');
  await writeFile(file, ['#!/bin/sh', ...script].join('\n'));
  await chmod(file, 0o755);
  return findScopes({ PATH: `${folder}:/usr/bin:/bin` });
}

const printing = (...values: string[]) =>
  where(...[`${FOLDER}/probe.scope`, ...values].map((line) => `echo '${line}'`));

describe('scopes of systemd', () => {
  it('hold what the probe has found, in a cgroup beside that of the probe', async () => {
    const { held, problem, scopeOf } = await printing('67108864', '0', '100000 100000', '64');
    expect(held).toEqual({ memory: true, swap: true, cpu: true, processes: true });
    expect(problem).toBeNull();
    const scope = scopeOf?.('5', { ...ownSpec(), memoryBytes: 7, cpus: 0.5, pids: 9 });
    expect(scope?.folder).toBe(`${FOLDER}/hothouse-5.scope`);
    const { program, args } = scope?.command('bwrap', ['a']) ?? {};
    expect(program).toBe('systemd-run');
    expect(args).toEqual(
      expect.arrayContaining([
        ...['--unit=hothouse-5.scope', '--property=MemoryMax=7', '--property=MemorySwapMax=0'],
        ...['--property=CPUQuota=50%', '--property=TasksMax=9'],
      ]),
    );
    expect(args?.slice(-3)).toEqual(['--', 'bwrap', 'a']);
  });

  it('name the controllers that are not delegated', async () => {
    const { held, problem, scopeOf } = await printing('67108864', '0', '', '64');
    expect(held).toEqual({ memory: true, swap: true, cpu: false, processes: true });
    expect(problem).toMatch(/^systemd has no cgroup controller cpu for sandboxes\./);
    expect(scopeOf).not.toBeNull();
  });

  it('are missing with the reason', async () => {
    const reasons: [string[], RegExp][] = [
      [['exit 3'], /^There is no cgroup v2; boot with /],
      [
        ['echo "Failed to connect to bus: No medium found" >&2', 'exit 1'],
        /^systemd gives sandboxes no cgroup: Failed to connect to bus: No medium found\. .*enable-linger/,
      ],
      [
        ['echo "System has not been booted with systemd as init system (PID 1)." >&2', 'exit 1'],
        /^There is no systemd, which would give each sandbox a cgroup\.$/,
      ],
    ];
    for (const [script, reason] of reasons) {
      const { held, problem, scopeOf } = await where(...script);
      expect(problem).toMatch(reason);
      expect(Object.values(held)).toEqual([false, false, false, false]);
      expect(scopeOf).toBeNull();
    }
    const { problem } = await findScopes({ PATH: path.join(folder, 'none') });
    expect(problem).toMatch(/^There is no systemd-run, /);
  });
});
