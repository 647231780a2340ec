import { describe, expect, it } from 'vitest';
import type { LeanDocument } from '../../../../src/languages/lean/lsp/document.ts';
import { append, briefly, drive, driveDocument, lastPublished, settled } from './harness.ts';
import { range, transcript, URI } from './script.ts';
import type { Delivery } from './scriptedServer.ts';

/** Every conversation arrives in each of these ways, which differ in when the client receives a message. */
const deliveries: readonly (readonly [string, Delivery])[] = [
  ['message by message', {}],
  ['all at once', { split: 'together' }],
];

/** Ways that differ in where messages are cut, which matters for framing only. */
const splits: readonly (readonly [string, Delivery])[] = [
  ['byte by byte', { split: 'bytes' }],
  ['in random pieces', { split: 7 }],
  ['slowly', { delayMs: 1 }],
];

/** Settles after opening and after each cell that is added at the end. */
async function cells(document: LeanDocument, texts: readonly string[]) {
  const ends = [await settled(document)];
  for (const text of texts) {
    append(document, text);
    ends.push(await settled(document));
  }
  return ends;
}

const CELLS = [
  'def add (a b : Nat) : Nat := a + b\n',
  '#eval add 10 20\n#check add\n',
  'theorem self (a : Nat) : a = a := rfl\n#print axioms self\n',
  'def main : IO Unit := IO.println (toString (add 1 2))\n#eval main\n',
  'def greet (n : String) : IO Unit := do\n  for i in [0:3] do\n    IO.println s!"{i} {n}"\n#eval greet "héllo ∀ 🌱"\n',
];

const ERRORS = [
  'def add (a b : Nat) : Nat := a + b\n',
  '#eval add 1 "x"\n',
  'def broken := (\n',
  'theorem hole (p q : Prop) (hp : p) (hq : q) : p ∧ q := sorry\n',
  'theorem wrong : 1 = 2 := rfl\n',
  'theorem tac (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  apply And.intro\n  exact hp\n',
  '#eval (throw (IO.userError "boom") : IO Unit)\n',
];

async function givesAllDiagnostics(name: string, texts: readonly string[], delivery: Delivery): Promise<void> {
  const script = transcript(name);
  const { document, peer } = await driveDocument(script, '\n', delivery);
  const last = lastPublished(script);
  for (const end of await cells(document, texts)) {
    const received = end.diagnostics.map(({ range, fullRange, severity, message, source }) => {
      return { source, severity, range, message, fullRange };
    });
    expect(received).toEqual(last.get(end.version));
    expect(end.fatalAt).toBeNull();
  }
  expect(document.version).toBe(texts.length + 1);
  expect(peer.unsaid).toEqual(['shutdown', 'exit']);
}

describe.each(splits)('a recorded conversation that arrives %s', (_, delivery) => {
  it('gives each version all of its diagnostics', () => givesAllDiagnostics('01-cells', CELLS, delivery));
  it('answers at once when an endless cell is edited away', () => replacesEndlessCell(delivery));
});

async function replacesEndlessCell(delivery: Delivery): Promise<void> {
  const { server, document } = await driveDocument(transcript('05-endless-eval-then-edit'), '\n', delivery);
  await cells(document, ['partial def spin (n : Nat) : Nat := spin (n + 1)\n']);
  const before = document.text.length;
  append(document, '#eval spin 0\n');
  const endless = document.settled();
  document.replaceFrom(before, '#eval 1 + 1\n');
  expect(await endless).toEqual({ kind: 'superseded' });
  expect(briefly(await settled(document))).toEqual(['3 2 2\n']);
  document.close();
  const again = server.open({ uri: URI, text: '#eval 2 + 2\n' });
  expect(again.version).toBe(5);
  expect(briefly(await settled(again))).toEqual(['3 0 4\n']);
}

