import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/types.ts';
import { leanEngine } from './leanEngine.ts';
import { type LeanCells, leanCells } from './leanSessions.ts';

let engine: Engine;
beforeAll(async () => {
  // A stack overflow of a current Lean takes more than a GB first.
  engine = await leanEngine({ lean: { memoryMb: 3072 } });
});
afterAll(() => engine.dispose());

/** Prints what the kernel counts, in either of its two ways. */
const CPU_USED = `#eval (do
  let text ← try IO.FS.readFile "/sys/fs/cgroup/cpu.stat" catch _ => IO.FS.readFile "/sys/fs/cgroup/cpuacct/cpuacct.usage"
  IO.println text : IO Unit)`;
const KEPT = 'def kept : Nat := 41\n#eval IO.println "once"';
async function kept(on = engine): Promise<LeanCells> {
  const cells = await leanCells(on);
  expect(await cells.print(KEPT)).toBe('once\n');
  return cells;
}

/** Interrupts the cell once it has started. */
async function interrupted(cells: LeanCells, code: string) {
  const running = cells.run(code, { timeoutSeconds: 60 });
  setTimeout(() => void engine.interruptSession(cells.id), 700);
  return running;
}

describe('an interrupt', () => {
  it.each([
    ['an endless #eval', 'partial def f (n : Nat) : Nat := f (n + 1)\n#eval f 0'],
    ['an endless action', 'partial def loop : IO Unit := do loop\n#eval loop'],
    ['an action that sleeps', '#eval (IO.sleep 60000 : IO Unit)'],
    [
      'an endless elaboration',
      'partial def f (n : Nat) : Nat := f (n + 1)\nmacro "m" : term => do if f 0 > 1 then `(1) else `(2)\n#check m',
    ],
    [
      'an endless proof',
      'partial def f (n : Nat) : Nat := f (n + 1)\nmacro "m" : tactic => do if f 0 > 1 then `(tactic| rfl) else `(tactic| skip)\ntheorem t : 1 = 1 := by m',
    ],
  ])('ends %s, and keeps earlier cells', async (_, code) => {
    const cells = await kept();
    const { status, sessionLost, report } = await interrupted(cells, code);
    expect({ status, sessionLost, report }).toEqual({ status: 'interrupted', sessionLost: false, report: null });
    expect(await cells.print('#eval kept + 1')).toBe('42\n');
    expect((await cells.run('#check f')).report?.verdict).toBe('rejected');
    await expect.poll(() => busyMs(cells), { interval: 1 }).toBeLessThan(200);
  });

  it('of a cell that edits another leaves the other unchanged', async () => {
    const cells = await leanCells(engine);
    await cells.run('def a : Nat := 1', { cell: 'a' });
    await cells.run('def b : Nat := a + 1', { cell: 'b' });
    const running = cells.run('partial def loop : IO Unit := do loop\n#eval loop', { cell: 'a' });
    setTimeout(() => void engine.interruptSession(cells.id), 700);
    expect((await running).status).toBe('interrupted');
    expect(await cells.print('#eval a + b')).toBe('3\n');
  });

  it('between cells does nothing', async () => {
    const cells = await kept();
    await engine.interruptSession(cells.id);
    expect(await cells.print('#eval kept')).toBe('41\n');
  });

  it('also follows a timeout', async () => {
    const cells = await kept();
    const endless = 'partial def loop : IO Unit := do loop\n#eval loop';
    expect(await cells.run(endless, { timeoutSeconds: 1 })).toMatchObject({ status: 'timeout', sessionLost: false });
    expect(await cells.print('#eval kept')).toBe('41\n');
  });
});

/** CPU time in ms that the session's sandbox uses in half a second. */
async function busyMs(cells: LeanCells): Promise<number> {
  const before = await cpuMs(cells);
  await sleep(500);
  return (await cpuMs(cells)) - before;
}

async function cpuMs(cells: LeanCells): Promise<number> {
  const printed = await cells.print(CPU_USED);
  const used = Number(/\d+/.exec(printed)?.[0]);
  return printed.includes('usage_usec') ? used / 1e3 : used / 1e6;
}

