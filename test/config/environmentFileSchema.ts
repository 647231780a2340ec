import { z } from 'zod';
import { EnvironmentDefinition, EnvironmentLock, EnvironmentName } from '../../src/engine/environment/definition.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';

/** The JSON Schema of a file of environments, from the schemas that read it. */
export function environmentFileSchema(): object {
  const [first = '', ...others] = LANGUAGES.map(({ id }) => id);
  const environment = EnvironmentDefinition.omit({ name: true }).extend({
    language: z.enum([first, ...others]).describe('Language that runs in it.'),
    lock: EnvironmentLock.optional().describe(
      'What it was built from, exactly, as `hothouse env export --lock` writes it.',
    ),
  });
  const file = z.strictObject({
    environments: z.record(EnvironmentName, environment).describe('Environments by name.'),
  });
  return { title: 'Environments of Hothouse', ...z.toJSONSchema(file, { io: 'input', target: 'draft-7' }) };
}
