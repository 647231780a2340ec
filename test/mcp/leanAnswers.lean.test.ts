import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectStdio } from '../cli/program.ts';
import { leanImage } from '../leanImage.ts';
import { call, textOf } from './connect.ts';

const LINE = '#eval String.join (List.replicate 8000 "0123456789")';
const MUCH = Array(150).fill(LINE).join('\n');

let client: Awaited<ReturnType<typeof connectStdio>>;
beforeAll(async () => {
  client = await connectStdio({ HOTHOUSE_LEAN_IMAGE: leanImage() });
});
afterAll(() => client.close());

const lean = (code: string, more: Record<string, unknown> = {}) =>
  call(client, 'run_code', { language: 'lean', code, timeout_seconds: 100, ...more });

describe('an MCP client that uses Lean', () => {
  it('gets a result of bounded size and keeps its sessions', async () => {
    const { structuredContent } = await call(client, 'open_session', { language: 'lean' });
    const session = { session_id: structuredContent?.session_id };
    await lean('def kept : Nat := 41', session);
    for (const more of [{}, session]) {
      const answer = await lean(MUCH, more);
      const { messages, ...facts } = answer.structuredContent as { messages: unknown[]; messages_omitted: number };
      expect(facts).toMatchObject({ status: 'ok', verdict: 'accepted', messages_total: 150, truncated: true });
      expect(facts.messages_omitted).toBe(150 - messages.length);
      expect(JSON.stringify(answer).length).toBeLessThan(9_000_000);
    }
    expect((await lean('#eval kept', session)).structuredContent).toMatchObject({ stdout: '41\n' });
  });

  it('gets all verdicts of many proofs with large messages', async () => {
    const proofs = Array.from({ length: 40 }, () => ({ code: Array(5).fill(LINE).join('\n') }));
    const answer = await call(client, 'lean_check', { proofs, timeout_seconds: 100 });
    const { accepted, results } = answer.structuredContent as { accepted: number; results: Record<string, unknown>[] };
    expect([accepted, results.length]).toEqual([40, 40]);
    expect(results[39]).toMatchObject({ verdict: 'accepted', messages_total: 5, truncated: true });
    expect(JSON.stringify(answer).length).toBeLessThan(9_000_000);
    expect(textOf(answer)).toMatch(/^40 of 40 accepted\n/);
  });

  it('gets verdict timeout and the earlier output of a program', async () => {
    const endless = 'partial def f (n : Nat) : Nat := f (n + 1)\n#eval f 0';
    expect((await lean(endless, { timeout_seconds: 1 })).structuredContent).toMatchObject({
      ...{ status: 'timeout', verdict: 'timeout' },
    });
    const program = 'partial def loop : IO Unit := loop\ndef main : IO Unit := do\n  IO.println "begun"\n  loop';
    expect((await lean(program, { timeout_seconds: 3 })).structuredContent).toMatchObject({
      ...{ status: 'timeout', verdict: 'accepted', stdout: 'begun\n' },
    });
  });

  it('gets both errors of an invalid proof', async () => {
    const code = 'theorem two : 1 + 1 = 3 := rfl';
    const { structuredContent } = await lean(code);
    const { messages, error } = structuredContent as { messages: { text: string }[]; error: { message: string } };
    for (const { text } of messages) expect(error.message).toContain(text.split('\n')[0]);
    const tried = await call(client, 'lean_try', {
      code: 'theorem two : 1 + 1 = 3 := by\n  sorry',
      line: 2,
      column: 2,
      tactics: ['exact rfl'],
    });
    const [first] = (tried.structuredContent as { results: { error: string; messages: { text: string }[] }[] }).results;
    expect(first?.messages.length).toBeGreaterThan(0);
    for (const { text } of first?.messages ?? []) expect(first?.error).toContain(text);
  });

  it('reads a session as a notebook, with what Lean says about its cells', async () => {
    const { structuredContent } = await call(client, 'open_session', { language: 'lean' });
    const session_id = String(structuredContent?.session_id);
    const codes = [
      'def add (a b : Nat) : Nat := a + b\n#eval add 2 3',
      'theorem open_goal (n : Nat) : n + 0 = n := by\n  sorry',
      'theorem wrong : 1 + 1 = 3 := rfl',
    ];
    for (const code of codes) await lean(code, { session_id });
    const uri = `hothouse://sessions/${session_id}/notebook.ipynb`;
    const [content] = (await client.readResource({ uri })).contents;
    const { cells, metadata } = JSON.parse(content && 'text' in content ? String(content.text) : '{}');
    expect(metadata).toMatchObject({ kernelspec: { language: 'lean4' }, hothouse: { session_id, omitted_cells: 0 } });
    expect(cells.map(({ source }: { source: string }) => source)).toEqual(codes);
    const [evaluated, open, wrong] = cells.map(({ outputs }: { outputs: object[] }) => JSON.stringify(outputs));
    expect(evaluated).toContain('"text":"5\\n"');
    expect(open).toMatch(/declaration uses .sorry/);
    expect(open).toContain('⊢ n + 0 = n');
    expect(wrong).toMatch(/"1:0: error: Not a definitional equality.*1:29: error: Type mismatch/);
  });
});
