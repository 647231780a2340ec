import type { z } from 'zod';
import { Options } from './options.ts';

/** One option: `pool.size`, what it accepts and its default. */
export interface OptionKey {
  readonly key: string;
  readonly group: string;
  readonly name: string;
  readonly schema: z.ZodType;
  readonly fallback: unknown;
}

/** Every option, in the order of the schema. */
export const OPTION_KEYS: readonly OptionKey[] = Object.entries(Options.shape).flatMap(([group, groupSchema]) =>
  Object.entries<z.ZodType>(groupSchema.unwrap().shape).map(([name, schema]) => ({
    key: `${group}.${name}`,
    group,
    name,
    schema,
    fallback: schema.parse(undefined),
  })),
);
