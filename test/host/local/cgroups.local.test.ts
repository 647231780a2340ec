import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine, Owner } from '../../../src/engine/types.ts';
import { findScopes } from '../../../src/host/local/scopes.ts';
import { ownSpec } from '../../contract/hostContract.ts';
import { engineIn } from './engineIn.ts';

const OWNER: Owner = { id: 'test', kind: 'cli', label: 'test' };
const LIMITS = { memoryMb: 256, notebookMemoryMb: 384, cpus: 1, pids: 64 };
const CGROUP = '/sys/fs/cgroup';

const { held, problem } = await findScopes();

// Where systemd gives this user no cgroups, `problem` says why, and the agent's limits have tests of their own.
describe.skipIf(problem !== null)('sandboxes in cgroups of systemd', () => {
  let home: string;
  let engine: Engine;
  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'hothouse-cgroups-'));
    engine = await engineIn(home, { options: { limits: LIMITS } });
    expect(await engine.buildEnvironment('bash', () => {})).toMatchObject({ ok: true });
  });
  afterAll(async () => {
    await engine.dispose();
    await rm(home, { recursive: true });
  });

  const run = (code: string, sessionId?: string) =>
    engine.run({ language: 'bash', owner: OWNER, code, timeoutSeconds: 60, ...(sessionId && { sessionId }) });

  it('have their limits, read-only', async () => {
    const { stdout } = await run(`cd ${CGROUP}; cat memory.max memory.swap.max cpu.max pids.max`);
    expect(stdout).toBe(`${LIMITS.memoryMb << 20}\n0\n100000 100000\n${LIMITS.pids}\n`);
    expect(await run(`echo max > ${CGROUP}/memory.max`)).toMatchObject({
      status: 'error',
      stderr: expect.stringContaining('Read-only'),
    });
  });

  it('are said to have all limits', async () => {
    expect(held).toEqual({ memory: true, swap: true, cpu: true, processes: true });
    expect((await engine.preflight()).host).toMatchObject({
      info: { warnings: [], isolation: { cpuLimit: true, swapLimit: true } },
    });
  });

  it('lose a run that takes too much memory, and serve the next one', async () => {
    const opened = await engine.openSession('bash', OWNER);
    if (!opened.ok) throw new Error(opened.error.message);
    await run('kept=41', opened.value.id);
    const hog = `python3 -c 'text = b"x" * (${2 * LIMITS.memoryMb} << 20)'; echo $?`;
    expect(await run(hog, opened.value.id)).toMatchObject({ stdout: '137\n' });
    expect(await run('echo $((kept + 1))', opened.value.id)).toMatchObject({ stdout: '42\n' });
    await engine.closeSession(opened.value.id);
  });

  it('have more memory in the session of a notebook', async () => {
    const opened = await engine.openSession('bash', { ...OWNER, kind: 'notebook' });
    if (!opened.ok) throw new Error(opened.error.message);
    const { stdout } = await run(`cat ${CGROUP}/memory.max`, opened.value.id);
    expect(stdout).toBe(`${LIMITS.notebookMemoryMb << 20}\n`);
    await engine.closeSession(opened.value.id);
  });

  it('cannot have more processes', async () => {
    const { stdout } = await run('for i in {1..200}; do sleep 5 & done 2>/dev/null; cat /sys/fs/cgroup/pids.current');
    expect(Number(stdout || LIMITS.pids)).toBeLessThanOrEqual(LIMITS.pids);
  });

  it('leave no cgroup', async () => {
    const other = await engineIn(home, { options: { limits: LIMITS } });
    await other.run({ language: 'bash', owner: OWNER, code: 'true' });
    const cgroups = async () => (await readdir(await folderOfScopes())).filter((name) => /^hothouse-/.test(name));
    const before = await cgroups();
    expect(before.length).toBeGreaterThan(0);
    await Promise.all([engine.dispose(), other.dispose()]);
    await expect.poll(cgroups, { timeout: 20_000 }).toEqual([]);
  });
});

async function folderOfScopes(): Promise<string> {
  const { scopeOf } = await findScopes();
  return path.dirname(scopeOf?.('one', ownSpec()).folder ?? '');
}
