import type { CheckReport } from '../../src/vscode/notebook/output/reportSteps.ts';

type Message = CheckReport['messages'][number];

/** A report, with whatever a test wants to see of it; by itself nothing is wrong. */
export function report(over: Partial<CheckReport>): CheckReport {
  const { messages = [] } = over;
  const nothing = { sorries: [], axioms: null, goals: null, truncated: false };
  return { verdict: 'accepted', messages, messageCount: messages.length, ...nothing, ...over };
}

/** A message on the first character. */
export function message(over: Partial<Message>): Message {
  return { severity: 'information', line: 1, column: 0, endLine: 1, endColumn: 1, text: 'm', ...over };
}
