import { describe, expect, it } from 'vitest';
import { leanImage } from '../leanImage.ts';
import { ended, start } from './program.ts';

const run = (code: string, ...more: readonly string[]) =>
  ended(start(['run', 'lean', '-', '--set', `lean.image=${leanImage()}`, ...more]), code);
const json = async (code: string, ...more: readonly string[]) =>
  JSON.parse((await run(code, '--json', ...more)).stdout);

describe('hothouse run lean', () => {
  it('prints the verdict and the messages of a proof as JSON', async () => {
    expect(await json('theorem t : 1 = 1 := rfl\ntheorem u : 1 = 2 := sorry\n#eval 7')).toMatchObject({
      ...{ status: 'ok', verdict: 'incomplete', stdout: '7\n', messages_total: 2, messages_omitted: 0 },
      messages: [
        { severity: 'warning', line: 2 },
        { severity: 'information', line: 3, text: expect.stringContaining('7') },
      ],
      sorries: [{ line: 2, column: 21, goal: '⊢ 1 = 2' }],
      axioms: [
        { name: 't', axioms: [] },
        { name: 'u', axioms: ['sorryAx'] },
      ],
    });
    expect(await json('theorem t : 1 = 2 := rfl')).toMatchObject({
      status: 'error',
      verdict: 'rejected',
      axioms: null,
    });
  });

  it('returns verdict timeout after the limit', async () => {
    const endless = 'partial def f (n : Nat) : Nat := f (n + 1)\n#eval f 0';
    expect(await json(endless, '--timeout', '1')).toMatchObject({
      status: 'timeout',
      verdict: 'timeout',
      messages: [],
    });
  });

  it('streams the output of a program and prints errors of Lean on stderr', async () => {
    const child = start(['run', 'lean', '-', '--set', `lean.image=${leanImage()}`, '--timeout', '8']);
    const end = ended(
      child,
      'partial def loop : IO Unit := loop\ndef main : IO Unit := do\n  IO.println "begun"\n  loop',
    );
    expect(await end).toMatchObject({ status: 124, stdout: 'begun\n' });
    const { status, stderr } = await run('theorem t : 1 = 2 := rfl');
    expect(status).toBe(1);
    expect(stderr).toMatch(/1:\d+: error: /);
  });
});
