import { describe, expect, it } from 'vitest';
import type { RunOutput, RunResult } from '../../src/engine/types.ts';
import { closingSteps, OutputBatch } from '../../src/vscode/notebook/outputSteps.ts';
import { runResult } from '../mcp/stubEngine.ts';

function stepsOf(...outputs: RunOutput[]) {
  const batch = new OutputBatch();
  for (const output of outputs) batch.add(output);
  return batch.take();
}

const shown = (text: string, id: string | null = null): RunOutput => ({
  kind: 'display',
  display: { data: { 'text/plain': text }, id },
});

describe('OutputBatch', () => {
  it('joins neighbouring text of one stream and keeps the order of the two streams', () => {
    const steps = stepsOf(
      { kind: 'stdout', text: 'a' },
      { kind: 'stdout', text: 'b\n' },
      { kind: 'stderr', text: 'c' },
      { kind: 'stdout', text: 'd' },
    );
    expect(steps).toEqual([
      { kind: 'text', stream: 'stdout', text: 'ab\n' },
      { kind: 'text', stream: 'stderr', text: 'c' },
      { kind: 'text', stream: 'stdout', text: 'd' },
    ]);
  });

  it('does not join text over a display between', () => {
    const steps = stepsOf({ kind: 'stdout', text: 'a' }, shown('x'), { kind: 'stdout', text: 'b' });
    expect(steps.map(({ kind }) => kind)).toEqual(['text', 'show', 'text']);
  });

  it('drops at once what is cleared, but no update of an earlier display', () => {
    const update: RunOutput = { kind: 'update', display: { data: { 'text/plain': 'new' }, id: 'd1' } };
    const steps = stepsOf({ kind: 'stdout', text: 'a' }, update, { kind: 'clear', wait: false }, shown('x'));
    expect(steps.map(({ kind }) => kind)).toEqual(['update', 'clear', 'show']);
  });

  it('with wait clears only when something new comes, also in a later batch', () => {
    const batch = new OutputBatch();
    batch.add({ kind: 'stdout', text: 'frame 1' });
    batch.add({ kind: 'clear', wait: true });
    expect(batch.take()).toEqual([{ kind: 'text', stream: 'stdout', text: 'frame 1' }]);
    batch.add({ kind: 'stdout', text: 'frame 2' });
    expect(batch.take()).toEqual([{ kind: 'clear' }, { kind: 'text', stream: 'stdout', text: 'frame 2' }]);
  });

  it('gives each step once', () => {
    const batch = new OutputBatch();
    batch.add({ kind: 'stdout', text: 'a' });
    batch.take();
    expect(batch.take()).toEqual([]);
  });
});

const RESULT = runResult({ sessionId: 's1' });
const ERROR = { name: 'MemoryError', message: 'The session used more than 512 MB.', traceback: '' };

describe('closingSteps', () => {
  it('adds nothing to a good end', () => {
    expect(closingSteps(RESULT, false)).toEqual([]);
  });

  it('adds the error only when live output had none', () => {
    const failed: RunResult = { ...RESULT, status: 'error', error: ERROR };
    expect(closingSteps(failed, false)).toEqual([{ kind: 'error', error: ERROR }]);
    expect(closingSteps(failed, true)).toEqual([]);
  });

  it('says what was lost and how to go on, once more when the traceback could not know', () => {
    const lost: RunResult = { ...RESULT, status: 'out_of_memory', error: ERROR, sessionLost: true };
    const next = {
      kind: 'text',
      stream: 'stderr',
      text: 'The next cell that you run starts a new interpreter: run first the cells that it needs.\n',
    };
    expect(closingSteps(lost, false, 'ended')).toEqual([{ kind: 'error', error: ERROR }, next]);
    const shown = { ...lost, error: { ...ERROR, traceback: 'Traceback ...' } };
    expect(closingSteps(shown, true, 'ended')).toEqual([{ kind: 'error', error: ERROR }, next]);
  });

  it('does not speak of a new interpreter where a restart made one', () => {
    const restarted: RunResult = { ...RESULT, status: 'interrupted', error: ERROR, sessionLost: true };
    expect(closingSteps(restarted, false, 'idle')).toEqual([{ kind: 'error', error: ERROR }]);
  });

  it('says how much was written when output was cut', () => {
    const cut: RunResult = { ...RESULT, truncated: true, stdoutBytes: 5_000_000 };
    expect(closingSteps(cut, false)).toEqual([
      {
        kind: 'text',
        stream: 'stderr',
        text: 'Output was cut: 4883 KB written to stdout. The setting hothouse.limits.outputKb sets the limit.\n',
      },
    ]);
  });
});
