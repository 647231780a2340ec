import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine, Owner, RunRequest } from '../../../src/engine/types.ts';
import { inodesOf } from '../../../src/host/spec.ts';
import { engineIn } from './engineIn.ts';

const OWNER: Owner = { id: 'test', kind: 'cli', label: 'test' };
const PIDS = 64;

let home: string;
let engine: Engine;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'hothouse-local-'));
  engine = await engineIn(home, {
    options: { limits: { memoryMb: 128, pids: PIDS } },
    // As an editor has it, which resumes sessions where it can.
    sessionStore: { save: async () => {}, remove: async () => {} },
  });
  expect(await engine.buildEnvironment('bash', () => {})).toMatchObject({ ok: true });
});
afterAll(async () => {
  await engine.dispose();
  expect(await sandboxFiles()).toEqual({ sandboxes: [], volumes: [] });
  await rm(home, { recursive: true });
});

const run = (code: string, rest: Partial<RunRequest> = {}) =>
  engine.run({ language: 'bash', owner: OWNER, code, ...rest });

async function sandboxFiles() {
  const [sandboxes, volumes] = await Promise.all(
    ['sandboxes', 'volumes'].map((name) => readdir(path.join(home, '.hothouse/local', name)).catch(() => [])),
  );
  return { sandboxes, volumes };
}

describe('an engine without a container engine', () => {
  it('runs code with stdin, and returns output and exit status', async () => {
    const result = await run('read name; echo "hello $name"; exit 3', { stdin: 'you\n' });
    expect(result).toMatchObject({ status: 'error', exitCode: 3, stdout: 'hello you\n' });
  });

  it('limits processes, and says where root has no such limit', async () => {
    const isRoot = process.getuid?.() === 0;
    const walls = await engine.checkWalls('bash');
    expect(walls).toMatchObject({ ok: true, value: { processes: { state: isRoot ? 'missing' : 'holds' } } });
    // Bash waits and tries again when it gets no process: one of its children counts meanwhile, without a process of its own.
    const storm =
      'mkfifo /tmp/p; (read -t 3 <> /tmp/p; set -- /proc/[0-9]*; echo $#) & for i in {1..200}; do sleep 30 & done; wait';
    const { stdout } = await run(storm, { timeoutSeconds: 6 });
    if (isRoot) expect(Number(stdout)).toBeGreaterThan(PIDS);
    else expect(PIDS - Number(stdout)).toBeOneOf([0, 1, 2]);
    expect(await run('echo alive')).toMatchObject({ status: 'ok', stdout: 'alive\n' });
  });

  it('uses a sandbox again after a verified reset', async () => {
    const ids = () => engine.snapshot().environments.flatMap(({ sandboxes }) => sandboxes.map(({ id }) => id));
    await run('echo left > /tmp/left; echo left > /workspace/left');
    await expect
      .poll(() => engine.snapshot().environments.find(({ id }) => id === 'bash')?.sandboxes[0]?.state)
      .toBe('idle');
    const before = ids();
    expect(await run('cat /tmp/left /workspace/left')).toMatchObject({ status: 'error', stdout: '' });
    expect(before).toHaveLength(1);
    expect(ids()).toEqual(before);
  });

  it('ends a run at its time limit', async () => {
    expect(await run('sleep 60', { timeoutSeconds: 0.5 })).toMatchObject({ status: 'timeout' });
  });

  it('ends a run that fills memory with files', async () => {
    const code =
      'while :; do head -c 1000000 /dev/zero >> /workspace/a && head -c 1000000 /dev/zero >> /tmp/b; sleep 0.01; done';
    expect(await run(`${code} & ${code}`, { timeoutSeconds: 60 })).toMatchObject({ status: 'out_of_memory' });
  });

  it('limits the number of files, and lets no program run from /dev/shm', async () => {
    const code = 'n=0; while [ $n -lt 20000 ] && : > /workspace/$n; do n=$((n + 1)); done 2> /dev/null; echo $n';
    const { stdout } = await run(code, { timeoutSeconds: 60 });
    expect(Number(stdout)).toBeGreaterThan(1_000);
    expect(Number(stdout)).toBeLessThan(inodesOf(256 << 20));
    const program = 'cp /usr/bin/true /dev/shm/true && chmod 700 /dev/shm/true && /dev/shm/true';
    expect(await run(program)).toMatchObject({ exitCode: 126 });
  });

  it('keeps the variables of a session', async () => {
    const opened = await engine.openSession('bash', OWNER);
    if (!opened.ok) throw new Error(opened.error.message);
    const sessionId = opened.value.id;
    await run('kept=42', { sessionId });
    expect(await run('echo $kept', { sessionId })).toMatchObject({ stdout: '42\n' });
    await engine.closeSession(sessionId);
  });
});