describe('a crash', () => {
  it('from a stack overflow loses only its cell', async () => {
    const cells = await kept();
    for (let round = 0; round < 2; round += 1) {
      const deep = 'partial def deep (n : Nat) : Nat := 1 + deep (n + 1)\n#eval deep 0';
      const { status, error, sessionLost } = await cells.run(deep);
      expect({ status, name: error?.name, sessionLost }).toEqual({
        status: 'error',
        name: 'LeanCrashed',
        sessionLost: false,
      });
      expect(await cells.print('#eval kept + 1')).toBe('42\n');
      expect((await cells.run('#check deep')).report?.verdict).toBe('rejected');
    }
  });

  it.each([
    [
      'a program',
      'partial def deep (n : Nat) : Nat := 1 + deep (n + 1)\ndef main : IO Unit := IO.println (toString (deep 0))',
    ],
    [
      'the server being killed',
      '#eval (do let _ ← IO.Process.output { cmd := "sh", args := #["-c", "kill -9 $(pidof lean)"] } : IO Unit)\n#eval (IO.sleep 5000 : IO Unit)',
    ],
  ])('from %s loses only its cell', async (_, code) => {
    const cells = await kept();
    expect(await cells.run(code)).toMatchObject({ status: 'error', sessionLost: false });
    expect(await cells.print('#eval kept')).toBe('41\n');
  });

  it('from the end of its process loses only its cell', async () => {
    const cells = await kept();
    const { status, error, sessionLost } = await cells.run('#eval (IO.Process.exit 3 : IO Unit)');
    expect(sessionLost).toBe(false);
    expect(status).toBe('error');
    expect(error?.name).toMatch(/^Lean(Crashed|Error)$/);
    expect(await cells.print('#eval kept')).toBe('41\n');
  });
});

describe('code beyond a limit', () => {
  it('of memory loses only its cell', async () => {
    const small = await leanEngine({ lean: { memoryMb: 768 } });
    try {
      const cells = await kept(small);
      const code =
        'partial def grow (xs : List (List Nat)) : Nat := grow (List.replicate 1000000 xs.length :: xs)\n#eval grow []';
      const { status, error, sessionLost, peakMemoryBytes } = await cells.run(code, { timeoutSeconds: 90 });
      expect({ status, sessionLost }).toEqual({ status: 'out_of_memory', sessionLost: false });
      expect(error?.name).toBe('OutOfMemory');
      expect(peakMemoryBytes).toBeGreaterThan(200 * 1024 * 1024);
      expect(await cells.print('#eval kept')).toBe('41\n');
    } finally {
      await small.dispose();
    }
  });

  it('of output has it cut and counted', async () => {
    const cells = await kept();
    const code = '#eval String.join (List.replicate 200000 "0123456789")';
    const { status, stdoutBytes, truncated, stdout } = await cells.run(code);
    expect({ status, truncated, stdoutBytes }).toEqual({ status: 'ok', truncated: true, stdoutBytes: 2_000_003 });
    expect(stdout.length).toBeLessThan(stdoutBytes);
    expect(await cells.print('#eval kept')).toBe('41\n');
  });

  it("of Lean's messages ends the cell", async () => {
    const cells = await kept();
    const line = '#eval String.join (List.replicate 8000 "0123456789")';
    const { status, error, sessionLost } = await cells.run(Array(1_000).fill(line).join('\n'), { timeoutSeconds: 100 });
    const name = error?.name;
    expect({ status, name, sessionLost }).toEqual({ status: 'error', name: 'TooMuchOutput', sessionLost: false });
    expect(await cells.print('#eval kept')).toBe('41\n');
  });

  it('of memory between cells restarts Lean without a notice', async () => {
    const small = await leanEngine({ lean: { workerMemoryMb: 1 } });
    try {
      const cells = await leanCells(small);
      expect(await cells.print(KEPT)).toBe('once\n');
      for (let n = 0; n < 3; n += 1) expect(await cells.print('#eval kept')).toBe('41\n');
    } finally {
      await small.dispose();
    }
  });
});
