import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Draft } from '../../src/engine/types.ts';
import type { Answer } from '../../src/languages/languageTasks.ts';
import { fileFixture } from '../fileFixture.ts';
import { leanEngine, OWNER } from './leanEngine.ts';
import { type LeanCells, leanCells } from './leanSessions.ts';

const engine = fileFixture(() => leanEngine());

function had<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

/** A draft whose cursor is where the code has a `|`. */
function draft(marked: string, cell: string | null = null): Draft {
  return { cell, code: marked.replace('|', ''), cursor: marked.indexOf('|') };
}

async function twoCells(): Promise<LeanCells> {
  const cells = await leanCells(engine);
  await cells.run('-- 😀\ndef addTwo (n : Nat) : Nat := n + 2', { cell: 'one' });
  await cells.run('theorem two : addTwo 0 = 2 := rfl', { cell: 'two' });
  return cells;
}

async function complete(cells: LeanCells, marked: string) {
  const { code, cursor, cell } = draft(marked);
  const { start, end, matches } = had(await engine.complete(cells.id, code, cursor, undefined, cell ?? undefined));
  return { replaced: code.slice(start, end), matches };
}

/** The text of old servers, and that of current ones. */
const TYPE = /addTwo( : Nat → | \(n : Nat\) : )Nat/;

describe('queries while a user types', () => {
  it('complete names, also of the session’s cells', async () => {
    const cells = await twoCells();
    expect(await complete(cells, '#eval Nat.succ|')).toMatchObject({
      replaced: 'succ',
      matches: expect.arrayContaining(['succ']),
    });
    expect(await complete(cells, '#check Nat.ad|')).toMatchObject({
      replaced: 'ad',
      matches: expect.arrayContaining(['add']),
    });
    expect(await complete(cells, '-- é😀\r\n#eval addT|')).toMatchObject({
      replaced: 'addT',
      matches: expect.arrayContaining(['addTwo']),
    });
    expect(await cells.print('#eval addTwo 1')).toBe('3\n');
  });

  it('show types on hover', async () => {
    const cells = await twoCells();
    expect(had(await engine.hover(cells.id, draft('#eval add|Two 3')))).toMatch(TYPE);
    expect(had(await engine.hover(cells.id, draft('theorem two : add|Two 0 = 2 := rfl', 'two')))).toMatch(TYPE);
    expect(had(await engine.hover(cells.id, draft('  |  ')))).toBeNull();
  });

  it('find the cell of a definition', async () => {
    const cells = await twoCells();
    const start = '-- 😀\ndef '.length;
    const place = { cell: 'one', start, end: start + 'addTwo'.length };
    expect(had(await engine.definition(cells.id, draft('#eval add|Two 3')))).toEqual([place]);
    expect(had(await engine.definition(cells.id, draft('theorem two : add|Two 0 = 2 := rfl', 'two')))).toEqual([place]);
    expect(had(await engine.definition(cells.id, draft('#check Nat.ad|d')))).toEqual([]);
    const own = draft('def mine := 1\n#eval mi|ne', 'three');
    expect(had(await engine.definition(cells.id, own))).toEqual([{ cell: 'three', start: 4, end: 8 }]);
  });

  it('leave no trace, whatever the draft contains', async () => {
    const cells = await twoCells();
    for (const marked of [
      '/- |',
      'def x := (|',
      'import Lea|n',
      'end A|',
      'partial def f (n : Nat) : Nat := f n\n#eval f| 0',
    ]) {
      await complete(cells, marked);
      await engine.hover(cells.id, draft(marked, 'one'));
      expect(await cells.print('#eval addTwo 1')).toBe('3\n');
    }
  });

  it('get no answer while a cell runs', async () => {
    const cells = await twoCells();
    const running = cells.run('#eval (IO.sleep 1000 : IO Unit)');
    expect(await complete(cells, '#eval addT|')).toEqual({ replaced: '', matches: [] });
    expect((await running).status).toBe('ok');
  });
});

