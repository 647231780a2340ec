import { z } from 'zod';
import type { EnvironmentInput, EnvironmentRecord } from '../../engine/environment/definition.ts';
import { formatEnvironmentNetwork, needsConsent } from '../../engine/network/environmentNetwork.ts';
import { invalidRequest } from '../../engine/problems.ts';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import { createAsked } from '../createAsked.ts';
import { defineTool, languageArgument, refused, success, type Tool } from '../tool.ts';

const EnvironmentAnswer = z.strictObject({
  name: z.string(),
  language: z.string(),
  packages: z.record(z.string(), z.array(z.string())).describe('By package manager.'),
  variables: z.array(z.string()).describe('Names of its environment variables.'),
  network: z.string().describe('What its code reaches.'),
  hash: z.string().describe('Of its content: equal hashes mean equal environments.'),
});

const list = (description: string) => z.array(z.string()).default([]).describe(description);

const ONE_POLICY = invalidRequest('An environment has network or allow, not both.', 'Leave out one of them.');

/** `create_environment`. */
export function createEnvironment(languages: readonly LanguageDefinition[]): Tool {
  return defineTool({
    name: 'create_environment',
    title: 'New Environment',
    description:
      'Installs packages into a new environment, which has a name. It is a language with packages and variables; pass its name as environment to run_code and open_session. Building takes from seconds to minutes; the same content again is instant. Packages come from the indexes of this machine; code in the environment has no network, unless the user consents to what network or allow names. The user may be asked first, or may have turned this off.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    asks: true,
    input: z.strictObject({
      name: z.string().describe('Lower-case letters, digits, ".", "_" and "-".'),
      language: languageArgument(languages, 'Language of the environment.'),
      pip: list('Packages as pip spells them, for example "polars" or "requests[socks]>=2,<3".'),
      npm: list('Packages as npm spells them, for example "lodash@^4".'),
      nuget: list('Packages as NuGet spells them, for example "Newtonsoft.Json@13.0.3".'),
      apt: list('Packages of Debian, for example "graphviz".'),
      variables: z.record(z.string(), z.string()).default({}).describe('Environment variables.'),
      network: z
        .enum(['none', 'packages', 'full'])
        .default('packages')
        .describe(
          'What code reaches. none: nothing, without installs into sessions. packages: nothing. full: every host, if the user consents.',
        ),
      allow: list(
        'Hosts that code reaches, if the user consents: "example.org", "*.example.org". In place of network.',
      ),
    }),
    output: EnvironmentAnswer,
    async call({ name, language, variables, network, allow, ...packages }, call) {
      if (allow.length > 0 && network !== 'packages') return refused(ONE_POLICY);
      const input: EnvironmentInput = {
        name,
        language,
        packages,
        variables,
        network: allow.length > 0 ? { allow } : network,
      };
      const onLine = (line: string) => call.onOutput({ kind: 'stderr', text: `${line}\n` });
      const created = await createAsked(input, questionFor(input), { onLine }, call);
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
  return `Create the environment ${name} for ${language}? It installs ${all.join(', ') || 'no packages'} on this machine, for sandboxes only.`;
}

function fieldsOf({ name, language, packages, variables, network, hash }: EnvironmentRecord) {
  const reached = formatEnvironmentNetwork(network);
  return { name, language, packages, variables: Object.keys(variables), network: reached, hash };
}

function lineOf({ name, language, packages, network }: EnvironmentRecord): string {
  const reaches = needsConsent(network) ? `; reaches ${formatEnvironmentNetwork(network)}` : '';
  return `${name} (${language}): ${Object.values(packages).flat().join(', ') || 'no packages'}${reaches}`;
}
