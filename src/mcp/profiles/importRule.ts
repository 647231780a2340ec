import type { RunResult } from '../../engine/types.ts';

/** The words of the older servers for an import that a list of modules forbids; null for other ends of a run. */
export function importRule({ error }: Pick<RunResult, 'error'>): string | null {
  if (error?.name !== 'ImportRefused') return null;
  const [, module, list] = /may not import (\S+): it is (on|not on) the list/.exec(error.message) ?? [];
  if (module === undefined) return null;
  return list === 'on'
    ? `Validation error: Import '${module}' is blocked for security reasons`
    : `Validation error: Import '${module}' is not in the allowed list`;
}
