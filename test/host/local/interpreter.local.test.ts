import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interpreterOf } from '../../../src/host/local/interpreter.ts';
import { findPython3 } from '../../../src/host/local/python3.ts';

let home: string;
let environment: string;
let base: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'hothouse-interpreter-'));
  [environment, base] = [path.join(home, 'environment'), path.join(home, 'base')];
  for (const folder of [environment, base]) await mkdir(path.join(folder, 'bin'), { recursive: true });
});
afterEach(() => rm(home, { recursive: true }));

const machine = await findPython3(Promise.resolve());

describe('what starts an agent without a container engine', () => {
  it('is the Python of the machine where the environment has none', async () => {
    const expected = { program: machine.path, compiler: machine.path };
    expect(await interpreterOf({ environment, base }, machine)).toEqual(expected);
    expect(await interpreterOf({ environment, base: null }, machine)).toEqual(expected);
  });

  it('is the Python that the environment was built with, whichever new ones get', async () => {
    await symlink(machine.path, path.join(base, 'bin/python3'));
    const { program, compiler } = await interpreterOf({ environment, base }, { ...machine, path: '/usr/bin/another' });
    expect(program).toBe('python3');
    expect(await interpreterOf({ environment: base, base: null }, machine)).toEqual({ program, compiler });
    expect(compiler).toMatch(/^\/usr\/(local\/)?bin\/python3\.\d+$/);
  });

  it('never compiles where packages bring another python3', async () => {
    await writeFile(path.join(environment, 'bin/python3'), '#!/bin/sh\n', { mode: 0o755 });
    await symlink(machine.path, path.join(base, 'bin/python3'));
    expect(await interpreterOf({ environment, base }, machine)).toEqual({ program: 'python3', compiler: null });
    await rm(path.join(environment, 'bin/python3'));
    await symlink('/usr/bin/env', path.join(environment, 'bin/python3'));
    expect(await interpreterOf({ environment, base }, machine)).toEqual({ program: 'python3', compiler: null });
  });
});
