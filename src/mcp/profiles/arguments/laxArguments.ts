import type { ArgumentSchema, PropertySchema } from './argumentSchema.ts';

/** Spellings that Pydantic reads as a boolean, in any case. */
const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...{ '1': true, t: true, true: true, y: true, yes: true, on: true },
  ...{ '0': false, f: false, false: false, n: false, no: false, off: false },
};
const INTEGER = /^\s*[+-]?\d+(?:_\d+)*(?:\.0*)?\s*$/;

/** Arguments as a server that validates with Pydantic reads them: a text may be a number or a boolean. */
export function laxArguments(
  { properties = {} }: ArgumentSchema,
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const converted = Object.entries(args).map(([name, value]) => [
    name,
    Object.hasOwn(properties, name) ? lax(properties[name] ?? {}, value) : value,
  ]);
  return Object.fromEntries(converted);
}

/** The value itself where it is no spelling of the type. */
function lax({ type }: PropertySchema, value: unknown): unknown {
  if (type === 'integer') {
    if (typeof value === 'string' && INTEGER.test(value)) return Number(value.replaceAll('_', ''));
    return typeof value === 'boolean' ? Number(value) : value;
  }
  if (type !== 'boolean' || (typeof value !== 'string' && typeof value !== 'number')) return value;
  const text = String(value).toLowerCase();
  return Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : value;
}
