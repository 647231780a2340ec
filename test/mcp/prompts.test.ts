import { describe, expect, it } from 'vitest';
import { connectInMemory } from './connect.ts';
import { StubEngine, sessionInfo } from './stubEngine.ts';

describe('the prompts of the MCP server', () => {
  it('are one each for data, a proof and a review, with their arguments', async () => {
    const client = await connectInMemory(new StubEngine());
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['data_analysis', 'code_review', 'lean_proof']);
    for (const { name, arguments: args = [] } of prompts) {
      const given = Object.fromEntries(args.map((argument) => [argument.name, `<${argument.name}>`]));
      const { messages } = await client.getPrompt({ name, arguments: given });
      const text = JSON.stringify(messages);
      for (const argument of args) expect(text).toContain(`<${argument.name}>`);
    }
  });

  it('are refused by name without a required argument, and when there is none of that name', async () => {
    const client = await connectInMemory(new StubEngine());
    const refused = (name: string) => client.getPrompt({ name, arguments: {} }).catch(String);
    expect(await refused('lean_proof')).toContain('Argument "statement" of the prompt lean_proof is required.');
    expect(await refused('__proto__')).toContain('Prompts: data_analysis, code_review, lean_proof.');
  });
});

describe('a completion', () => {
  it('has the ids of open sessions and the languages', async () => {
    const engine = new StubEngine();
    const sessions = [
      ...[sessionInfo({ id: 'py-1' }), sessionInfo({ id: 'py-2', state: 'ended' }), sessionInfo({ id: 'r-3' })],
    ];
    engine.sessions.push(...sessions.map((one) => ({ ...one, owner: { ...one.owner, id: 'owner-1' } })));
    const client = await connectInMemory(engine);
    const values = async (name: string, value: string) => {
      const ref = { type: 'ref/prompt' as const, name: 'data_analysis' };
      return (await client.complete({ ref, argument: { name, value } })).completion.values;
    };
    expect(await values('session_id', 'py')).toEqual(['py-1']);
    expect(await values('session_id', '')).toEqual(['py-1', 'r-3']);
    expect(await values('language', 'p')).toEqual(['python']);
    expect(await values('constructor', '')).toEqual([]);
    const uri = 'hothouse://sessions/{session_id}/files/{+path}';
    const argument = { name: 'session_id', value: 'r' };
    expect((await client.complete({ ref: { type: 'ref/resource', uri }, argument })).completion.values).toEqual([
      'r-3',
    ]);
  });
});
