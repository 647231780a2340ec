import { describe, expect, it } from 'vitest';
import { type CheckReport, EMPTY_REPORT, type LeanMessage } from '../../../src/languages/lean/report.ts';
import { fitted, fittedTogether, sizeOf } from '../../../src/languages/lean/reportSize.ts';

const LIMIT = 20_000;

function message(severity: LeanMessage['severity'], line: number, length: number): LeanMessage {
  return { severity, line, column: 0, endLine: line, endColumn: 1, text: `${line}:${'x'.repeat(length)}` };
}

function report(messages: readonly LeanMessage[], more: Partial<CheckReport> = {}): CheckReport {
  return { ...EMPTY_REPORT, messages, messageCount: messages.length, ...more };
}

describe('a report that is too large', () => {
  it('keeps a report that fits whole', () => {
    const small = report([message('error', 1, 100)]);
    expect(fitted(small, LIMIT)).toBe(small);
  });

  it.each([
    ['many messages', report(Array.from({ length: 10_000 }, (_, n) => message('information', n, 10)))],
    ['a long one', report([message('error', 1, 1_000_000)])],
    ['long ones', report(Array.from({ length: 9 }, (_, n) => message('warning', n, 50_000)))],
    ['empty ones', report(Array.from({ length: 10_000 }, (_, n) => ({ ...message('hint', n, 0), text: '' })))],
    [
      'sorries',
      report([], {
        sorries: Array.from({ length: 9_000 }, (_, line) => ({ line, column: 0, goal: 'g'.repeat(line) })),
      }),
    ],
    [
      'axioms',
      report([], { axioms: Array.from({ length: 9_000 }, (_, n) => ({ name: `n${n}`, axioms: ['propext'] })) }),
    ],
    [
      'goals',
      report([], { goals: Array.from({ length: 900 }, (_, line) => ({ line, column: 0, goals: ['g'.repeat(900)] })) }),
    ],
  ])('shortens a report to its limit, and says so: %s', (_, large) => {
    const kept = fitted(large, LIMIT);
    expect(sizeOf(kept)).toBeLessThanOrEqual(LIMIT);
    expect(sizeOf(kept)).toBeGreaterThan(LIMIT / 8);
    expect(kept).toMatchObject({ truncated: true, messageCount: large.messageCount });
  });

  it('keeps errors first, then warnings, then output, each in its place', () => {
    const severities = ['information', 'warning', 'error'] as const;
    const messages = Array.from({ length: 90 }, (_, n) => message(severities[n % 3] ?? 'hint', n, 400));
    const { messages: kept } = fitted(report(messages), LIMIT);
    expect(kept.map(({ line }) => line)).toEqual([...kept.map(({ line }) => line)].sort((a, b) => a - b));
    const count = (severity: string) => kept.filter((one) => one.severity === severity).length;
    expect(count('error')).toBe(30);
    expect(count('warning')).toBeGreaterThan(5);
    expect(count('information')).toBe(0);
  });

  it('leaves room for other messages next to a long one', () => {
    const { messages } = fitted(
      report([message('error', 1, 100_000), ...[2, 3, 4].map((n) => message('error', n, 50))]),
      LIMIT,
    );
    expect(messages.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
    expect(messages[0]?.text).toMatch(/^1:x+\n\[\d+ more characters\]$/);
    expect(messages[1]?.text).toBe(`2:${'x'.repeat(50)}`);
  });

  it('never splits a character', () => {
    for (let lead = 0; lead < 2; lead += 1) {
      const text = 'x'.repeat(lead) + '😀'.repeat(100_000);
      const [kept] = fitted(report([{ ...message('error', 1, 0), text }]), LIMIT).messages;
      expect(kept?.text.isWellFormed()).toBe(true);
    }
  });
});

describe('reports that are too large together', () => {
  it('share the limit, and small ones stay whole', () => {
    const reports = Array.from({ length: 20 }, (_, n) => report([message('error', n, n % 2 === 0 ? 50 : 5_000)]));
    const kept = fittedTogether([null, ...reports], LIMIT).slice(1);
    expect(kept.reduce((sum, one) => sum + (one ? sizeOf(one) : 0), 0)).toBeLessThanOrEqual(LIMIT);
    for (const [n, one] of kept.entries()) {
      expect(one?.truncated).toBe(n % 2 === 1);
      expect(one?.messages).toHaveLength(1);
    }
  });

  it('stay whole while there is room', () => {
    const reports = Array.from({ length: 1_000 }, (_, n) => report([message('error', n, 100)]));
    const kept = fittedTogether(reports, LIMIT);
    expect(kept.reduce((sum, one) => sum + (one ? sizeOf(one) : 0), 0)).toBeLessThanOrEqual(LIMIT);
    expect(kept[0]).toBe(reports[0]);
    expect(kept.at(-1)).toMatchObject({ messages: [], messageCount: 1, truncated: true });
  });
});
