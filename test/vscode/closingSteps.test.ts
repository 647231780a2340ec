import { describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/engine/types.ts';
import { closingSteps } from '../../src/vscode/notebook/output/closingSteps.ts';
import { runResult } from '../mcp/stubEngine.ts';
import { message, report } from './reports.ts';

const RESULT = runResult({ sessionId: 's1' });
const ERROR = { name: 'MemoryError', message: 'The session used more than 512 MB.', traceback: '' };

describe('closingSteps', () => {
  it('adds nothing to a successful run', () => {
    expect(closingSteps(RESULT, false)).toEqual([]);
  });

  it('adds the error only when live output showed none', () => {
    const failed: RunResult = { ...RESULT, status: 'error', error: ERROR };
    expect(closingSteps(failed, false)).toEqual([{ kind: 'error', error: ERROR }]);
    expect(closingSteps(failed, true)).toEqual([]);
  });

  it('shows the loss of the session and the next step, also after a traceback', () => {
    const lost: RunResult = { ...RESULT, status: 'out_of_memory', error: ERROR, sessionLost: true };
    const next = {
      kind: 'text',
      stream: 'stderr',
      text: 'The next cell starts a new interpreter. Run the cells that it depends on first.\n',
    };
    expect(closingSteps(lost, false, 'ended')).toEqual([{ kind: 'error', error: ERROR }, next]);
    const shown = { ...lost, error: { ...ERROR, traceback: 'Traceback ...' } };
    expect(closingSteps(shown, true, 'ended')).toEqual([{ kind: 'error', error: ERROR }, next]);
  });

  it('does not announce a new interpreter after a restart', () => {
    const restarted: RunResult = { ...RESULT, status: 'interrupted', error: ERROR, sessionLost: true };
    expect(closingSteps(restarted, false, 'idle')).toEqual([{ kind: 'error', error: ERROR }]);
  });

  it('says how much was written when output was truncated', () => {
    const cut: RunResult = { ...RESULT, truncated: true, outputCut: true, stdoutBytes: 5_000_000 };
    expect(closingSteps(cut, false)).toEqual([
      {
        kind: 'text',
        stream: 'stderr',
        text: 'Output truncated: 4883 KB written to stdout. The setting hothouse.limits.outputKb is the limit.\n',
      },
    ]);
  });

  it('says how many displays were omitted, without a truncation notice', () => {
    const cut: RunResult = { ...RESULT, truncated: true, displaysDropped: 2, stdout: 'x\n', stdoutBytes: 2 };
    expect(closingSteps(cut, false)).toEqual([
      { kind: 'text', stream: 'stderr', text: '2 displays omitted: too many, too large or malformed.\n' },
    ]);
  });

  it("shows the report's notes first, and its errors instead of the run's error", () => {
    const rejected: RunResult = {
      ...RESULT,
      status: 'error',
      error: ERROR,
      report: {
        ...report({ verdict: 'rejected', messages: [message({ severity: 'error', text: 'unknown identifier' })] }),
        notes: ['The session restarted.'],
        rechecked: [],
        language: 'lean' as const,
      },
    };
    expect(closingSteps(rejected, false)).toMatchObject([
      { kind: 'text', stream: 'stderr', text: 'The session restarted.\n' },
      { kind: 'error', error: { message: '1:0: unknown identifier' } },
    ]);
  });

  it('names the setting with the memory limit, and leaves the text of an exception alone', () => {
    const error = { name: 'OutOfMemory', message: 'Raise the option limits.memoryMb.', traceback: '' };
    const [step] = closingSteps({ ...RESULT, status: 'out_of_memory', error }, false);
    expect(step).toMatchObject({ error: { message: 'Raise the setting hothouse.limits.memoryMb.' } });
    const [raised] = closingSteps({ ...RESULT, status: 'error', error }, false);
    expect(raised).toMatchObject({ error });
  });

  it('keeps the error of an accepted cell whose program failed', () => {
    const checked = { ...report({}), notes: [], rechecked: [], language: 'lean' as const };
    const failed: RunResult = { ...RESULT, status: 'error', error: ERROR, report: checked };
    expect(closingSteps(failed, false)).toEqual([{ kind: 'error', error: ERROR }]);
  });
});
