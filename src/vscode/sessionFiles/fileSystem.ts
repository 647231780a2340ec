import {
  type Disposable,
  EventEmitter,
  type FileChangeEvent,
  type FileStat,
  FileSystemError,
  type FileSystemProvider,
  FileType,
  Uri,
} from 'vscode';
import type { FileEntry } from '../../engine/files/types.ts';
import type { EngineProblem, Result } from '../../engine/types.ts';
import type { EngineHandle } from '../engineHandle.ts';
import { formatProblem } from '../format.ts';

export const SCHEME = 'hothouse';
/** Larger files can be saved and not opened: VS Code holds a whole file in memory. */
const MAX_BYTES = 50 * 1024 * 1024;
const TYPES = { file: FileType.File, folder: FileType.Directory, link: FileType.SymbolicLink, other: FileType.Unknown };

/** A file of a session. */
export interface SessionFile {
  readonly sessionId: string;
  /** In the workspace; empty for itself. */
  readonly path: string;
}

/** The same address as for agents: `hothouse://sessions/py-3f9a2c81/files/data/sales.csv`. */
export function uriOf({ sessionId, path }: SessionFile): Uri {
  return Uri.from({ scheme: SCHEME, authority: 'sessions', path: `/${sessionId}/files/${path}` });
}

function fileOf({ path }: Uri): SessionFile {
  const [, sessionId = '', , ...names] = path.split('/');
  return { sessionId, path: names.join('/') };
}

/** The files of open sessions, read-only. */
export class SessionFileSystem implements FileSystemProvider {
  readonly #handle: EngineHandle;
  readonly #changed = new EventEmitter<FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  constructor(handle: EngineHandle) {
    this.#handle = handle;
  }

  watch(): Disposable {
    return { dispose() {} };
  }

  async stat(uri: Uri): Promise<FileStat> {
    const { sessionId, path } = fileOf(uri);
    const { type, size, modifiedMs } = orThrow(await this.#files(sessionId).stat(path), uri);
    return { type: TYPES[type], size, ctime: 0, mtime: modifiedMs };
  }

  async readDirectory(uri: Uri): Promise<[string, FileType][]> {
    const { sessionId, path } = fileOf(uri);
    const { entries } = orThrow(await this.#files(sessionId).list(path), uri);
    return entries.map((entry) => [nameOf(entry), TYPES[entry.type]]);
  }

  async readFile(uri: Uri): Promise<Uint8Array> {
    const { sessionId, path } = fileOf(uri);
    const { size, content } = orThrow(await this.#files(sessionId).get(path), uri);
    if (size <= MAX_BYTES) return Buffer.concat(await content.toArray());
    content.destroy();
    throw FileSystemError.Unavailable(
      `${path} has ${size} bytes, which is too large to open. Save it to the workspace.`,
    );
  }

  createDirectory(uri: Uri): never {
    throw FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: Uri): never {
    throw FileSystemError.NoPermissions(uri);
  }

  delete(uri: Uri): never {
    throw FileSystemError.NoPermissions(uri);
  }

  rename(uri: Uri): never {
    throw FileSystemError.NoPermissions(uri);
  }

  #files(sessionId: string) {
    const engine = this.#handle.current;
    if (!engine) throw FileSystemError.Unavailable('The session has ended.');
    return engine.files(sessionId);
  }
}

/** The last name of an entry's path. */
export function nameOf({ path }: Pick<FileEntry, 'path'>): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function orThrow<T>(result: Result<T>, uri: Uri): T {
  if (result.ok) return result.value;
  throw errorOf(result.error, uri);
}

function errorOf(problem: EngineProblem, uri: Uri): FileSystemError {
  if (problem.kind === 'not_found') return FileSystemError.FileNotFound(uri);
  return FileSystemError.Unavailable(formatProblem(problem));
}
