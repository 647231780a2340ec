import { describe, expect, it } from 'vitest';
import { until } from '../../../engine/engineBench.ts';
import { recorded } from './harness.ts';
import { SERVER_VARIANTS, type ServerVariant } from './recordedServer.ts';
import { moving } from './waiting.ts';

const ADD = 'def add (a b : Nat) : Nat := a + b\n';
const PRINT = '#eval add 10 20\n#check add\n';
const HOLE = 'theorem hole (p q : Prop) (hp : p) (hq : q) : p ∧ q := sorry\n';
const DEEP = 'partial def deep (n : Nat) : Nat := 1 + deep (n + 1)\n#eval deep 0\n';
const SPIN = 'partial def spin (n : Nat) : Nat := spin (n + 1)\n';
const CURRENT: ServerVariant = { kind: 'current' };

describe.each(SERVER_VARIANTS)('a session on %s', (_, variant) => {
  it('keeps accepted cells, and reports the output of each cell with it', async () => {
    const { session, run } = recorded(variant);
    expect(await run(ADD)).toMatchObject({ status: 'ok', alive: true, stdout: '', report: { verdict: 'accepted' } });
    const printed = await run(PRINT);
    expect(printed).toMatchObject({ status: 'ok', stdout: '30\nadd : Nat → Nat → Nat\n' });
    expect(printed.stdoutBytes).toBe(Buffer.byteLength(printed.stdout));
    expect(printed.report?.messages.map(({ line }) => line)).toEqual([1, 2]);
    expect(session.text()).toContain(`${ADD}set_option`);
  });

  it.each(['def broken := (\n', '#eval add 1 "x"\n'])('removes the rejected %j', (code) => takesOut(variant, code));

  it('does not accept a nameless proof after a cell that hides a sorry', async () => {
    const { run } = recorded(variant);
    expect((await run('set_option warn.sorry false')).report?.verdict).toBe('accepted');
    expect((await run('example : 1 = 2 := sorry')).report?.verdict).toBe('incomplete');
  });

  it('reports a sorry as incomplete, with its axiom', async () => {
    const { report, status } = await recorded(variant).run(HOLE);
    expect(status).toBe('ok');
    expect(report).toMatchObject({
      verdict: 'incomplete',
      sorries: [{ line: 1, column: 55, goal: expect.stringMatching(/⊢ p ∧ q$/) }],
    });
    expect(report?.axioms).toEqual([{ name: 'hole', axioms: ['sorryAx'] }]);
  });

  it('replaces a cell in its place', async () => {
    const { session, run } = recorded(variant);
    await run('def k : Nat := 1\n', 'k');
    await run(ADD, 'add');
    const { status, report } = await run('def k : Nat := 100\n', 'k');
    expect({ status, rechecked: report?.rechecked }).toEqual({ status: 'ok', rechecked: [] });
    expect(session.text()).toMatch(/^\ndef k : Nat := 100\n.*\ndef add/s);
    expect(session.text()).not.toContain(':= 1\n');
  });

  it('runs the main of a cell, and then of a later cell', async () => {
    const { session, run } = recorded(variant);
    await run(ADD);
    const main = 'def main : IO Unit := IO.println (toString (add 1 2))\n#eval main\n';
    expect(await run(main)).toMatchObject({ status: 'ok', exitCode: 0, stdout: '3\n3\n' });
    expect(await run(main)).toMatchObject({ status: 'ok', exitCode: 0, stdout: '3\n3\n' });
    expect(session.text().match(/def main/g)).toHaveLength(1);
    expect(session.text()).not.toContain('Hothouse');
  });

  it('loses only the cell when Lean crashes', async () => {
    const { session, run, measured } = recorded(variant);
    await run(ADD);
    const before = session.text();
    expect(await run(DEEP)).toMatchObject({ status: 'error', alive: true, error: { name: 'LeanCrashed' } });
    expect(session.text()).toBe(before);
    expect((await run(PRINT)).stdout).toBe('30\nadd : Nat → Nat → Nat\n');
    measured.oomKills += 1;
    expect(await run(DEEP)).toMatchObject({ status: 'out_of_memory', alive: true, error: { name: 'OutOfMemory' } });
    expect((await run(HOLE)).status).toBe('ok');
  });

  it('interrupts at once, and continues in the same server once it is idle', async () => {
    const { session, servers, run, clock } = recorded(variant);
    await run(SPIN);
    const before = session.text();
    const running = run('#eval spin 0\n');
    await until(() => servers[0]?.text.includes('spin 0') === true);
    session.interrupt();
    expect(await running).toMatchObject({ status: 'interrupted', alive: true, report: null });
    expect(session.text()).toBe(before);
    expect((await moving(clock, run(ADD))).status).toBe('ok');
    expect(servers).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('reports an import that does not exist, and keeps the earlier cells', async () => {
    const { session, run } = recorded(variant);
    await run(ADD);
    const before = session.text();
    const { status, alive, error } = await run(`import Nope.Missing\n${PRINT}`);
    expect({ status, alive }).toEqual({ status: 'error', alive: true });
    expect(error?.message).toContain("unknown package 'Nope'");
    expect(session.text()).toBe(before);
    expect((await run(PRINT)).stdout).toBe('30\nadd : Nat → Nat → Nat\n');
  });

  it('restarts with a new header for an import, and says that cells were checked again', async () => {
    const { session, run, servers } = recorded(variant);
    await run(ADD);
    const { status, stdout, report } = await run(`import Lean\n${PRINT}`);
    expect({ status, stdout }).toEqual({ status: 'ok', stdout: '30\nadd : Nat → Nat → Nat\n' });
    expect(report?.notes).toEqual(['The session restarted with the header of this cell; its cell was checked again.']);
    expect(report?.messages.map(({ line }) => line)).toEqual([2, 3]);
    expect(session.text()).toMatch(/^import Lean\n/);
    expect(servers).toHaveLength(1);
  });

  it('removes the import of a rejected cell, and loads it only once', async () => {
    const { session, run, servers } = recorded(variant);
    await run(ADD);
    const before = session.text();
    for (let round = 0; round < 2; round += 1) {
      expect((await run('import Lean\n#eval add 1 "x"\n')).status).toBe('error');
      expect(session.text()).toBe(before);
    }
    const opened = () => servers[0]?.received.filter((method) => method.endsWith('didOpen')).length;
    expect(opened()).toBe(2);
    expect((await run(HOLE)).status).toBe('ok');
    expect(opened()).toBe(3);
    expect(servers[0]?.text).not.toContain('import');
  });
});

describe('a session, whatever the server', () => {
  it.each([
    ['a wrong proof', 'theorem wrong : 1 = 2 := rfl\n'],
    [
      'an unfinished proof',
      'theorem tac (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  apply And.intro\n  exact hp\n',
    ],
    ['an IO error', '#eval (throw (IO.userError "boom") : IO Unit)\n'],
  ])('removes %s', (_, code) => takesOut(CURRENT, code));

  it.each([
    ['keeps running', 100, true],
    ['keeps running among many others', 20, false],
    ['waits for a CPU all the time', 0, true],
  ])('starts another server when a thread %s, and replays silently', async (__, cpuMs, isRunnable) => {
    const { session, servers, run, clock, measured } = recorded(CURRENT);
    await run(ADD);
    expect((await run(PRINT)).stdout).not.toBe('');
    await run(SPIN);
    const running = run('#eval spin 0\n');
    await until(() => servers[0]?.text.includes('spin 0') === true);
    session.interrupt();
    await running;
    measured.isRunnable = isRunnable;
    const next = await moving(clock, run(HOLE), () => {
      measured.cpuMs += cpuMs;
    });
    expect(next).toMatchObject({ status: 'ok', stdout: '' });
    expect(servers).toHaveLength(2);
    expect(servers[1]?.text).toContain(PRINT);
    expect(clock.pending).toBe(0);
  });
});

it.each(SERVER_VARIANTS)('a session on %s reads messages that arrive byte by byte', async (_, variant) => {
  const { session, run } = recorded({ ...variant, split: 'bytes' });
  expect((await run(ADD)).report?.verdict).toBe('accepted');
  expect((await run('#eval add 1 "x"\n')).report?.verdict).toBe('rejected');
  expect((await run(HOLE)).report?.sorries).toMatchObject([{ goal: expect.stringMatching(/⊢ p ∧ q$/) }]);
  expect(await run(DEEP)).toMatchObject({ status: 'error', alive: true, error: { name: 'LeanCrashed' } });
  expect((await run(PRINT)).stdout).toBe('30\nadd : Nat → Nat → Nat\n');
  expect(session.text()).not.toContain('deep');
});

/** Runs code that Lean rejects, and checks that the session keeps nothing of it. */
async function takesOut(variant: ServerVariant, code: string): Promise<void> {
  const { session, servers, run } = recorded(variant);
  await run(ADD);
  const before = session.text();
  const { status, alive, error, report } = await run(code);
  expect({ status, alive, name: error?.name }).toEqual({ status: 'error', alive: true, name: 'LeanError' });
  expect(report).toMatchObject({ verdict: 'rejected', axioms: null, notes: [], rechecked: [] });
  expect(report?.messages.find(({ severity }) => severity === 'error')?.line).toBeGreaterThanOrEqual(1);
  expect(session.text()).toBe(before);
  expect(await run(PRINT)).toMatchObject({ status: 'ok', stdout: '30\nadd : Nat → Nat → Nat\n' });
  expect(servers.at(-1)?.text).not.toContain(code.trim());
}
