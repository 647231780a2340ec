import { describe, expect, it } from 'vitest';
import { until } from '../../../engine/engineBench.ts';
import { recorded } from './harness.ts';

const ADD = 'def add (a b : Nat) : Nat := a + b\n';
const PRINT = '#eval add 10 20\n#check add\n';
const HOLE = 'theorem hole (p q : Prop) (hp : p) (hq : q) : p ∧ q := sorry\n';
const SPIN = 'partial def spin (n : Nat) : Nat := spin (n + 1)\n';

/**
 * The answer to `initialize`, what is said of a document without a cell in two versions, and that this is all. A current
 * server asks for two refreshes besides.
 */
const MESSAGES_OF_START = { old: 6, current: 8 };

describe.each(['old', 'current'] as const)('the end of a server (%s)', (kind) => {
  it('loses at most the current cell, wherever it happens', async () => {
    const codes = [ADD, PRINT, HOLE, SPIN];
    for (let endAfter = MESSAGES_OF_START[kind] + 1; endAfter < 60; endAfter += 1) {
      const { session, run } = recorded({ kind, endAfter });
      const lost: string[] = [];
      for (const code of codes) {
        const end = await run(code);
        if (end.status === 'ok') continue;
        lost.push(code);
        expect(end).toMatchObject({ status: 'error', alive: true, error: { name: 'LeanCrashed' } });
      }
      expect(lost.length).toBeLessThanOrEqual(1);
      for (const code of codes) expect(session.text().includes(code)).toBe(!lost.includes(code));
    }
  });

  it('ends the session with an error when it happens during the start', async () => {
    for (let endAfter = 1; endAfter <= MESSAGES_OF_START[kind]; endAfter += 1) {
      const { run } = recorded({ kind, endAfter });
      expect(await run(ADD)).toMatchObject({ status: 'error', alive: false, error: { name: 'LeanLost' } });
      expect(await run(ADD)).toMatchObject({ status: 'error', alive: false, error: { name: 'LeanLost' } });
    }
  });
});

describe('the end of a session', () => {
  it('ends the running cell and later ones when the sandbox is lost', async () => {
    const { run, servers, lose } = recorded({ kind: 'current' });
    await run(SPIN);
    const running = run('#eval spin 0\n');
    await until(() => servers[0]?.text.includes('spin 0') === true);
    lose({ outOfMemory: false, reason: 'its container was removed' });
    const end = { status: 'sandbox_lost', alive: false, error: { name: 'SandboxLost' } };
    expect(await running).toMatchObject(end);
    expect(await run(ADD)).toMatchObject(end);
  });

  it('ends the running cell when the session is killed', async () => {
    const { run, servers, session } = recorded({ kind: 'current' });
    await run(SPIN);
    const running = run('#eval spin 0\n');
    await until(() => servers[0]?.text.includes('spin 0') === true);
    session.kill();
    expect(await session.ended).toMatchObject({ status: 'killed' });
    expect(await running).toMatchObject({ status: 'killed', alive: false });
    expect(await run(ADD)).toMatchObject({ status: 'killed', alive: false });
  });
});

describe('a session over its memory limit', () => {
  it('replaces the server between cells', async () => {
    const { run, servers, measured } = recorded({ kind: 'current' }, { workerMemoryBytes: 1_000 });
    await run(ADD);
    measured.memoryBytes = 2_000;
    await run(PRINT);
    await until(() => servers.length === 2);
    measured.memoryBytes = 500;
    expect((await run(HOLE)).stdout).toBe('');
    expect(servers[1]?.text).toContain(ADD);
    expect(servers).toHaveLength(2);
  });
});
