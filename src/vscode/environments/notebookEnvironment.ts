import type { NotebookDocument } from 'vscode';

/** Key of our values in the metadata of a notebook. */
export const METADATA_KEY = 'hothouse';

/** The environment that a notebook names; undefined for the language's own. It must exist to be used. */
export function environmentOf({ metadata }: Pick<NotebookDocument, 'metadata'>): string | undefined {
  const own: unknown = metadata[METADATA_KEY];
  const name = typeof own === 'object' && own !== null && 'environment' in own ? own.environment : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
