import { describe, expect, it } from 'vitest';
import type { RunOutput } from '../../src/engine/types.ts';
import { OutputBatch } from '../../src/vscode/notebook/outputSteps.ts';

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