describe('a query never harms the session', () => {
  const ENDLESS = 'partial def f (n : Nat) : Nat := f (n + 1)\n';

  it('when its draft is endless or has side effects: it is not evaluated', async () => {
    const cells = await twoCells();
    const marked = `${ENDLESS}#eval f 0\n#eval IO.FS.writeFile "/tmp/asked" "x"\n#eval add|`;
    expect(await complete(cells, marked)).toMatchObject({ matches: expect.arrayContaining(['addTwo']) });
    expect(had(await engine.hover(cells.id, draft(`${ENDLESS}#eval f 0\n#eval! add|Two 3`)))).toMatch(TYPE);
    expect(await cells.print('#eval addTwo 1')).toBe('3\n');
    const file = '#eval (try IO.FS.readFile "/tmp/asked" catch _ => pure "none" : IO String)';
    expect(await cells.print(file)).toContain('none');
  });

  it('when Lean never finishes its draft: a cell runs, and the server is restarted only if needed', async () => {
    const cells = await twoCells();
    const spin = `${ENDLESS}macro "m" : term => do if f 0 > 1 then \`(1) else \`(2)\n#check m\n#check add|`;
    expect((await complete(cells, spin)).matches).toEqual([]);
    expect(await cells.print('#eval addTwo 1')).toBe('3\n');
    for (let round = 0; round < 4; round += 1) {
      await complete(cells, spin);
      await engine.hover(cells.id, draft(spin, 'one'));
    }
    expect(await cells.print('#eval addTwo 2\n#check two')).toContain('4\n');
    expect(sandboxOf(cells)).not.toBeNull();
  });

  it("when its draft ends Lean's process", async () => {
    const cells = await twoCells();
    const before = sandboxOf(cells);
    const deep = 'partial def deep (n : Nat) : Nat := 1 + deep (n + 1)\n';
    const crash = `${deep}macro "m" : term => do if deep 0 > 1 then \`(1) else \`(2)\n#check m\n#check add|`;
    for (let round = 0; round < 2; round += 1) {
      await complete(cells, crash);
      expect(await cells.print('#eval addTwo 1')).toBe('3\n');
    }
    await complete(cells, crash);
    await sleep(3_000);
    expect(await cells.print('#eval addTwo 1')).toBe('3\n');
    expect(sandboxOf(cells)).toBe(before);
  });

  it('when many run at once and are cancelled while cells run', async () => {
    const cells = await twoCells();
    for (let round = 0; round < 10; round += 1) {
      const gone = new AbortController();
      const asked = [
        engine.complete(cells.id, '#eval addT', 10, gone.signal),
        engine.hover(cells.id, draft('#eval add|Two 3'), gone.signal),
        engine.definition(cells.id, draft('#eval add|Two 3')),
      ];
      const ran = cells.print(`#eval addTwo ${round}`);
      gone.abort();
      expect(await ran).toBe(`${round + 2}\n`);
      await Promise.all(asked);
    }
    expect(had(await engine.hover(cells.id, draft('#eval add|Two 3')))).toMatch(TYPE);
  });

  function sandboxOf({ id }: LeanCells) {
    return engine.snapshot().sessions.find((session) => session.id === id)?.sandboxId ?? null;
  }
});

describe('goals and tactics in a session', () => {
  it('returns goals at a position and at every sorry of the code', async () => {
    const cells = await twoCells();
    const code = 'theorem t (p : Prop) (hp : p) : p ∧ addTwo 0 = 2 := by\n  apply And.intro\n  exact hp\n  exact two';
    const at = { line: 4, column: 2 };
    const there = had(await engine.lean.goals({ owner: OWNER, sessionId: cells.id, code, at }));
    expect(there.goals).toMatchObject([{ ...at, goals: [expect.stringContaining('⊢ addTwo 0 = 2')] }]);
    const open = 'theorem t (p : Prop) (hp : p) : p ∧ addTwo 0 = 2 := ⟨sorry, sorry⟩';
    const all = had(await engine.lean.goals({ owner: OWNER, sessionId: cells.id, code: open }));
    expect(all.goals.map(({ goals }) => goals?.[0]?.split('\n').at(-1))).toEqual(['⊢ p', '⊢ addTwo 0 = 2']);
    expect((await cells.run('#check t')).report?.verdict).toBe('rejected');
  });

  it('returns goals of the session’s own text', async () => {
    const cells = await twoCells();
    await cells.run('theorem open1 : addTwo 1 = 3 := sorry');
    const own = had(await engine.lean.goals({ owner: OWNER, sessionId: cells.id, code: '' }));
    expect(own.goals.map(({ goals }) => goals)).toEqual([['⊢ addTwo 1 = 3']]);
  });

  it('tries tactics with the declarations of the session', async () => {
    const cells = await twoCells();
    const code = 'theorem t : addTwo 0 = 2 := by\n  sorry';
    const tactics = ['exact two', 'rfl', 'exact nothing'];
    const at = { line: 2, column: 2 };
    const tried = had(await engine.lean.tryTactics({ owner: OWNER, sessionId: cells.id, code, at, tactics }));
    expect(tried.map(({ verdict }) => verdict)).toEqual(['accepted', 'accepted', 'rejected']);
    expect(tried[0]?.goals).toEqual([]);
    expect(tried[2]?.error).toContain('nothing');
  });
});
