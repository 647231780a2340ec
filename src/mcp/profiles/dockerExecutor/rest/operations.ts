import { EXECUTION_OPERATIONS } from './executionOperations.ts';
import { FILE_OPERATIONS } from './fileOperations.ts';
import { IMAGE_OPERATIONS } from './imageOperations.ts';
import type { Operation } from './operation.ts';

/** All operations. The first whose path matches handles a request. */
export const OPERATIONS: readonly Operation[] = [...IMAGE_OPERATIONS, ...EXECUTION_OPERATIONS, ...FILE_OPERATIONS];

/** The operations at a path, with the id in it. */
export function operationsAt(path: string): { readonly id: string; readonly operations: readonly Operation[] } {
  const matches = OPERATIONS.flatMap((operation) => {
    const match = PATTERNS.get(operation.path)?.exec(path);
    return match ? [{ operation, id: match[1] ?? '' }] : [];
  });
  const first = matches[0]?.operation.path;
  return {
    id: matches[0]?.id ?? '',
    operations: matches.map(({ operation }) => operation).filter((operation) => operation.path === first),
  };
}

const PATTERNS: ReadonlyMap<string, RegExp> = new Map(
  OPERATIONS.map(({ path }) => [path, new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`)]),
);
