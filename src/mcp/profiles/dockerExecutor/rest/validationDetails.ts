import type { z } from 'zod';
import type { ValidationDetail } from './schemas.ts';

type Issue = z.core.$ZodIssue;

/** Characters of a wrong value that an error repeats. */
const MAX_INPUT = 1_000;

/** What is wrong with a body, as FastAPI answers it. */
export function validationDetails({ issues }: z.ZodError, body: unknown): ValidationDetail[] {
  return issues.filter((issue) => !isOwnBound(issue)).map((issue) => detailOf(issue, body));
}

/** The bound that Zod adds to integers; each of ours has a narrower one, which is exceeded too. */
function isOwnBound(issue: Issue): boolean {
  return (
    (issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER) ||
    (issue.code === 'too_small' && issue.minimum === Number.MIN_SAFE_INTEGER)
  );
}

/** A body that is missing, or that is not JSON. */
export function missingBody(): ValidationDetail {
  return { type: 'missing', loc: ['body'], msg: 'Field required', input: null };
}

export function notJson(reason: string): ValidationDetail {
  return { type: 'json_invalid', loc: ['body', 0], msg: 'JSON decode error', input: {}, ctx: { error: reason } };
}

function detailOf(issue: Issue, body: unknown): ValidationDetail {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  const value = valueAt(body, path);
  const { type, msg, ctx } = describe(issue, value);
  const input = type === 'missing' ? valueAt(body, path.slice(0, -1)) : value;
  return { type, loc: ['body', ...path], msg, input: bounded(input), ...(ctx && { ctx }) };
}

interface Description {
  readonly type: string;
  readonly msg: string;
  readonly ctx?: Record<string, unknown>;
}

function describe(issue: Issue, value: unknown): Description {
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined ? { type: 'missing', msg: 'Field required' } : wrongType(issue.expected, value);
    case 'invalid_value': {
      if (value === undefined) return { type: 'missing', msg: 'Field required' };
      const [last, ...others] = issue.values.map((one) => `'${String(one)}'`).reverse();
      const expected = `${others.reverse().join(', ')} or ${last}`;
      return { type: 'enum', msg: `Input should be ${expected}`, ctx: { expected } };
    }
    case 'too_small':
      return issue.origin === 'array' ? tooShort(value) : bound('greater', 'ge', issue.minimum);
    case 'too_big':
      return bound('less', 'le', issue.maximum);
    default:
      return { type: issue.code ?? 'value_error', msg: issue.message };
  }
}

function wrongType(expected: string, value: unknown): Description {
  if (expected === 'int' && typeof value === 'number') {
    return { type: 'int_from_float', msg: 'Input should be a valid integer, got a number with a fractional part' };
  }
  const [type, name] = TYPES[expected] ?? [`${expected}_type`, expected];
  return { type, msg: `Input should be a valid ${name}` };
}

const TYPES: Readonly<Record<string, readonly [type: string, name: string]>> = {
  string: ['string_type', 'string'],
  int: ['int_type', 'integer'],
  number: ['float_type', 'number'],
  boolean: ['bool_type', 'boolean'],
  array: ['list_type', 'list'],
  record: ['dict_type', 'dictionary'],
  object: ['model_attributes_type', 'dictionary or object to extract fields from'],
};

/** The only bound of a list is that it has an element. */
function tooShort(value: unknown): Description {
  const actual = Array.isArray(value) ? value.length : 0;
  return {
    type: 'too_short',
    msg: `List should have at least 1 item after validation, not ${actual}`,
    ctx: { field_type: 'List', min_length: 1, actual_length: actual },
  };
}

function bound(direction: 'greater' | 'less', name: 'ge' | 'le', limit: number | bigint): Description {
  return {
    type: `${direction}_than_equal`,
    msg: `Input should be ${direction} than or equal to ${limit}`,
    ctx: { [name]: Number(limit) },
  };
}

function valueAt(body: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, step) => {
    const isInside = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
    return isInside ? (value as Record<string | number, unknown>)[step] : undefined;
  }, body);
}

/** A value that is not large, or the beginning of its text. */
function bounded(value: unknown): unknown {
  const json = JSON.stringify(value) ?? 'null';
  return json.length <= MAX_INPUT ? (value ?? null) : `${json.slice(0, MAX_INPUT)}…`;
}