describe.each(deliveries)('a recorded conversation that arrives %s', (_, delivery) => {
  it.each([
    ['01-cells', CELLS],
    ['02-errors', ERRORS],
  ])('%s gives each version all of its diagnostics', (name, texts) => givesAllDiagnostics(name, texts, delivery));

  it('03 answers goals, hover, completion, definition and symbols', async () => {
    const text =
      'theorem pq (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  apply And.intro\n  exact hp\n  exact hq\n\n' +
      'def addTwo (n : Nat) : Nat := n + 2\n#eval addTwo 3\n#check Nat.ad\n';
    const { document } = await driveDocument(transcript('03-goals-hover-completion'), text, delivery);
    expect(briefly(await settled(document))).toEqual(['3 6 5\n', "1 7 unknown constant 'Nat.ad'"]);
    await goalsOf(document);
    expect(await document.hover({ line: 6, character: 8 })).toEqual({
      kind: 'ok',
      value: { contents: '```lean\naddTwo : Nat → Nat\n```', range: range(6, 6, 12) },
    });
    const completed = await document.completion({ line: 7, character: 13 });
    expect(completed).toMatchObject({ kind: 'ok', value: { isIncomplete: true } });
    expect(completed.kind === 'ok' && completed.value.items[0]).toEqual({ label: 'add' });
    expect(completed.kind === 'ok' && completed.value.items).toHaveLength(16);
    expect(await document.definition({ line: 6, character: 8 })).toEqual({
      kind: 'ok',
      value: [{ uri: URI, range: range(5, 0, 35), nameRange: range(5, 4, 10) }],
    });
    expect(await document.documentSymbols()).toMatchObject({
      kind: 'ok',
      value: [
        { name: 'pq', range: { start: { line: 0 }, end: { line: 3 } } },
        { name: 'addTwo', selectionRange: range(5, 4, 10) },
      ],
    });
  });

  it('04 removes a cell, and checks again after an edit before it', async () => {
    const { document } = await driveDocument(transcript('04-rollback-and-upstream-edit'), '\n', delivery);
    const [, , bad] = await cells(document, ['def k : Nat := 1\n', '#eval k + "bad"\n']);
    expect(bad && briefly(bad)[0]).toContain('1 2 failed to synthesize instance');
    document.replaceFrom(18, '');
    expect(briefly(await settled(document))).toEqual([]);
    append(document, '#eval k + 41\n');
    expect(briefly(await settled(document))).toEqual(['3 2 42\n']);
    document.edit({ from: 1, to: 18, text: 'def k : Nat := 100\n' });
    expect(briefly(await settled(document))).toEqual(['3 2 141\n']);
    expect(document.text).toBe('\ndef k : Nat := 100\n#eval k + 41\n');
  });

  it('05 answers at once when an endless cell is edited away, and after reopening', () =>
    replacesEndlessCell(delivery));

  it('06 reports a crash, and nothing else until the document is reopened', async () => {
    const { document, peer } = await driveDocument(transcript('06-worker-crash'), '\n', delivery);
    await settled(document);
    append(document, 'partial def deep (n : Nat) : Nat := 1 + deep (n + 1)\n#eval deep 0\n');
    const crash = {
      kind: 'crashed',
      code: -32603,
      message: 'Server process for file:///session.lean crashed, likely due to a stack overflow in user code.',
    };
    expect(await document.settled()).toEqual(crash);
    expect(document.crashed).toBe(true);
    document.replaceFrom(1, '#eval 1 + 1\n');
    expect(await document.settled()).toEqual(crash);
    expect(await document.hover({ line: 0, character: 0 })).toEqual(crash);
    expect(peer.received.at(-1)).toBe('textDocument/waitForDiagnostics');
  });

  it('07 settles after a header with imports', async () => {
    const { document } = await driveDocument(transcript('07-header-import'), 'import Lean\nopen Lean\n', delivery);
    const ends = await cells(document, ['#eval (toJson 3).pretty\n']);
    expect(ends.map(briefly)).toEqual([[], ['3 2 "3"\n']]);
  });

  it('08 reports a failed header at its position, and never accepts the text after it', async () => {
    const { document } = await driveDocument(transcript('08-missing-import'), 'import Nope.Missing\n', delivery);
    const failed = await settled(document);
    expect(briefly(failed)[0]).toContain("1 0 unknown package 'Nope'");
    expect(failed.fatalAt).toEqual({ line: 0, character: 0 });
    append(document, '#eval 1\n');
    expect(await document.settled()).toEqual({ kind: 'unchecked', version: 2 });
  });
});

async function goalsOf(document: LeanDocument): Promise<void> {
  const goals = [];
  for (const [line, character] of [
    [1, 2],
    [2, 2],
    [3, 2],
    [3, 10],
  ] as const) {
    const answer = await document.plainGoal({ line, character });
    goals.push(answer.kind === 'ok' ? answer.value?.goals : answer);
  }
  const left = 'case left\np q : Prop\nhp : p\nhq : q\n⊢ p';
  const right = 'case right\np q : Prop\nhp : p\nhq : q\n⊢ q';
  expect(goals).toEqual([['p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q'], [left, right], [right], []]);
  expect(await document.plainTermGoal({ line: 5, character: 30 })).toEqual({
    kind: 'ok',
    value: { goal: 'n : Nat\n⊢ Nat', range: range(5, 30, 31) },
  });
}

describe('a recorded conversation that ends early', () => {
  it.each(['01-cells', '02-errors'])('%s is lost wherever it ends', async (name) => {
    const script = transcript(name);
    const count = script.filter(({ from }) => from === 'server').length;
    for (let messages = 1; messages < count - 1; messages += 3) {
      const { server } = await drive(script, { endAfter: { messages, bytes: messages % 2 ? 40 : 0 } });
      const document = server.open({ uri: URI, text: '\n' });
      const end = await untilUnsettled(document, name === '01-cells' ? CELLS : ERRORS);
      expect(end).toEqual({ kind: 'lost', reason: 'the process ended' });
      expect(await server.lost).toBe('the process ended');
    }
  });
});

async function untilUnsettled(document: LeanDocument, texts: readonly string[]) {
  for (const text of texts) {
    const end = await document.settled();
    if (end.kind !== 'settled') return end;
    append(document, text);
  }
  return document.settled();
}
