import { formatValue } from '../engine/describeSchema.ts';
import type { Options } from '../engine/options.ts';

/** What a setting of another program means here. */
export type OptionMapping = MappedOption | UnsupportedOption;

/** A setting with an option here. */
export interface MappedOption {
  readonly key: string;
  /** Converts the value to our units; undefined leaves the option alone. */
  readonly convert?: (value: unknown) => unknown;
}

/** A setting without an option here. */
export interface UnsupportedOption {
  /** A reason that follows `docker.image in FILE`; null without a reason. */
  readonly why: (value: unknown, options: Options) => string | null;
  /** It changes what runs, or what may run: shown at each start, not only by the doctor. */
  readonly important?: boolean;
}

/** A setting that is ignored; `instead` names what applies, as in `code runs in /workspace`. */
export function unsupported(instead: string): UnsupportedOption {
  return { why: () => ignored(instead) };
}

/** The image of another program, which `option` replaces; `imageOf` returns ours. */
export function replacedImage(option: string, imageOf: (options: Options) => string): UnsupportedOption {
  return {
    important: true,
    why: (value, options) => {
      const ours = imageOf(options);
      return value === ours ? null : `is ${formatValue(value)}, which is not used: ${option} is "${ours}".`;
    },
  };
}

/**
 * The settings that all replaced programs share. Values that cannot be converted are passed on, and the schema reports
 * them.
 */
export const SHARED_MAPPINGS: Readonly<Record<string, OptionMapping>> = {
  'docker.cpu_limit': { key: 'limits.cpus' },
  'docker.timeout': { key: 'limits.timeoutSeconds' },
  'docker.network_disabled': { key: 'network.policy', convert: (value) => policyOf(parseBoolean(value)) },
  'docker.pool_size': { key: 'pool.size' },
  'docker.pool_max_age': { key: 'pool.maxAgeSeconds' },
  'docker.max_concurrent_creations': { key: 'pool.maxConcurrentCreations' },
  // Those programs read every other value as no.
  'docker.pool_enabled': {
    key: 'pool.reuse',
    convert: (value) => (parseBoolean(value) === true ? undefined : 'never'),
  },
  'docker.working_dir': unsupported('code runs in /workspace'),
  // It has no effect in those programs either, and must not weaken isolation here.
  'docker.read_only': {
    why: (value, { limits }) =>
      parseBoolean(value) === limits.readOnly ? null : ignored(`limits.readOnly is ${limits.readOnly}`),
  },
  'docker.debug': { why: (value) => (parseBoolean(value) === true ? ignored('use --verbose') : null) },
};

/** Docker's spelling of an amount of memory in MB; any other value stays as it is. */
export function megabytes(value: unknown): unknown {
  const match = /^(\d+(?:\.\d+)?)([bkmg]?)i?b?$/i.exec(String(value).trim());
  const factor = MEGABYTES[match?.[2]?.toLowerCase() ?? 'none'];
  return factor === undefined ? value : Math.round(Number(match?.[1]) * factor);
}

const MEGABYTES: Readonly<Record<string, number>> = { '': 1 / 1_048_576, b: 1 / 1_048_576, k: 1 / 1024, m: 1, g: 1024 };

const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, on: true, '1': true },
  ...{ false: false, no: false, off: false, '0': false },
};

/** A boolean as those programs and their files spell it, in any case; any other value stays as it is. */
function parseBoolean(value: unknown): unknown {
  const text = String(value).trim().toLowerCase();
  return Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : value;
}

/** Of `network_disabled`. */
function policyOf(isDisabled: unknown): unknown {
  if (isDisabled === true) return 'none';
  return isDisabled === false ? 'full' : isDisabled;
}

function ignored(instead: string): string {
  return `is not supported and was ignored: ${instead}.`;
}
