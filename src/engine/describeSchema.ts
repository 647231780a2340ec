import { z } from 'zod';
import { formatList } from '../base/list.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The values that a schema accepts, for people: `a whole number from 1 to 256`, `"reset" or "never"`. */
export function describeSchema(schema: z.ZodType): string {
  return describeJsonSchema(z.toJSONSchema(schema, { io: 'input' }));
}

/** The same of a value inside of one that a schema accepts; null for a place that the schema does not have. */
export function describeSchemaAt(schema: z.ZodType, path: readonly PropertyKey[]): string | null {
  const inner = path.reduce<JsonSchema | null>(schemaInside, z.toJSONSchema(schema, { io: 'input' }));
  return inner && describeJsonSchema(inner);
}

/** A value for people: as JSON, at most 80 characters. */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function schemaInside(schema: JsonSchema | null, step: PropertyKey): JsonSchema | null {
  const { properties = {}, additionalProperties, items } = schema ?? {};
  const own = typeof step === 'string' && Object.hasOwn(properties, step) ? properties[step] : additionalProperties;
  const inner = typeof step === 'number' ? items : own;
  return typeof inner === 'object' && !Array.isArray(inner) ? inner : null;
}

function describeJsonSchema(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return formatList(schema.anyOf.map(describeJsonSchema), 'or');
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
      return `a list of ${isObject(schema.items) ? 'objects' : 'strings'}${formatSize(schema)}`;
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return schema.minLength ? 'a string that is not empty' : 'a string';
  }
}

function isObject(items: JsonSchema['items']): boolean {
  return typeof items === 'object' && !Array.isArray(items) && items.type === 'object';
}

function formatSize({ minItems = 0, maxItems }: JsonSchema): string {
  if (maxItems === undefined) return minItems === 0 ? '' : ` with at least ${minItems} elements`;
  return minItems === 0 ? ` with at most ${maxItems} elements` : ` with ${minItems} to ${maxItems} elements`;
}

function formatRange({ minimum, maximum }: JsonSchema): string {
  return minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
}
