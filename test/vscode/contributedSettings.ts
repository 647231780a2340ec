import { z } from 'zod';
import { Options } from '../../src/engine/options.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** `contributes.configuration.properties` as the options' schema generates it. */
export function contributedSettings(): Record<string, unknown> {
  const root = z.toJSONSchema(Options, { io: 'input' });
  return Object.fromEntries(
    properties(root).flatMap(([group, schema]) =>
      properties(schema).map(([name, option]) => [`hothouse.${group}.${name}`, settingOf(option)]),
    ),
  );
}

function properties({ properties = {} }: JsonSchema): [string, JsonSchema][] {
  return Object.entries(properties).filter((entry): entry is [string, JsonSchema] => typeof entry[1] === 'object');
}

/** Machine scope: no workspace may change the isolation or the number of sandboxes. */
function settingOf(option: JsonSchema): unknown {
  return { ...option, scope: 'machine' };
}
