import { describe, expect, it } from 'vitest';
import { EngineBench } from '../engine/engineBench.ts';
import { newLanguageSuite, WITH_TOY } from './newLanguage.ts';

describe('a new language on a fake host', () => {
  newLanguageSuite(async () => new EngineBench({}, {}, WITH_TOY).engine);

  it('has the memory and the environment variables of its definition', async () => {
    const bench = new EngineBench({ pool: { size: 1 } }, {}, WITH_TOY);
    await bench.engine.run({ language: 'toy', code: 'pwd', owner: { id: 'o', kind: 'mcp', label: 'o' } });
    const [container] = bench.host.containers.values();
    expect(container?.spec).toMatchObject({ memoryBytes: 200 << 20, env: { TOY_HOME: '/workspace' } });
    expect(container?.spec.env).not.toHaveProperty('IPYTHONDIR');
    await bench.engine.dispose();
  });
});
