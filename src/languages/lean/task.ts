import type { CellRequest } from '../language.ts';
import { type Composed, compose, offsetOf, withTactic } from './body.ts';
import type { CheckReport, LeanGoals, LeanMessage } from './report.ts';
import { ENTRY, fitted } from './reportSize.ts';
import { type SourcePosition, toRegionPosition, withLineFeeds } from './text/position.ts';
import { sorryTokens } from './text/tokens.ts';
import type { CheckTerms, Placed } from './worker/check.ts';
import { goalsAt } from './worker/goals.ts';

/** A cell as it is to be checked. */
export interface Work {
  readonly body: Composed;
  /** Offsets in the body's text at whose ends goals are asked for. */
  readonly asked: readonly { readonly start: number; readonly end: number }[];
  /** Only what Lean says of what was put in counts. */
  readonly isTactic: boolean;
}

/** What a cell comes to, with line ends as Lean has them. */
export function workOf({ code, context = '', task }: CellRequest): Work {
  const body = compose(withLineFeeds(code), withLineFeeds(context));
  const at = (offset: number) => ({ start: offset, end: offset });
  if (task?.kind === 'tactic') {
    const put = withTactic(body, task.at, withLineFeeds(task.tactic));
    return { body: put.body, asked: [put], isTactic: true };
  }
  if (task?.kind !== 'goals') return { body, asked: [], isTactic: false };
  if (task.at) return { body, asked: [at(offsetOf(body, task.at))], isTactic: false };
  const own = sorryTokens(body.text.slice(body.from));
  return { body, asked: own.map(({ offset }) => at(body.from + offset)), isTactic: false };
}

/** The report with the goals that were asked for; asked while the document is as it was checked. */
export async function answered(
  piece: Placed,
  report: CheckReport,
  { asked, isTactic }: Work,
  { limit, signal }: CheckTerms,
): Promise<CheckReport> {
  if (asked.length === 0) return report;
  const { document, headerEnd, span } = piece;
  const goals: LeanGoals[] = [];
  let left = limit;
  for (const { end } of asked) {
    const offset = headerEnd + end;
    const spot = toRegionPosition(document.table, span, offset);
    const found = left > 0 ? await goalsAt(document, offset, signal) : null;
    left -= ENTRY + (found ?? []).reduce((sum, { length }) => sum + length, 0);
    goals.push({ ...spot, goals: found });
  }
  const own = isTactic ? ofTactic(report, piece, asked) : {};
  return fitted({ ...report, ...own, goals }, limit);
}

/** The messages of what was put in: they begin there, but in a term's place Lean blames the term around it. */
function ofTactic(report: CheckReport, piece: Placed, asked: Work['asked']): Partial<CheckReport> {
  const messages = report.messages.filter((message) => asked.some((put) => isOf(message, piece, put)));
  return { messages, messageCount: report.truncated ? report.messageCount : messages.length };
}

function isOf(message: LeanMessage, piece: Placed, { start, end }: Work['asked'][number]): boolean {
  const { document, headerEnd, span } = piece;
  const [first, last] = [start, end].map((offset) => toRegionPosition(document.table, span, headerEnd + offset));
  if (!first || !last || isBehind(message, last)) return false;
  if (isBehind(message, first)) return true;
  const reaches = isBehind({ line: message.endLine, column: message.endColumn }, last);
  return reaches && message.line === first.line && isTermAt(document.text, headerEnd + start);
}

function isBehind(a: SourcePosition, b: SourcePosition): boolean {
  return a.line > b.line || (a.line === b.line && a.column >= b.column);
}

/** Whether something stands before the offset in its line that a tactic would not follow. */
function isTermAt(text: string, offset: number): boolean {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trimEnd();
  return before !== '' && !/(?:\b(?:by|then|else)|[·.;{|>(])$/.test(before);
}
