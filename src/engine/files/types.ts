import type { FileFailureKind } from '../../sandbox/files/fileError.ts';
import type {
  FileAnswer,
  FileContent,
  FileRange,
  ListOptions,
  OpenedFile,
  PutOptions,
} from '../../sandbox/files/sandboxFiles.ts';

export type { FileContent, FileRange, ListOptions, OpenedFile, PutOptions };

/**
 * What is at a path. Sizes in bytes, times in milliseconds since the epoch. In paths a byte that is not UTF-8 is a character
 * U+DC80 to U+DCFF; such a path can be used in requests. Names are user code's: they may hold line ends and escape sequences.
 */
export type FileStat = FileAnswer<'stat'>;
/** A page of a list, with the numbers and bytes of its entries; `next` is the cursor of the next page. */
export type FileList = FileAnswer<'list'>;
export type FileEntry = FileList['entries'][number];
/** What was removed. */
export type FileCounts = FileAnswer<'remove'>;
export type FilePut = FileAnswer<'put'>;
export type MadeFolders = FileAnswer<'make'>;

/** The files that a run made or changed: the first of them in the order of their paths, and the number and bytes of all. */
export type ChangedFiles = Pick<FileAnswer<'changes'>, 'files' | 'count' | 'bytes' | 'skipped'>;

/** A file for a one-shot run, or one of many that are put together. */
export interface InputFile {
  readonly path: string;
  /** A function gives the content again, where another sandbox has to take the run. */
  readonly content: string | Uint8Array | (() => AsyncIterable<Uint8Array>);
  /** Bytes of what a function gives, where they are known: without room for all files none is written. */
  readonly size?: number;
}

/** What was put. */
export interface PutCounts {
  readonly files: number;
  readonly bytes: number;
}

/** Why a request about a file was refused. */
export type FileProblemKind = Exclude<FileFailureKind, 'cancelled' | 'failed'> | 'file_failed';

/** Where a sandbox has the volume of a view, and where its session reads the files. */
export const VIEW = '/view';
export const VIEW_FOLDER = `${VIEW}/files`;
