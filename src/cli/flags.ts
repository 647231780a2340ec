import type { ParseArgsConfig } from 'node:util';
import { type CommandArguments, pairsOption } from './command.ts';

const DIRECT: Readonly<Record<string, string>> = {
  'docker-host': 'docker.host',
  image: 'python.image',
  'memory-mb': 'limits.memoryMb',
  cpus: 'limits.cpus',
  'pool-size': 'pool.size',
};

/** Options that every command takes. */
export const FLAG_OPTIONS: NonNullable<ParseArgsConfig['options']> = {
  ...Object.fromEntries(Object.keys(DIRECT).map((name) => [name, { type: 'string' } as const])),
  set: { type: 'string', multiple: true },
  verbose: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
};

/** The same for `--help`. */
export const FLAG_HELP: readonly string[] = [
  '--set KEY=VALUE       set an option, for example pool.size=4; may be given several times',
  ...Object.entries(DIRECT).map(([name, key]) => `${`--${name} VALUE`.padEnd(22)}the same as --set ${key}=VALUE`),
  '--verbose             tell more on stderr',
];

/** Option key → text, as the command line says. Throws `UsageError`. */
export function configurationFlags(args: CommandArguments): Record<string, string> {
  const direct = Object.entries(DIRECT).flatMap(([name, key]) => {
    const value = args.values[name];
    return value === undefined ? [] : [[key, String(value)]];
  });
  return { ...Object.fromEntries(direct), ...pairsOption(args, 'set') };
}
