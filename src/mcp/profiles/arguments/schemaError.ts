import { type ArgumentSchema, hasType } from './argumentSchema.ts';
import { pythonText } from './pythonText.ts';

/**
 * The error of the first argument that a schema does not accept, in the words of Python's jsonschema; null without one.
 * Arguments that the schema does not name are accepted.
 */
export function schemaError(
  { properties = {}, required = [] }: ArgumentSchema,
  args: Readonly<Record<string, unknown>>,
): string | null {
  const missing = required.find((name) => !Object.hasOwn(args, name));
  if (missing !== undefined) return `${pythonText(missing)} is a required property`;
  const wrong = Object.entries(properties).find(
    ([name, schema]) => Object.hasOwn(args, name) && !hasType(schema, args[name]),
  );
  return wrong ? `${pythonText(args[wrong[0]])} is not of type ${pythonText(wrong[1].type)}` : null;
}
