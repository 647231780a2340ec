import { describe, expect, it } from 'vitest';
import { EngineBench } from '../engine/engineBench.ts';
import { newLanguageSuite, WITH_TOY } from './newLanguage.ts';
import { toy } from './toy.ts';

describe('a new language on a fake host', () => {
  newLanguageSuite(async () => new EngineBench({}, {}, WITH_TOY).engine);

  it('has questions that are rejected when the engine does not run it', async () => {
    const bench = new EngineBench({}, {}, [toy]);
    const { lean } = bench.engine;
    const answer = await lean.goals({ code: 'example : True := sorry', owner: { id: 'o', kind: 'mcp', label: 'o' } });
    expect(answer).toMatchObject({ ok: true, value: { status: 'rejected', error: { name: 'unknown_language' } } });
    await bench.engine.dispose();
  });

  it('has the memory and the environment variables of its definition', async () => {
    const bench = new EngineBench({ pool: { size: 1 } }, {}, WITH_TOY);
    await bench.engine.run({ language: 'toy', code: 'pwd', owner: { id: 'o', kind: 'mcp', label: 'o' } });
    const [container] = bench.host.containers.values();
    expect(container?.spec).toMatchObject({ memoryBytes: 200 << 20, env: { TOY_HOME: '/workspace' } });
    expect(container?.spec.env).not.toHaveProperty('IPYTHONDIR');
    await bench.engine.dispose();
  });
});
