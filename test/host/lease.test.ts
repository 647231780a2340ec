import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdLease, isHeld } from '../../src/host/lease.ts';
import { deadOwner, leaseHolder } from './deadOwner.ts';

const YESTERDAY = Date.now() / 1000 - 100_000;

describe('a lease', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hothouse-leases-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is held by the process that took it', async () => {
    const [one, other] = await Promise.all([holdLease(folder), holdLease(folder)]);
    expect(one).toMatch(/^[0-9a-f]{16}$/);
    expect(other).not.toBe(one);
    expect(await isHeld(one ?? '', folder)).toBe(true);
  });

  it('is held by a stopped process, and released when the process is killed', async () => {
    const { child, id } = await leaseHolder(folder);
    child.kill('SIGSTOP');
    const answers = await Promise.all(Array.from({ length: 600 }, () => isHeld(id, folder)));
    expect(new Set(answers)).toEqual(new Set([true]));
    child.kill('SIGKILL');
    await expect.poll(() => isHeld(id, folder)).toBe(false);
  });

  it('counts as held when its file is missing or its id is invalid', async () => {
    for (const id of ['0'.repeat(16), '', '12', 'without-lease', '../../etc/passwd']) {
      expect(await isHeld(id, folder)).toBe(true);
    }
  });

  it('leaves its file for at most a day after its process has ended', async () => {
    const [ended, recent] = [await deadOwner(folder), await deadOwner(folder)];
    const held = (await holdLease(folder)) ?? '';
    for (const id of [ended, held]) await utimes(join(folder, id), YESTERDAY, YESTERDAY);
    const next = await holdLease(folder);
    expect((await readdir(folder)).sort()).toEqual([recent, held, next].sort());
  });

  it('is not taken when its folder cannot be created', async () => {
    expect(await holdLease(join(folder, 'x'.repeat(120)))).toBeNull();
    await writeFile(join(folder, 'file'), '');
    expect(await holdLease(join(folder, 'file', 'below'))).toBeNull();
  });
});
