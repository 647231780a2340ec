import { describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/engine/types.ts';
import type { CheckReport } from '../../src/languages/lean/report.ts';
import { fileFixture } from '../fileFixture.ts';
import { LATE_MS, latenessOf } from '../isolation/lateness.ts';
import { leanEngine, OWNER } from './leanEngine.ts';
import { leanCells } from './leanSessions.ts';

const engine = fileFixture(() => leanEngine());

const KB = 1024;
/** `limits.outputKb` by itself. */
const LIMIT = 1024 * KB;
/** Prints 80,003 bytes: a string with its quotes and a line feed. */
const LINE = '#eval String.join (List.replicate 8000 "0123456789")';
const LINE_BYTES = 80_003;
const lines = (count: number) => Array(count).fill(LINE).join('\n');

const saidIn = ({ messages, sorries }: CheckReport) =>
  [...messages.map(({ text }) => text), ...sorries.map(({ goal }) => goal ?? '')].join('').length;

function expectBounded({ report, stdout, truncated, stdoutBytes }: RunResult, count: number): void {
  expect(report).toMatchObject({ verdict: 'accepted', messageCount: count, truncated: true });
  expect(report?.messages.length).toBeLessThan(count);
  expect(report && saidIn(report)).toBeLessThanOrEqual(LIMIT);
  expect({ truncated, stdoutBytes }).toEqual({ truncated: true, stdoutBytes: count * LINE_BYTES });
  expect(stdout.length).toBe(LIMIT);
}

describe('the messages of Lean stay within the output limit', () => {
  it('in a check', async () => {
    const { result, lateMs } = await latenessOf(() =>
      engine.run({ language: 'lean', owner: OWNER, code: lines(150), timeoutSeconds: 100 }),
    );
    expectBounded(result, 150);
    expect(lateMs).toBeLessThan(LATE_MS);
  });

  it('in a session, and the session continues', async () => {
    const cells = await leanCells(engine);
    const { result, lateMs } = await latenessOf(() => cells.run(lines(400), { timeoutSeconds: 100 }));
    expectBounded(result, 400);
    expect(lateMs).toBeLessThan(LATE_MS);
    expect(await cells.print('#eval 1')).toBe('1\n');
  });

  it('with errors before printed messages', async () => {
    const code = `${lines(20)}\ntheorem wrong : 1 = 2 := rfl\n#check nothing`;
    const { report } = await engine.run({ language: 'lean', owner: OWNER, code, timeoutSeconds: 100 });
    expect(report).toMatchObject({ verdict: 'rejected', truncated: true });
    const errors = report?.messages.filter(({ severity }) => severity === 'error').map(({ line }) => line);
    expect([...new Set(errors)]).toEqual([21, 22]);
  });

  it('when a single message is too large', async () => {
    const code = '#eval String.join (List.replicate 300000 "0123456789")';
    const { report, stdout, stdoutBytes } = await engine.run({ language: 'lean', owner: OWNER, code });
    expect(report).toMatchObject({ verdict: 'accepted', messageCount: 1, truncated: true });
    expect(report?.messages[0]?.text).toMatch(/^"0123456789.*\n\[\d+ more characters\]$/);
    expect([stdout.length, stdoutBytes]).toEqual([LIMIT, 3_000_003]);
  });

  it('in all results of many checks together, where each gets a share', async () => {
    const proofs = Array.from({ length: 60 }, (_, n) => ({
      id: `${n}`,
      code: n % 2 === 0 ? `theorem t : ${n} = ${n + 1} := rfl` : lines(3),
    }));
    const checked = await engine.lean.check({ owner: OWNER, proofs, timeoutSeconds: 100 });
    if (!checked.ok) throw new Error(checked.error.message);
    const reports = checked.value.flatMap(({ report }) => report ?? []);
    expect(reports).toHaveLength(60);
    expect(reports.reduce((sum, report) => sum + saidIn(report), 0)).toBeLessThanOrEqual(2 * LIMIT);
    const [short, long] = [0, 1].map((rest) => reports.filter((_, n) => n % 2 === rest));
    expect(
      short?.every(({ truncated, messages, messageCount }) => !truncated && messages.length === messageCount),
    ).toBe(true);
    expect(long?.filter(({ truncated }) => truncated).length).toBeGreaterThan(15);
  });

  it('when the limit has another value', async () => {
    const small = await leanEngine({ limits: { outputKb: 16 } });
    try {
      const { report, stdout } = await small.run({ language: 'lean', owner: OWNER, code: lines(3) });
      expect(report && saidIn(report)).toBeLessThanOrEqual(16 * KB);
      expect(stdout.length).toBe(16 * KB);
    } finally {
      await small.dispose();
    }
  });
});

describe('more messages than the engine accepts', () => {
  it('end the cell with a notice, and the session continues', async () => {
    const cells = await leanCells(engine);
    await cells.print('def kept : Nat := 41');
    const code = '#eval String.join (List.replicate 1000000 "0123456789")';
    const { result, lateMs } = await latenessOf(() => cells.run(code, { timeoutSeconds: 100 }));
    expect(result).toMatchObject({ status: 'error', error: { name: 'TooMuchOutput' }, sessionLost: false });
    expect(lateMs).toBeLessThan(LATE_MS);
    expect(await cells.print('#eval kept')).toBe('41\n');
  });

  it('end a check with a notice', async () => {
    const { result, lateMs } = await latenessOf(() =>
      engine.run({ language: 'lean', owner: OWNER, code: lines(800), timeoutSeconds: 100 }),
    );
    expect(result).toMatchObject({ status: 'error', error: { name: 'TooMuchOutput' } });
    expect(lateMs).toBeLessThan(LATE_MS);
  });
});
