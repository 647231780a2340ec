import { describe, expect, it } from 'vitest';
import type { RunOutput } from '../../src/engine/types.ts';
import { OutputBatch } from '../../src/vscode/notebook/output/outputSteps.ts';

function stepsOf(...outputs: RunOutput[]) {
  const batch = new OutputBatch();
  for (const output of outputs) batch.add(output);
  return batch.take();
}

const shown = (text: string, id: string | null = null): RunOutput => ({
  kind: 'display',
  display: { data: { 'text/plain': text }, id },
});

const updated = (text: string, id: string): RunOutput => ({
  kind: 'update',
  display: { data: { 'text/plain': text }, id },
});

describe('OutputBatch', () => {
  it('joins adjacent text of one stream and keeps the order of the streams', () => {
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

  it('does not join text across a display', () => {
    const steps = stepsOf({ kind: 'stdout', text: 'a' }, shown('x'), { kind: 'stdout', text: 'b' });
    expect(steps.map(({ kind }) => kind)).toEqual(['text', 'show', 'text']);
  });

  it('drops cleared output at once, but keeps updates of earlier displays', () => {
    const steps = stepsOf(
      { kind: 'stdout', text: 'a' },
      updated('new', 'd1'),
      { kind: 'clear', wait: false },
      shown('x'),
    );
    expect(steps.map(({ kind }) => kind)).toEqual(['update', 'clear', 'show']);
  });

  it('clears with wait only when new output arrives, also in a later batch', () => {
    const batch = new OutputBatch();
    batch.add({ kind: 'stdout', text: 'frame 1' });
    batch.add({ kind: 'clear', wait: true });
    expect(batch.take()).toEqual([{ kind: 'text', stream: 'stdout', text: 'frame 1' }]);
    batch.add({ kind: 'stdout', text: 'frame 2' });
    expect(batch.take()).toEqual([{ kind: 'clear' }, { kind: 'text', stream: 'stdout', text: 'frame 2' }]);
  });

  it('keeps the last of several updates and applies it to a display of the same batch', () => {
    const steps = stepsOf(shown('1', 'a'), updated('2', 'a'), updated('x', 'b'), updated('3', 'a'), updated('y', 'b'));
    expect(steps).toEqual([
      { kind: 'show', data: { 'text/plain': '3' }, id: 'a' },
      { kind: 'update', data: { 'text/plain': 'y' }, id: 'b' },
    ]);
  });

  it('updates the later of two displays with one id', () => {
    const steps = stepsOf(shown('1', 'a'), shown('2', 'a'), updated('3', 'a'));
    expect(steps.map((step) => 'data' in step && step.data['text/plain'])).toEqual(['1', '3']);
  });

  it('keeps the last update of each display across clears', () => {
    const clear: RunOutput = { kind: 'clear', wait: false };
    const steps = stepsOf(updated('1', 'a'), clear, updated('2', 'a'), updated('1', 'b'), clear, updated('3', 'a'));
    expect(steps.map((step) => ('data' in step ? [step.id, step.data['text/plain']] : step.kind))).toEqual([
      ['a', '2'],
      ['b', '1'],
      'clear',
      ['a', '3'],
    ]);
  });

  it('returns each step once', () => {
    const batch = new OutputBatch();
    batch.add({ kind: 'stdout', text: 'a' });
    batch.take();
    expect(batch.take()).toEqual([]);
  });
});
