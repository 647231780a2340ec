import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** What a schema accepts, for people: `a whole number from 1 to 256`, `"reset" or "never"`. */
export function accepted(schema: z.ZodType): string {
  return words(z.toJSONSchema(schema, { io: 'input' }));
}

/** A value that was given, for people: as JSON, at most 80 characters. */
export function given(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function words(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  switch (schema.type) {
    case 'integer':
      return `a whole number${range(schema)}`;
    case 'number':
      return `a number${range(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list of strings';
    case 'object':
      return 'an object';
    default:
      return schema.minLength ? 'a string that is not empty' : 'a string';
  }
}

function range({ minimum, maximum }: JsonSchema): string {
  return minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
}
