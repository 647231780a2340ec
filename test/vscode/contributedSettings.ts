import { z } from 'zod';
import { OPTION_KEYS, Options } from '../../src/engine/options.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The categories of the Settings editor, in their order, with the groups of options in each. */
const CATEGORIES: readonly (readonly [title: string, groups: readonly string[]])[] = [
  ['Host', ['host', 'docker']],
  ['Limits', ['limits']],
  ['Network', ['network']],
  ['Workspace Folder', []],
  ['Sessions', ['sessions']],
  ['Packages', ['packages']],
  ['Environments', ['environments']],
  ['Python', ['python']],
  ['Lean', ['lean']],
  ['Other Languages', ['node', 'bash', 'csharp', 'r']],
  ['Pool', ['pool']],
  ['MCP', ['profiles']],
];
const KEYS: ReadonlySet<string> = new Set(OPTION_KEYS.map(({ key }) => key));

/** A category of `contributes.configuration`. */
export interface Category {
  readonly title: string;
  readonly order: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** `contributes.configuration` as the options' schema generates it. What only the editor reads is not in it. */
export function contributedSettings(): Category[] {
  const { properties: groups = {} } = z.toJSONSchema(Options, { io: 'input' });
  return CATEGORIES.map(([title, names], order) => {
    const settings = names.flatMap((group) =>
      properties(groups[group]).map(([name, option]) => [`hothouse.${group}.${name}`, option] as const),
    );
    const entries = settings.map(([key, option], place) => [key, { ...settingOf(option), order: place }]);
    return { title, order, properties: Object.fromEntries(entries) };
  });
}

function properties(schema: JsonSchema | boolean | undefined): [string, JsonSchema][] {
  const { properties = {} } = typeof schema === 'object' ? schema : {};
  return Object.entries(properties).filter((entry): entry is [string, JsonSchema] => typeof entry[1] === 'object');
}

/** Machine scope: no workspace may change the isolation or the number of sandboxes. */
function settingOf({ description = '', ...option }: JsonSchema): object {
  return { ...option, markdownDescription: markdown(description), scope: 'machine' };
}

/** The name of another option becomes a link to its setting. */
function markdown(description: string): string {
  return description
    .replaceAll('*', '\\*')
    .replaceAll(/\b[a-z]+\.[A-Za-z]+\b/g, (name) => (KEYS.has(name) ? `\`#hothouse.${name}#\`` : name));
}
