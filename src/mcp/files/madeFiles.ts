import type { ContentBlock } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { RunRequest, RunResult } from '../../engine/types.ts';
import { printable } from '../printable.ts';
import type { ToolCall } from '../tool.ts';
import { fileUri } from './fileUri.ts';
import { runFilesOf } from './runFiles.ts';

/** Files that a result links to, and those that its text names. */
const MAX_LINKS = 20;

const MadeFile = z.strictObject({
  path: z.string(),
  size: z.int(),
  mime_type: z.string(),
  uri: z.string().nullable().describe('Address as an MCP resource and for `from`; null when the file was not kept.'),
});

/** The files that a run has made or changed. */
export const MadeFiles = z
  .strictObject({
    items: z.array(MadeFile),
    total: z.int().describe('Number of all files, also of those that items lacks.'),
    bytes: z.int(),
  })
  .describe('Files that the run created or changed in its working directory, if any.');
export type MadeFiles = z.infer<typeof MadeFiles>;

/** Keeps the files of a one-shot run, whose sandbox is wiped. */
export function keeper({ engine, owner }: ToolCall): {
  readonly onFiles: NonNullable<RunRequest['onFiles']>;
  filesOf(run: RunResult): MadeFiles | null;
} {
  const runFiles = runFilesOf(engine);
  let keep: ((runId: string) => void) | undefined;
  return {
    async onFiles(files, workspace) {
      const kept = await runFiles.read(files, workspace);
      keep = (runId) => runFiles.keep(runId, owner.id, kept);
    },
    filesOf({ runId, sessionId, files }) {
      if (!files || files.count === 0) return null;
      keep?.(runId);
      const uriOf = (path: string) => {
        if (sessionId !== null) return fileUri({ kind: 'session', id: sessionId, path });
        return runFiles.find(owner, runId, path) && fileUri({ kind: 'run', id: runId, path });
      };
      const items = files.files.map(({ path, size, type, mediaType }) => ({
        path,
        size,
        mime_type: mediaType,
        uri: type === 'file' ? uriOf(path) : null,
      }));
      return { items, total: files.count, bytes: files.bytes };
    },
  };
}

/** Links for clients that read resources. */
export function resourceLinks(files: MadeFiles | null): ContentBlock[] {
  return (files?.items ?? [])
    .slice(0, MAX_LINKS)
    .flatMap(({ uri, path, size, mime_type: mimeType }) =>
      uri === null ? [] : [{ type: 'resource_link' as const, uri, name: printable(path), mimeType, size }],
    );
}

/** The files as lines of text. */
export function filesText({ items, total }: MadeFiles): string {
  const lines = items
    .slice(0, MAX_LINKS)
    .map(({ path, size, uri }) => `${printable(path)} (${size} bytes${uri === null ? ', not kept' : ''})`);
  const more = total > lines.length ? [`and ${total - lines.length} more`] : [];
  return ['[files]', ...lines, ...more].join('\n');
}
