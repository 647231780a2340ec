import { z } from 'zod';
import { formatList } from '../base/list.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The values that a schema accepts, for people: `a whole number from 1 to 256`, `"reset" or "never"`. */
export function describeSchema(schema: z.ZodType): string {
  return describeJsonSchema(z.toJSONSchema(schema, { io: 'input' }));
}

/** A value for people: as JSON, at most 80 characters. */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function describeJsonSchema(schema: JsonSchema): string {
  if (schema.enum)
    return formatList(
      schema.enum.map((value) => JSON.stringify(value)),
      'or',
    );
  switch (schema.type) {
    case 'integer':
      return `a whole number${formatRange(schema)}`;
    case 'number':
      return `a number${formatRange(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list of ${isObject(schema.items) ? 'objects' : 'strings'}`;
    case 'object':
      return 'an object';
    default:
      return schema.minLength ? 'a string that is not empty' : 'a string';
  }
}

function isObject(items: JsonSchema['items']): boolean {
  return typeof items === 'object' && !Array.isArray(items) && items.type === 'object';
}

function formatRange({ minimum, maximum }: JsonSchema): string {
  return minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
}
