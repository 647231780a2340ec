import type { CellRequest } from '../../language.ts';
import type { CheckTerms } from '../check/checkCell.ts';
import { goalsAt } from '../check/goals.ts';
import { type CheckReport, type LeanGoals, type LeanMessage, leanTask } from '../report.ts';
import { ENTRY, fitted } from '../reportSize.ts';
import { type Region, type SourcePosition, type TextRange, toRegionPosition } from '../text/position.ts';
import { sorryTokens } from '../text/tokens.ts';
import { type ComposedCode, composeCode, offsetOf, withTactic } from './composedCode.ts';

/** The code to check for a request, and the goals to ask for. */
export interface CheckPlan {
  readonly code: ComposedCode;
  /** Ranges of the body at whose ends goals are asked for. */
  readonly asked: readonly TextRange[];
  /** Only the messages about the tactic count. */
  readonly isTactic: boolean;
}

export function planOf({ code: text, task: asked }: CellRequest): CheckPlan {
  const task = leanTask(asked);
  const code = composeCode(text, task?.context ?? '');
  if (task?.kind === 'tactic') {
    const { code: withIt, put } = withTactic(code, task.at, task.tactic);
    return { code: withIt, asked: [put], isTactic: true };
  }
  if (task?.kind !== 'goals') return { code, asked: [], isTactic: false };
  const offsets = task.at
    ? [offsetOf(code, task.at)]
    : sorryTokens(code.body.slice(code.from)).map(({ offset }) => code.from + offset);
  return { code, asked: offsets.map((offset) => ({ start: offset, end: offset })), isTactic: false };
}

/** The report with the goals that the plan asks for, while the document still holds the code as it was checked. */
export async function withGoals(
  report: CheckReport,
  region: Region,
  { asked, isTactic }: CheckPlan,
  { document, limit, signal }: CheckTerms,
): Promise<CheckReport> {
  if (asked.length === 0) return report;
  const { lean } = document;
  const bodyStart = document.startOf(1);
  const goals: LeanGoals[] = [];
  let left = limit;
  for (const { end } of asked) {
    const offset = bodyStart + end;
    const found = left > 0 ? await goalsAt(lean, offset, signal) : null;
    left -= ENTRY + (found ?? []).reduce((sum, { length }) => sum + length, 0);
    goals.push({ ...toRegionPosition(lean.table, region, offset), goals: found });
  }
  const isAbout = (message: LeanMessage) =>
    asked.some(({ start, end }) => {
      const first = toRegionPosition(lean.table, region, bodyStart + start);
      const last = toRegionPosition(lean.table, region, bodyStart + end);
      return concerns(message, first, last, isTermAt(lean.text, bodyStart + start));
    });
  return fitted({ ...report, ...(isTactic && onlyMessages(report, isAbout)), goals }, limit);
}

function onlyMessages(report: CheckReport, isAbout: (message: LeanMessage) => boolean): Partial<CheckReport> {
  const messages = report.messages.filter(isAbout);
  return { messages, messageCount: report.truncated ? report.messageCount : messages.length };
}

/** Whether a message starts in the range; for a term, Lean also reports errors at the term around it. */
function concerns(message: LeanMessage, first: SourcePosition, last: SourcePosition, isTerm: boolean): boolean {
  if (isAtOrAfter(message, last)) return false;
  if (isAtOrAfter(message, first)) return true;
  const reaches = isAtOrAfter({ line: message.endLine, column: message.endColumn }, last);
  return reaches && message.line === first.line && isTerm;
}

function isAtOrAfter(a: SourcePosition, b: SourcePosition): boolean {
  return a.line > b.line || (a.line === b.line && a.column >= b.column);
}

/** Whether the text before the offset on its line is something that a tactic would not follow. */
function isTermAt(text: string, offset: number): boolean {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trimEnd();
  return before !== '' && !/(?:\b(?:by|then|else)|[·.;{|>(])$/.test(before);
}
