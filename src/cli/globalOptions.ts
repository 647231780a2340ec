import { Option } from 'commander';
import { formatList } from '../base/list.ts';
import { variableOf } from '../config/config.ts';
import { OPTION_KEYS } from '../engine/options.ts';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';
import { addPair } from './command.ts';

/** Stands for the id of a language in the key of a shorthand. */
const LANGUAGE = 'LANGUAGE';

/** Shorthands of `--set`: flag → option key. */
const SHORTHANDS: Readonly<Record<string, string>> = {
  '--docker-host <URL>': 'docker.host',
  '--image <IMAGE>': `${LANGUAGE}.image`,
  '--memory-mb <MB>': 'limits.memoryMb',
  '--cpus <CPUS>': 'limits.cpus',
  '--pool-size <SIZE>': 'pool.size',
};

const shorthands = Object.entries(SHORTHANDS).map(([flags, key]) => ({
  key,
  option: new Option(flags, `shorthand for --set ${key}=VALUE`),
}));

/** The options that every command accepts. */
export const GLOBAL_OPTIONS: readonly Option[] = [
  new Option('--set <KEY=VALUE>', 'set a configuration option; repeatable').argParser(addPair),
  ...shorthands.map(({ option }) => option),
  new Option('--verbose', 'write debug messages to stderr'),
];

/** The values of `GLOBAL_OPTIONS`, shorthands by their attribute names. */
export interface GlobalOptionValues {
  readonly set?: Readonly<Record<string, string>>;
  readonly verbose?: boolean;
  readonly [shorthand: string]: unknown;
}

/**
 * Option key → text, as the command line sets them; `--set` wins over a shorthand. `--image` is the image of `language`,
 * given by its id.
 */
export function configurationFlags(values: GlobalOptionValues, language: string): Record<string, string> {
  const given = shorthands.flatMap(({ key, option }) => {
    const value = values[option.attributeName()];
    return value === undefined ? [] : [[key.replace(LANGUAGE, language), String(value)]];
  });
  return { ...Object.fromEntries(given), ...values.set };
}

/** The part of `hothouse --help` on configuration: precedence, and each option with its variable and default. */
export function configurationHelp(languages: readonly LanguageDefinition[]): string {
  const replaced = languages.flatMap(({ replaces }) => replaces?.name ?? []);
  const rows = OPTION_KEYS.map(
    ({ key, fallback }) => `  ${key.padEnd(28)} ${variableOf(key).padEnd(38)} ${JSON.stringify(fallback)}`,
  );
  return [
    '',
    'Configuration:',
    `  Later sources override earlier ones: defaults, settings of ${formatList(replaced, 'and')},`,
    '  ~/.hothouse/config.yaml (or the file in HOTHOUSE_CONFIG), HOTHOUSE_* variables, command line.',
    `  ${LANGUAGE} in --image is the language that a command names, otherwise ${languages[0]?.id}.`,
    '',
    `  ${'OPTION'.padEnd(28)} ${'VARIABLE'.padEnd(38)} DEFAULT`,
    ...rows,
    '',
    "Run 'hothouse COMMAND --help' for more information on a command.",
  ].join('\n');
}
