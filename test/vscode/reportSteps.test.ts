import { describe, expect, it } from 'vitest';
import type { CheckReport } from '../../src/languages/lean/report.ts';
import { editorLanguage } from '../../src/vscode/languages.ts';
import * as steps from '../../src/vscode/notebook/output/reportSteps.ts';
import { message, report } from './reports.ts';

const LEAN = editorLanguage('lean');
const { errorOf } = steps;
const reportSteps = (given: CheckReport) => steps.reportSteps(given, LEAN);
const recheckedSteps = (given: CheckReport) => steps.recheckedSteps(given, LEAN);

const GOAL = 'n : Nat\n⊢ n + 0 = n';
const SORRY = report({
  verdict: 'incomplete',
  messages: [message({ severity: 'warning', line: 2, column: 8, text: "declaration uses 'sorry'\n" })],
  sorries: [{ line: 3, column: 2, goal: GOAL }],
});

function markdownOf(steps: ReturnType<typeof reportSteps>): unknown {
  return steps.flatMap((step) => (step.kind === 'show' ? [step.data['text/markdown']] : []))[0];
}

describe('reportSteps', () => {
  it('adds nothing for printed messages, which live output has shown', () => {
    expect(reportSteps(report({ messages: [message({ text: '5\n' })] }))).toEqual([]);
  });

  it('shows warnings with positions, then open goals', () => {
    const [warning, ...rest] = reportSteps(SORRY);
    expect(warning).toEqual({
      kind: 'text',
      stream: 'stderr',
      text: "\x1b[33m2:8: warning:\x1b[0m declaration uses 'sorry'\n",
    });
    expect(markdownOf(rest)).toBe(`**Incomplete**: \`sorry\` at 3:2\n\n\`\`\`lean\n${GOAL}\n\`\`\``);
  });

  it('says how many messages are omitted', () => {
    const steps = reportSteps(report({ messages: [message({ text: '5\n' })], messageCount: 9, truncated: true }));
    expect(steps).toEqual([
      { kind: 'text', stream: 'stderr', text: '8 more messages omitted (setting hothouse.limits.outputKb).\n' },
    ]);
  });

  it('names declarations that depend on sorry elsewhere', () => {
    const axioms = [
      { name: 'fine', axioms: ['propext'] },
      { name: 'open_one', axioms: ['propext', 'sorryAx'] },
      { name: 'unknown', axioms: null },
    ];
    const text = markdownOf(reportSteps(report({ verdict: 'incomplete', axioms })));
    expect(text).toBe('**Incomplete**: these depend on `sorry`.\n\n```lean\nopen_one\n```');
  });

  it('shows goals of a rejected cell without calling it incomplete', () => {
    const text = markdownOf(reportSteps({ ...SORRY, verdict: 'rejected' }));
    expect(text).toContain(GOAL);
    expect(text).not.toContain('Incomplete');
  });

  it('mentions a sorry without a goal only in an incomplete cell', () => {
    const sorries = [
      { line: 3, column: 2, goal: null },
      { line: 4, column: 2, goal: '' },
    ];
    expect(markdownOf(reportSteps(report({ verdict: 'incomplete', sorries })))).toBe(
      '**Incomplete**: `sorry` at 3:2\n\n**Incomplete**: `sorry` at 4:2',
    );
    expect(reportSteps(report({ verdict: 'rejected', sorries }))).toEqual([]);
  });

  it('uses a fence longer than any in the goal', () => {
    const goal = 'h : s = "```"\n⊢ True';
    const text = String(markdownOf(reportSteps(report({ sorries: [{ line: 1, column: 0, goal }] }))));
    expect(text).toContain(`\n\`\`\`\`lean\n${goal}\n\`\`\`\``);
  });
});

describe('errorOf', () => {
  it('is null without errors', () => {
    expect(errorOf(SORRY)).toBeNull();
  });

  it('has all errors with positions and the first one as its message', () => {
    const messages = [
      message({ text: 'printed' }),
      message({ severity: 'error', line: 2, column: 4, text: 'unsolved goals\n⊢ False\n' }),
      message({ severity: 'error', line: 5, column: 0, text: 'unexpected token' }),
    ];
    expect(errorOf(report({ verdict: 'rejected', messages }))).toEqual({
      name: 'Error',
      message: '2:4: unsolved goals\n⊢ False',
      traceback: '\x1b[31m2:4: error:\x1b[0m unsolved goals\n⊢ False\n\n\x1b[31m5:0: error:\x1b[0m unexpected token',
    });
  });
});

describe('recheckedSteps', () => {
  it('shows prints, open goals and errors', () => {
    const messages = [message({ text: '7' }), message({ text: '8\n' }), message({ severity: 'error', text: 'no' })];
    const steps = recheckedSteps(report({ ...SORRY, messages: [...SORRY.messages, ...messages] }));
    expect(steps.map(({ kind }) => kind)).toEqual(['text', 'text', 'show', 'error']);
    expect(steps[0]).toEqual({ kind: 'text', stream: 'stdout', text: '7\n8\n' });
  });

  it('is empty for a report without messages', () => {
    expect(recheckedSteps(report({}))).toEqual([]);
  });
});
