import { Option } from 'commander';
import { variableOf } from '../config/config.ts';
import { OPTION_KEYS } from '../engine/options.ts';
import { addPair } from './command.ts';

/** Shorthands of `--set`: flag → option key. */
const SHORTHANDS: Readonly<Record<string, string>> = {
  '--docker-host <URL>': 'docker.host',
  '--image <IMAGE>': 'python.image',
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

/** Option key → text, as the command line sets them; `--set` wins over a shorthand. */
export function configurationFlags(values: GlobalOptionValues): Record<string, string> {
  const given = shorthands.flatMap(({ key, option }) => {
    const value = values[option.attributeName()];
    return value === undefined ? [] : [[key, String(value)]];
  });
  return { ...Object.fromEntries(given), ...values.set };
}

/** The part of `hothouse --help` on configuration: precedence, and each option with its variable and default. */
export function configurationHelp(): string {
  const rows = OPTION_KEYS.map(
    ({ key, fallback }) => `  ${key.padEnd(28)} ${variableOf(key).padEnd(38)} ${JSON.stringify(fallback)}`,
  );
  return [
    '',
    'Configuration:',
    '  Later sources override earlier ones: defaults, settings of python-docker-mcp and lean-docker-mcp,',
    '  ~/.hothouse/config.yaml (or the file in HOTHOUSE_CONFIG), HOTHOUSE_* variables, command line.',
    '',
    `  ${'OPTION'.padEnd(28)} ${'VARIABLE'.padEnd(38)} DEFAULT`,
    ...rows,
    '',
    "Run 'hothouse COMMAND --help' for more information on a command.",
  ].join('\n');
}
