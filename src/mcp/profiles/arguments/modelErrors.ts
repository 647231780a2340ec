import { type ArgumentSchema, hasType, type PropertySchema } from './argumentSchema.ts';
import { pythonText, pythonType } from './pythonText.ts';

/** How a server that validates with Pydantic spells its errors. */
export interface ModelStyle {
  /** What is validated, as in `call[execute_code]`. */
  readonly title: string;
  /** Text and type of the error for an argument that is missing. */
  readonly missing: readonly [text: string, type: string];
  /** Whether arguments that the schema does not name are errors. */
  readonly isStrict: boolean;
}

/** Version of the pages that the errors refer to. */
const PAGES = 'https://errors.pydantic.dev/2.14/v';
/** Characters of a value that an error shows. */
const MAX_VALUE = 50;

const TYPE_ERRORS: Readonly<Record<string, readonly [text: string, type: string]>> = {
  string: ['Input should be a valid string', 'string_type'],
  integer: ['Input should be a valid integer', 'int_type'],
  boolean: ['Input should be a valid boolean', 'bool_type'],
  array: ['Input should be a valid list', 'list_type'],
};

/** The errors of all arguments that a schema does not accept, in the words of Pydantic; null without any. */
export function modelErrors(
  { properties = {}, required = [] }: ArgumentSchema,
  args: Readonly<Record<string, unknown>>,
  { title, missing, isStrict }: ModelStyle,
): string | null {
  const known = Object.entries(properties).flatMap(([name, schema]) => {
    if (Object.hasOwn(args, name)) return typeErrors(name, schema, args[name]);
    return required.includes(name) ? [entry(name, missing, args)] : [];
  });
  const extra = Object.keys(args).filter((name) => isStrict && !Object.hasOwn(properties, name));
  const errors = [...known, ...extra.map((name) => entry(name, UNEXPECTED, args[name]))];
  if (errors.length === 0) return null;
  return [`${errors.length} validation error${errors.length === 1 ? '' : 's'} for ${title}`, ...errors].join('\n');
}

const UNEXPECTED = ['Unexpected keyword argument', 'unexpected_keyword_argument'] as const;

function typeErrors(place: string, schema: PropertySchema, value: unknown): string[] {
  if (!hasType(schema, value)) {
    const type = schema.type ?? schema.anyOf?.[0]?.type ?? '';
    return [entry(place, typeError(type, value), value)];
  }
  const { items } = schema;
  return items && Array.isArray(value)
    ? value.flatMap((item, index) => typeErrors(`${place}.${index}`, items, item))
    : [];
}

function typeError(type: string, value: unknown): readonly [text: string, type: string] {
  const isText = typeof value === 'string';
  if (type === 'integer' && isText) return INTEGER_TEXT;
  if (type === 'integer' && typeof value === 'number') return FRACTION;
  if (type === 'boolean' && (isText || typeof value === 'number')) return BOOLEAN_TEXT;
  return TYPE_ERRORS[type] ?? [`Input should be a valid ${type}`, `${type}_type`];
}

const INTEGER_TEXT = ['Input should be a valid integer, unable to parse string as an integer', 'int_parsing'] as const;
const FRACTION = ['Input should be a valid integer, got a number with a fractional part', 'int_from_float'] as const;
const BOOLEAN_TEXT = ['Input should be a valid boolean, unable to interpret input', 'bool_parsing'] as const;

function entry(place: string, [text, type]: readonly [string, string], value: unknown): string {
  return [
    place,
    `  ${text} [type=${type}, input_value=${shortened(pythonText(value))}, input_type=${pythonType(value)}]`,
    `    For further information visit ${PAGES}/${type}`,
  ].join('\n');
}

function shortened(text: string): string {
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE / 2)}...${text.slice(1 - MAX_VALUE / 2)}`;
}
