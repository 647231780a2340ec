import type { Session } from '../session/session.ts';
import type { Result } from '../types.ts';
import type {
  FileContent,
  FileCounts,
  FileList,
  FilePut,
  FileRange,
  FileStat,
  InputFile,
  ListOptions,
  MadeFolders,
  OpenedFile,
  PutCounts,
  PutOptions,
} from './types.ts';
import type { Workspace } from './workspace.ts';

/**
 * The files in the workspace of a session, also while a cell runs. Paths are relative to the workspace, or begin with
 * `/workspace/`; no path, link or change of either while a request is served leads out of it. A sandbox's files are in its
 * memory, and end with it. Calls never reject.
 */
export interface SessionFiles {
  /**
   * Writes a file, with missing folders of its path, and gives it its name once all of it is there. What had the name is
   * replaced and never written to, also a link or a pipe; other names of the same file keep the old content.
   */
  put(path: string, content: FileContent, options?: PutOptions, signal?: AbortSignal): Promise<Result<FilePut>>;
  /**
   * Puts files one after the other, as `put` does and faster than single calls; `onPut` is called after each. Without room
   * for all of them none is written. The first that fails ends it, and so does `signal`; those before it stay.
   */
  putAll(
    files: readonly InputFile[],
    options?: { readonly onPut?: (file: InputFile) => void },
    signal?: AbortSignal,
  ): Promise<Result<PutCounts>>;
  /**
   * Opens a regular file or a range of it. The content is read from the sandbox as it is read here; read it to its end or
   * destroy it. It ends with an error when the file gets shorter meanwhile, the sandbox goes or `signal` aborts.
   */
  get(path: string, range?: FileRange, signal?: AbortSignal): Promise<Result<OpenedFile>>;
  /** Entries of a folder, `''` for the workspace, in the order of their names; links are listed, not followed. */
  list(path: string, options?: ListOptions, signal?: AbortSignal): Promise<Result<FileList>>;
  /** The bytes that files can still take. */
  room(signal?: AbortSignal): Promise<Result<number>>;
  /** What is at a path; of a folder with the number and bytes of everything in it. */
  stat(path: string, signal?: AbortSignal): Promise<Result<FileStat>>;
  /** Makes a folder and those above it; fine where they exist. */
  makeFolder(path: string, signal?: AbortSignal): Promise<Result<MadeFolders>>;
  /** Removes a file, a link, or a folder: with `recursive` also one that is not empty. Cancelled, it may be half done. */
  remove(path: string, options?: { readonly recursive?: boolean }, signal?: AbortSignal): Promise<Result<FileCounts>>;
}

/** The requests that change nothing; `over` ends them and refuses those that come later. */
export function workspaceFiles(workspace: Workspace, over?: AbortSignal): Pick<SessionFiles, 'get' | 'list' | 'stat'> {
  const until = (signal?: AbortSignal) => (over && signal ? AbortSignal.any([over, signal]) : (over ?? signal));
  return {
    get: (path, range, signal) => workspace.get(path, range, until(signal)),
    list: (path, options, signal) => workspace.ask(path, (files, inner) => files.list(inner, options), until(signal)),
    stat: (path, signal) => workspace.ask(path, (files, inner) => files.stat(inner), until(signal)),
  };
}

/** The files of the session that `find` gives for each call. */
export function sessionFiles(find: () => Result<Session>): SessionFiles {
  const within = async <T>(act: (workspace: Workspace, session: Session) => Promise<Result<T>>): Promise<Result<T>> => {
    const found = find();
    if (!found.ok) return found;
    const workspace = found.value.workspace();
    return workspace.ok ? act(workspace.value, found.value) : workspace;
  };
  return {
    put: (path, content, options, signal) =>
      within((workspace, session) => workspace.put(path, content, options, session.idleCheck(), signal)),
    putAll: (files, { onPut = () => {} } = {}, signal) =>
      within((workspace, session) => workspace.putAll(files, onPut, session.idleCheck(), signal)),
    room: (signal) => within((workspace) => workspace.ask('', (files) => files.room(), signal)),
    get: (path, range, signal) => within((workspace) => workspaceFiles(workspace).get(path, range, signal)),
    list: (path, options, signal) => within((workspace) => workspaceFiles(workspace).list(path, options, signal)),
    stat: (path, signal) => within((workspace) => workspaceFiles(workspace).stat(path, signal)),
    makeFolder: (path, signal) =>
      within((workspace) => workspace.ask(path, (files, inner) => files.makeFolder(inner), signal)),
    remove: (path, { recursive = false } = {}, signal) =>
      within((workspace) => workspace.ask(path, (files, inner) => files.remove(inner, recursive), signal)),
  };
}
