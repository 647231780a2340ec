import { z } from 'zod';
import type { EnvironmentInput, EnvironmentRecord } from '../../engine/environment/definition.ts';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import { defineTool, languageArgument, refused, success, type Tool } from '../tool.ts';

const EnvironmentAnswer = z.strictObject({
  name: z.string(),
  language: z.string(),
  packages: z.record(z.string(), z.array(z.string())).describe('By package manager.'),
  variables: z.array(z.string()).describe('Names of its environment variables.'),
  hash: z.string().describe('Of its content: equal hashes mean equal environments.'),
});

const list = (description: string) => z.array(z.string()).default([]).describe(description);

/** `create_environment`. */
export function createEnvironment(languages: readonly LanguageDefinition[]): Tool {
  return defineTool({
    name: 'create_environment',
    title: 'New Environment',
    description:
      'Installs packages into a new environment, which has a name. It is a language with packages and variables; pass its name as environment to run_code and open_session. Building takes from seconds to minutes; the same content again is instant. Packages come from the indexes of this machine; code in the environment has no network. The user may be asked first, or may have turned this off.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    asks: true,
    input: z.strictObject({
      name: z.string().describe('Lower-case letters, digits, ".", "_" and "-".'),
      language: languageArgument(languages, 'Language of the environment.'),
      pip: list('Packages as pip spells them, for example "polars" or "requests[socks]>=2,<3".'),
      npm: list('Packages as npm spells them, for example "lodash@^4".'),
      apt: list('Packages of Debian, for example "graphviz".'),
      variables: z.record(z.string(), z.string()).default({}).describe('Environment variables.'),
    }),
    output: EnvironmentAnswer,
    async call({ name, language, variables, ...packages }, { engine, owner, signal, onOutput, approve }) {
      const input: EnvironmentInput = { name, language, packages, variables };
      const onLine = (line: string) => onOutput({ kind: 'stderr', text: `${line}\n` });
      const create = (isApproved: boolean) =>
        engine.environments.create(input, { onLine, signal, by: owner, isApproved });
      let created = await create(false);
      if (!created.ok && created.error.kind === 'needs_approval') {
        if ((await approve(questionFor(input))) === 'agreed') created = await create(true);
      }
      if (!created.ok) return refused(created.error);
      return success(fieldsOf(created.value), `Created ${lineOf(created.value)}`);
    },
  });
}

/** `list_environments`. */
export const listEnvironments = defineTool({
  name: 'list_environments',
  title: 'Environments',
  description:
    'Lists the environments with their packages. Their names can be passed to run_code and open_session. Without one, code runs in the default environment of its language.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.strictObject({ environments: z.array(EnvironmentAnswer) }),
  async call(_input, { engine }) {
    const environments = await engine.environments.list();
    const text = environments.length === 0 ? 'There are no environments.' : environments.map(lineOf).join('\n');
    return success({ environments: environments.map(fieldsOf) }, text);
  },
});

function questionFor({ name, language, packages = {} }: EnvironmentInput): string {
  const all = Object.entries(packages).flatMap(([manager, entries]) =>
    (entries ?? []).map((entry) => `${entry} (${manager})`),
  );
  return `Create the environment ${name} for ${language}? It installs ${all.join(', ') || 'no packages'} on this machine, in a container image.`;
}

function fieldsOf({ name, language, packages, variables, hash }: EnvironmentRecord) {
  return { name, language, packages, variables: Object.keys(variables), hash };
}

function lineOf({ name, language, packages }: EnvironmentRecord): string {
  return `${name} (${language}): ${Object.values(packages).flat().join(', ') || 'no packages'}`;
}
