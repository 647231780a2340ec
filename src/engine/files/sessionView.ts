import { messageOf } from '../../base/log.ts';
import { MIRROR_INDEX, type MirrorFile, type MirrorIndex, mirrorArchive, readMirrorIndex } from '../../host/mirror.ts';
import { workspacePath } from '../../sandbox/files/filePath.ts';
import { SandboxFiles } from '../../sandbox/files/sandboxFiles.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { cancelled, problemOf } from '../problems.ts';
import type { Session } from '../session/session.ts';
import type { EngineProblem, Result } from '../types.ts';
import { fileProblem } from './fileProblem.ts';
import { VIEW } from './types.ts';

/** The host's disk keeps so much. */
const MIN_FREE_BYTES = 1024 ** 3;

/** A file of a view; `modifiedMs` and `size` say whether it has changed. */
export type ViewFile = MirrorFile;

/** What a change of a view did. */
export interface ViewChange {
  readonly put: number;
  readonly removed: number;
  readonly bytes: number;
  /** The session had no view before. */
  readonly isFirst: boolean;
}

/**
 * Files that a session reads in `VIEW_FOLDER` and cannot change, as of a folder elsewhere: they are on the host's disk, in a
 * volume of the session's own that goes with its sandbox. Only programs that embed the engine fill it, never a tool.
 */
export interface SessionView {
  /**
   * Makes the view have exactly these files, also while a cell runs; only what has changed is sent. After a failure the
   * next call sends everything again. Calls never reject and take their turns.
   */
  sync(
    files: readonly ViewFile[],
    options?: { readonly onPut?: (file: ViewFile) => void },
    signal?: AbortSignal,
  ): Promise<Result<ViewChange>>;
}

/** What is known of the view of a sandbox. */
interface Known {
  /** null: not known. */
  index: MirrorIndex | null;
  isFirst: boolean;
}

const views = new WeakMap<Sandbox, Promise<Known>>();

/** The view of the session that `find` gives for each call. */
export function sessionView(find: () => Result<Session>): SessionView {
  return {
    async sync(files, { onPut = () => {} } = {}, signal) {
      const found = find();
      if (!found.ok) return found;
      const sandbox = found.value.sandbox();
      if (!sandbox.ok) return sandbox;
      const before = views.get(sandbox.value) ?? readKnown(sandbox.value);
      const change = before.then((known) => sync(sandbox.value, known, files, onPut, signal));
      views.set(
        sandbox.value,
        change.then(({ known }) => known),
      );
      return (await change).result;
    },
  };
}

/** What another engine may have put there. */
async function readKnown(sandbox: Sandbox): Promise<Known> {
  try {
    const index = await readMirrorIndex(await sandbox.getArchive(`${VIEW}/${MIRROR_INDEX}`));
    return { index, isFirst: false };
  } catch {
    return { index: null, isFirst: true };
  }
}

async function sync(
  sandbox: Sandbox,
  known: Known,
  files: readonly ViewFile[],
  onPut: (file: ViewFile) => void,
  signal: AbortSignal | undefined,
): Promise<{ known: Known; result: Result<ViewChange> }> {
  const before = known.index ?? new Map<string, string>();
  const after = new Map<string, string>();
  try {
    for (const file of files) after.set(workspacePath(file.path), stampOf(file));
  } catch (error) {
    return { known, result: { ok: false, error: fileProblem(error, '') } };
  }
  const put = files.filter((file) => before.get(workspacePath(file.path)) !== stampOf(file));
  const removed = [...before.keys()].filter((path) => !after.has(path)).length;
  const bytes = put.reduce((sum, { size }) => sum + size, 0);
  const change = { put: put.length, removed, bytes, isFirst: known.isFirst };
  if (known.index && put.length + removed === 0) return { known, result: { ok: true, value: change } };
  const problem = signal?.aborted ? cancelled() : await roomProblem(sandbox, bytes);
  if (problem) return { known, result: { ok: false, error: problem } };
  const archive = mirrorArchive({ before: known.index, after, put, onPut });
  let broken: Error | null = null;
  const stop = new AbortController();
  archive.once('error', (error) => {
    broken = error;
    // The host would wait for the rest.
    stop.abort();
  });
  try {
    await sandbox.putArchive(VIEW, archive, signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
    if (broken) throw broken;
    return { known: { index: after, isFirst: false }, result: { ok: true, value: change } };
  } catch (error) {
    archive.destroy();
    const isFirst = known.isFirst;
    return { known: { index: null, isFirst }, result: { ok: false, error: syncProblem(broken, error, signal) } };
  }
}

function syncProblem(broken: Error | null, error: unknown, signal: AbortSignal | undefined): EngineProblem {
  if (signal?.aborted) return cancelled();
  if (!broken) return problemOf(error);
  return { kind: 'changed', message: `The view was not updated: ${messageOf(broken)}.`, advice: 'Try again.' };
}

function stampOf({ size, modifiedMs }: ViewFile): string {
  return `${size} ${modifiedMs}`;
}

/** Why the disk of the host has no room; null when it has, or cannot say. */
async function roomProblem(sandbox: Sandbox, bytes: number): Promise<EngineProblem | null> {
  const files = new SandboxFiles(sandbox, { root: 'view' });
  try {
    const free = Math.max(0, (await files.room()) - MIN_FREE_BYTES);
    if (bytes <= free) return null;
    const message = `There is no room for the view: its files have ${bytes} bytes, and ${free} are free on the disk of the sandboxes.`;
    return { kind: 'no_space', message, advice: 'Leave some out, or free space on that disk.' };
  } catch {
    return null;
  } finally {
    files.close();
  }
}
