import type { CheckReport } from '../../src/languages/lean/report.ts';

type Message = CheckReport['messages'][number];

/** An accepted report with the given fields. */
export function report(over: Partial<CheckReport>): CheckReport {
  const { messages = [] } = over;
  const nothing = { sorries: [], axioms: null, goals: null, truncated: false };
  return { verdict: 'accepted', messages, messageCount: messages.length, ...nothing, ...over };
}

/** A message at the first character. */
export function message(over: Partial<Message>): Message {
  return { severity: 'information', line: 1, column: 0, endLine: 1, endColumn: 1, text: 'm', ...over };
}
