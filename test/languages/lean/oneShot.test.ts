import { describe, expect, it } from 'vitest';
import { recordedChecks } from './session/harness.ts';
import { SERVER_VARIANTS, type ServerVariant } from './session/recordedServer.ts';

const ADD = 'def add (a b : Nat) : Nat := a + b\n';
const PRINT = '#eval add 10 20\n#check add\n';
const HOLE = 'theorem hole (p q : Prop) (hp : p) (hq : q) : p ∧ q := sorry';
const DEEP = 'partial def deep (n : Nat) : Nat := 1 + deep (n + 1)\n#eval deep 0';

describe.each(SERVER_VARIANTS)('a check on %s', (_, variant) => {
  it('accepts code, with its output and axioms', async () => {
    const { check } = await recordedChecks(variant);
    const { status, stdout, report, alive } = await check({ code: ADD + PRINT });
    expect({ status, alive, stdout }).toEqual({ status: 'ok', alive: true, stdout: '30\nadd : Nat → Nat → Nat\n' });
    expect(report).toMatchObject({ verdict: 'accepted', axioms: [{ name: 'add', axioms: [] }] });
    expect(report?.messages.map(({ line }) => line)).toEqual([2, 3]);
  });

  it.each(['def broken := (', '#eval add 1 "x"'])('rejects %j, and keeps nothing of it', (code) =>
    rejects(variant, code),
  );

  it('reports a sorry as incomplete, with its goal', async () => {
    const { check } = await recordedChecks(variant);
    const { report } = await check({ code: `${HOLE}\n` });
    const goal = 'p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q';
    expect(report).toMatchObject({ verdict: 'incomplete', sorries: [{ line: 1, column: 55, goal }] });
    expect(report?.axioms).toEqual([{ name: 'hole', axioms: ['sorryAx'] }]);
  });

  it('does not accept a nameless proof after an option that hides a sorry', async () => {
    const { check } = await recordedChecks(variant);
    const hidden = 'set_option warn.sorry false\n';
    expect((await check({ code: `${hidden}example : 1 = 2 := sorry\n` })).report?.verdict).toBe('incomplete');
    expect(
      (await check({ code: 'example : 1 = 2 := sorry\n', task: { language: 'lean', kind: 'check', context: hidden } }))
        .report?.verdict,
    ).toBe('incomplete');
    expect((await check({ code: `${hidden}${ADD}` })).report?.verdict).toBe('accepted');
  });

  it('returns the goals at every sorry, at positions without the context', async () => {
    const { check } = await recordedChecks(variant);
    const { report } = await check({
      code: `${HOLE}\n`,
      task: { language: 'lean', kind: 'goals', at: null, context: ADD },
    });
    expect(report?.goals).toEqual([{ line: 1, column: 55, goals: ['p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q'] }]);
    expect(report?.axioms?.map(({ name }) => name)).toEqual(['hole']);
  });

  it('reports an import that does not exist, and checks the next code', async () => {
    const { check } = await recordedChecks(variant);
    const { status, error, report } = await check({ code: `import Nope.Missing\n${ADD}` });
    expect({ status, verdict: report?.verdict }).toEqual({ status: 'error', verdict: 'rejected' });
    expect(error?.message).toContain("unknown package 'Nope'");
    expect((await check({ code: ADD })).report?.verdict).toBe('accepted');
  });

  it('returns no verdict on code that crashes Lean', async () => {
    const { check, measured } = await recordedChecks(variant);
    measured.oomKills = 1;
    const { status, alive, report } = await check({ code: `${DEEP}\n` });
    expect({ status, alive, report }).toEqual({ status: 'out_of_memory', alive: false, report: null });
  });
});

it.each([
  ['code', { code: 'def a := "\ud800"' }],
  [
    'a statement',
    {
      code: ADD,
      task: { language: 'lean', kind: 'check', judge: { allowedAxioms: [], statement: 'theorem \ud800 : True' } },
    },
  ],
  ['context', { code: ADD, task: { language: 'lean', kind: 'check', context: '-- \udc00' } }],
  [
    'a tactic',
    { code: HOLE, task: { language: 'lean', kind: 'tactic', at: { line: 1, column: 55 }, tactic: '\ud83d' } },
  ],
] as const)('refuses half of a surrogate pair in %s with a sentence, and keeps the worker', async (_, cell) => {
  const { check, servers } = await recordedChecks({ kind: 'current' });
  expect(await check(cell)).toMatchObject({
    alive: true,
    error: { name: 'InvalidCode', message: 'The code has half of a surrogate pair, which is no character.' },
  });
  expect((await check({ code: PRINT })).report?.verdict).toBe('accepted');
  expect(servers.length).toBeLessThanOrEqual(1);
});

it('starts a current server with the option to report at once, and an old one without', async () => {
  expect((await recordedChecks({ kind: 'current' })).options).toEqual([['-Dserver.reportDelayMs=0']]);
  expect((await recordedChecks({ kind: 'old' })).options).toEqual([[]]);
});

it.each([
  [true, 'out_of_memory', 'OutOfMemory'],
  [false, 'sandbox_lost', 'SandboxLost'],
])('ends a check when the sandbox is lost (out of memory: %s)', async (outOfMemory, status, name) => {
  const { check, lose } = await recordedChecks({ kind: 'current' });
  const ending = check({ code: '#eval spin 0\n' });
  lose({ outOfMemory, reason: 'it is gone' });
  expect(await ending).toMatchObject({
    status,
    alive: false,
    error: { name, message: expect.stringContaining('gone') },
  });
});

describe.each(['old', 'current'] as const)('the end of a server (%s)', (kind) => {
  it('never counts as an accepted proof, wherever it happens', async () => {
    let lost = 0;
    for (let endAfter = 5; endAfter < 30; endAfter += 1) {
      const { check } = await recordedChecks({ kind, endAfter });
      const { status, alive, report } = await check({ code: `${ADD}theorem wrong : 1 = 2 := rfl\n` });
      expect(status).toBe('error');
      expect(report === null).toBe(!alive);
      if (report === null) lost += 1;
      else expect(report.verdict).toBe('rejected');
    }
    expect(lost).toBeGreaterThan(2);
  });
});

it.each([
  ['a wrong proof', 'theorem wrong : 1 = 2 := rfl'],
  ['an IO error', '#eval (throw (IO.userError "boom") : IO Unit)'],
])('a check rejects %s, and keeps nothing of it', (_, code) => rejects({ kind: 'current' }, code));

it.each(SERVER_VARIANTS)('a check on %s reads messages that arrive byte by byte', async (_, variant) => {
  const { check } = await recordedChecks({ ...variant, split: 'bytes' });
  expect((await check({ code: '#eval add 1 "x"\n' })).report?.verdict).toBe('rejected');
  expect((await check({ code: `${HOLE}\n` })).report).toMatchObject({
    verdict: 'incomplete',
    sorries: [{ column: 55 }],
  });
  expect((await check({ code: ADD + PRINT })).stdout).toBe('30\nadd : Nat → Nat → Nat\n');
});

/** Checks code that Lean rejects, then that the same server accepts the next code. */
async function rejects(variant: ServerVariant, code: string): Promise<void> {
  const { check, servers } = await recordedChecks(variant);
  const { status, alive, report } = await check({ code: `${code}\n` });
  expect({ status, alive, verdict: report?.verdict }).toEqual({ status: 'error', alive: true, verdict: 'rejected' });
  expect(report?.messages.some(({ severity }) => severity === 'error')).toBe(true);
  expect((await check({ code: PRINT })).report?.verdict).toBe('accepted');
  expect(servers).toHaveLength(1);
}
