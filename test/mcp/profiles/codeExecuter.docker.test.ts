import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectStdio } from '../../cli/program.ts';
import { call, textOf } from '../connect.ts';
import { type Difference, itRepeats, readCapture } from './replay.ts';

const capture = readCapture('code-executer');

const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'state persists? x+1': { text: '42', why: 'Variables persist, as documented.' },
  exception: {
    text: /^Error: Traceback \(most recent call last\):\n[\s\S]*ZeroDivisionError: division by zero\n\nOutput before the error:\nbefore\n$/,
    why: 'The traceback has the frames of the code alone, and what was printed is not lost.',
  },
  'syntax error': { text: /^Error: [\s\S]*SyntaxError: invalid syntax\n$/, why: 'The traceback has the code alone.' },
  'blocked keyword': { text: '1\n', why: 'The sandbox is the wall, so that no word is refused.' },
  'long output': { text: `${'x'.repeat(10_000)}\n`, why: 'Long output breaks nothing.' },
  'start with dependencies': {
    text: /^Code execution service started with the name: code_executer-\d{14}(-\d+)?$/,
    why: 'Executers need no port of the machine, so that more than one can exist.',
  },
};

describe('the profile code-executer on a real Docker Engine', () => {
  let client: Awaited<ReturnType<typeof connectStdio>>;

  beforeAll(async () => {
    client = await connectStdio({}, ['--profile', 'code-executer']);
  });
  afterAll(() => client.close());

  itRepeats(capture, DIFFERENCES, () => client);

  it('has the dependencies of an executer, and keeps its variables while it is stopped', async () => {
    const started = textOf(await call(client, 'start_code_executer', { dependencies: ['six'] }));
    const name = started.slice(started.lastIndexOf(' ') + 1);
    expect(textOf(await call(client, 'execute_code', { code: 'import six\nx = 5' }))).toBe('');
    await call(client, 'stop_code_executer', { name, delete_service: false });
    expect(textOf(await call(client, 'execute_code', { code: 'x' }))).toMatch(/^Failed to connect/);
    await call(client, 'reuse_code_executer', { name });
    expect(textOf(await call(client, 'execute_code', { code: 'x' }))).toBe('5');
  });
});
