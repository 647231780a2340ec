import { describeSchema, formatValue } from '../engine/describeSchema.ts';
import { OPTION_KEYS, type OptionKey, Options } from '../engine/options.ts';
import type { OptionSource } from './source.ts';

/** An invalid value or unknown key in a source, which was ignored. */
export interface OptionProblem {
  readonly key: string;
  readonly source: string;
  /** Names key, source, accepted values and the value in use. */
  readonly message: string;
}

interface Entry {
  readonly source: OptionSource;
  readonly key: string;
  readonly value: unknown;
}

/**
 * Options from sources, the strongest first. Invalid values and unknown keys are reported and ignored: the next
 * source that has the option decides, and the default last.
 */
export function resolveOptions(sources: readonly OptionSource[]): {
  readonly options: Options;
  readonly problems: readonly OptionProblem[];
} {
  const entries = sources.flatMap((source) => flatten(source.values).map(([key, value]) => ({ source, key, value })));
  const unknown = entries.filter(({ key }) => !OPTION_KEYS.some((option) => option.key === key)).map(unknownKey);
  const decided = OPTION_KEYS.map((option) => decide(option, entries));
  const values: Record<string, Record<string, unknown>> = {};
  for (const { option, value } of decided) values[option.group] = { ...values[option.group], [option.name]: value };
  return { options: Options.parse(values), problems: [...unknown, ...decided.flatMap(({ problems }) => problems)] };
}

function flatten(values: unknown, prefix = ''): [key: string, value: unknown][] {
  if (values === undefined || values === null) return [];
  // A leaf, or a value in place of a group, whose key is then reported as unknown.
  if (typeof values !== 'object' || Array.isArray(values) || OPTION_KEYS.some(({ key }) => key === prefix)) {
    return [[prefix, values]];
  }
  return Object.entries(values).flatMap(([key, value]) => flatten(value, prefix ? `${prefix}.${key}` : key));
}

function decide(option: OptionKey, entries: readonly Entry[]) {
  const wrong: Entry[] = [];
  for (const entry of entries.filter(({ key }) => key === option.key)) {
    const parsed = option.schema.safeParse(entry.source.text ? fromText(option, entry.value) : entry.value);
    if (parsed.success)
      return { option, value: parsed.data, problems: invalid(wrong, option, parsed.data, entry.source) };
    wrong.push(entry);
  }
  return { option, value: option.fallback, problems: invalid(wrong, option, option.fallback) };
}

function fromText({ fallback }: OptionKey, value: unknown): unknown {
  const text = String(value).trim();
  if (Array.isArray(fallback)) return text === '' ? [] : text.split(',').map((item) => item.trim());
  if (typeof fallback === 'number') return text === '' ? text : Number(text);
  if (typeof fallback === 'boolean')
    return { true: true, '1': true, false: false, '0': false }[text.toLowerCase()] ?? text;
  return text;
}

function invalid(wrong: Entry[], option: OptionKey, used: unknown, source?: OptionSource): OptionProblem[] {
  const from = source ? `from ${source.name}` : 'the default';
  return wrong.map((entry) => ({
    key: option.key,
    source: entry.source.name,
    message: `${option.key} is ${formatValue(entry.value)} in ${entry.source.name}, but must be ${describeSchema(option.schema)}; ${formatValue(used)} is used, ${from}.`,
  }));
}

function unknownKey({ key, source }: Entry): OptionProblem {
  const [group = ''] = key.split('.');
  const siblings = OPTION_KEYS.filter((option) => option.group === group).map((option) => option.key);
  const known = siblings.length > 0 ? siblings : [...new Set(OPTION_KEYS.map((option) => `${option.group}.*`))];
  return {
    key,
    source: source.name,
    message: `${key || 'The content'} in ${source.name} is not an option and was ignored; there are ${known.join(', ')}.`,
  };
}
