import type { FileErrorKind } from '../../protocol/fileMessages.ts';

/**
 * Why a request about a file was not done. Beside the kinds that the process in the sandbox answers: `changed`, when a file
 * became shorter while it was read; `sandbox_lost`, when the process or its sandbox ended; `cancelled`.
 */
export type FileFailureKind = FileErrorKind | 'changed' | 'sandbox_lost' | 'cancelled';

/** What `SandboxFiles` rejects with, and what destroys its streams. */
export class FileError extends Error {
  readonly kind: FileFailureKind;
  /** As it was given; empty for the root. */
  readonly path: string;
  /** What happened, as in `it is a folder`. */
  readonly reason: string;

  constructor(kind: FileFailureKind, path: string, reason: string) {
    super(`${JSON.stringify(path)}: ${reason}`);
    this.kind = kind;
    this.path = path;
    this.reason = reason;
  }
}
