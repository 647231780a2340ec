import { RANKS } from './check/diagnostics.ts';
import type { CheckReport, LeanAxioms, LeanGoals, LeanMessage, LeanSorry } from './report.ts';

/** The default limit of a report, in UTF-16 units. */
export const DEFAULT_LIMIT = 1024 * 1024;
/** The size of a report's entry without its texts, in UTF-16 units. */
export const ENTRY = 100;
/** The maximum length of the note that replaces the rest of a text. */
const MARK = 40;
/** A report cut to fewer units would be useless. */
const LEAST = 400;

/** The size of a report in UTF-16 units. */
export function sizeOf({ messages, sorries, axioms, goals }: CheckReport): number {
  return (
    sum(messages, messageSize) + sum(sorries, sorrySize) + sum(goals ?? [], goalsSize) + sum(axioms ?? [], axiomsSize)
  );
}

/** The report cut to at most `limit` UTF-16 units. */
export function fitted(report: CheckReport, limit: number): CheckReport {
  if (sizeOf(report) <= limit) return report;
  const sorries = within(report.sorries, limit / 4, sorrySize, (one, left) => ({
    ...one,
    goal: cut(one.goal ?? '', left),
  }));
  const goals = report.goals && within(report.goals, limit / 4, goalsSize, () => null);
  const axioms = report.axioms && within(report.axioms, limit / 4, axiomsSize, () => null);
  const rest = limit - sum(sorries, sorrySize) - sum(goals ?? [], goalsSize) - sum(axioms ?? [], axiomsSize);
  return { ...report, messages: messagesWithin(report.messages, rest), sorries, goals, axioms, truncated: true };
}

/** The reports cut to at most `limit` UTF-16 units together; large reports are cut before small ones. */
export function fittedTogether<T extends CheckReport | null>(
  reports: readonly T[],
  limit: number,
): (T | CheckReport)[] {
  const sizes = reports.map((report) => (report ? sizeOf(report) : 0));
  const most = Math.max(level(sizes, limit), LEAST);
  let left = limit;
  return reports.map((report) => {
    const kept = report && fitted(report, Math.min(most, left));
    if (kept) left -= sizeOf(kept);
    return kept;
  });
}

/** The maximum size of one report so that all together stay within the limit. */
function level(sizes: readonly number[], limit: number): number {
  let left = limit;
  const sorted = [...sizes].sort((a, b) => a - b);
  for (const [index, size] of sorted.entries()) {
    const share = left / (sorted.length - index);
    if (size > share) return share;
    left -= size;
  }
  return limit;
}

function messagesWithin(messages: readonly LeanMessage[], limit: number): LeanMessage[] {
  const byRank = [...messages.entries()].sort(([, a], [, b]) => RANKS[a.severity] - RANKS[b.severity]);
  // A long message leaves room for others.
  const most = limit / Math.min(4, messages.length);
  const kept = within(
    byRank.map(([index, message]) => ({ index, message: shortened(message, most) })),
    limit,
    ({ message }) => messageSize(message),
    ({ index, message }, left) => ({ index, message: shortened(message, left) }),
  );
  return kept.sort((a, b) => a.index - b.index).map(({ message }) => message);
}

/** The first items that fit; `shorten` may make the next one fit. */
function within<T>(
  items: readonly T[],
  limit: number,
  size: (item: T) => number,
  shorten: (item: T, left: number) => T | null,
): T[] {
  const kept: T[] = [];
  let left = limit;
  for (const item of items) {
    if (left < ENTRY) break;
    const taken = size(item) <= left ? item : shorten(item, left);
    if (taken === null || size(taken) > left) break;
    kept.push(taken);
    left -= size(taken);
  }
  return kept;
}

function shortened(message: LeanMessage, limit: number): LeanMessage {
  return messageSize(message) <= limit ? message : { ...message, text: cut(message.text, limit) };
}

/** The start of a text that fits in an entry of size `limit`; a copy, so that the large text can be freed. */
function cut(text: string, limit: number): string {
  const kept = text.slice(0, Math.max(0, Math.floor(limit) - ENTRY - MARK));
  return `${Buffer.from(kept).toString()}\n[${text.length - kept.length} more characters]`;
}

function messageSize({ text }: LeanMessage): number {
  return ENTRY + text.length;
}

function sorrySize({ goal }: LeanSorry): number {
  return ENTRY + (goal?.length ?? 0);
}

function goalsSize({ goals }: LeanGoals): number {
  return ENTRY + sum(goals ?? [], (goal) => goal.length + 1);
}

function axiomsSize({ name, axioms }: LeanAxioms): number {
  return ENTRY + name.length + sum(axioms ?? [], (axiom) => axiom.length + 1);
}

function sum<T>(items: readonly T[], size: (item: T) => number): number {
  return items.reduce((total, item) => total + size(item), 0);
}
