import { describe, expect, it } from 'vitest';
import { errorOf, recheckedSteps, reportSteps } from '../../src/vscode/notebook/output/reportSteps.ts';
import { message, report } from './reports.ts';

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
  it('adds nothing where all is well: what was printed is there already', () => {
    expect(reportSteps(report({ messages: [message({ text: '5\n' })] }))).toEqual([]);
  });

  it('says warnings with their places, then the goals that are left', () => {
    const [warning, ...rest] = reportSteps(SORRY);
    expect(warning).toEqual({
      kind: 'text',
      stream: 'stderr',
      text: "\x1b[33m2:8: warning:\x1b[0m declaration uses 'sorry'\n",
    });
    expect(markdownOf(rest)).toBe(`**Incomplete**: \`sorry\` at 3:2\n\n\`\`\`lean\n${GOAL}\n\`\`\``);
  });

  it('says how many messages are left out', () => {
    const steps = reportSteps(report({ messages: [message({ text: '5\n' })], messageCount: 9, truncated: true }));
    expect(steps).toEqual([
      { kind: 'text', stream: 'stderr', text: '8 more messages omitted (setting hothouse.limits.outputKb).\n' },
    ]);
  });

  it('names what rests on a proof left out elsewhere', () => {
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

  it('speaks of a goal that Lean did not tell only where no error says more', () => {
    const sorries = [
      { line: 3, column: 2, goal: null },
      { line: 4, column: 2, goal: '' },
    ];
    expect(markdownOf(reportSteps(report({ verdict: 'incomplete', sorries })))).toBe(
      '**Incomplete**: `sorry` at 3:2\n\n**Incomplete**: `sorry` at 4:2',
    );
    expect(reportSteps(report({ verdict: 'rejected', sorries }))).toEqual([]);
  });

  it('lets no goal end its fence', () => {
    const goal = 'h : s = "```"\n⊢ True';
    const text = String(markdownOf(reportSteps(report({ sorries: [{ line: 1, column: 0, goal }] }))));
    expect(text).toContain(`\n\`\`\`\`lean\n${goal}\n\`\`\`\``);
  });
});

describe('errorOf', () => {
  it('is null without errors', () => {
    expect(errorOf(SORRY)).toBeNull();
  });

  it('has all errors with their places, the first as its message', () => {
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
  it('shows what is printed, what is left and what is wrong', () => {
    const messages = [message({ text: '7' }), message({ text: '8\n' }), message({ severity: 'error', text: 'no' })];
    const steps = recheckedSteps(report({ ...SORRY, messages: [...SORRY.messages, ...messages] }));
    expect(steps.map(({ kind }) => kind)).toEqual(['text', 'text', 'show', 'error']);
    expect(steps[0]).toEqual({ kind: 'text', stream: 'stdout', text: '7\n8\n' });
  });

  it('is empty where nothing is said any more', () => {
    expect(recheckedSteps(report({}))).toEqual([]);
  });
});
