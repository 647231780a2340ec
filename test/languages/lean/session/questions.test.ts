import { describe, expect, it } from 'vitest';
import { until } from '../../../engine/engineBench.ts';
import { recorded } from './harness.ts';
import type { ServerVariant } from './recordedServer.ts';
import { moving } from './waiting.ts';

const ADD = 'def add (a b : Nat) : Nat := a + b\n';
const PRINT = '#eval add 10 20\n#check add\n';
const PRINTED = '30\nadd : Nat → Nat → Nat\n';
const SPIN = 'partial def spin (n : Nat) : Nat := spin (n + 1)\n';
const draft = { cell: null, code: '#check ad', cursor: 9 };

async function sessionOn(kind: ServerVariant['kind']) {
  const made = recorded({ kind });
  await made.run(ADD);
  return made;
}

describe.each(['old', 'current'] as const)('a query (%s server)', (kind) => {
  it('is superseded by another query and by a cell', async () => {
    const { session: lean, servers, run, clock } = await sessionOn(kind);
    const asked = [lean.hover(draft), lean.hover({ ...draft, code: '#check add' }), lean.definition(draft)];
    expect(await moving(clock, run(PRINT))).toMatchObject({ status: 'ok', stdout: PRINTED });
    expect(await Promise.all(asked)).toEqual([null, null, []]);
    expect(servers).toHaveLength(1);
    expect(servers[0]?.text).not.toContain('#check ad\n');
  });

  it('does not evaluate its draft, and removes it afterwards', async () => {
    const { session: lean, servers, run } = await sessionOn(kind);
    await run(SPIN);
    expect(await lean.hover({ cell: null, code: '#eval spin 0\n#check spin', cursor: 22 })).toBeNull();
    expect(servers[0]?.received).toContain('textDocument/hover');
    expect(servers[0]?.text).not.toContain('spin 0');
    expect(await run(PRINT)).toMatchObject({ status: 'ok', stdout: PRINTED });
    expect(servers).toHaveLength(1);
  });
});

describe('a query, whatever the server', () => {
  it('does not fail the next cell when the server ends during the query', async () => {
    const { session: lean, servers, run } = await sessionOn('current');
    const asked = lean.hover(draft);
    servers[0]?.end();
    expect(await asked).toBeNull();
    expect(await run(PRINT)).toMatchObject({ status: 'ok', stdout: PRINTED });
    expect(servers).toHaveLength(2);
  });

  it('does not end the session when Lean cannot be restarted at once', async () => {
    const { session: lean, servers, run, measured } = await sessionOn('current');
    // A start is tried with an option and without.
    measured.failingStarts = 2;
    const asked = lean.hover(draft);
    servers[0]?.end();
    expect(await asked).toBeNull();
    await until(() => measured.failingStarts === 0);
    expect(await run(PRINT)).toMatchObject({ status: 'ok', alive: true, stdout: PRINTED });
    expect(lean.text()).toContain(ADD);
  });

  it('ends at once when interrupted, and the session continues in the same server', async () => {
    const { session: lean, servers, run, clock } = await sessionOn('current');
    const asked = lean.complete('#check ad', 9);
    lean.interrupt();
    expect(await asked).toEqual({ start: 9, end: 9, matches: [] });
    expect(await moving(clock, run(PRINT))).toMatchObject({ status: 'ok', stdout: PRINTED });
    expect(servers).toHaveLength(1);
  });
});
