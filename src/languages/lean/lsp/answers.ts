import { ErrorCode, type RpcError } from './connection.ts';
import type { Diagnostic, Position } from './messages.ts';

/** The document's worker process died: the server answers nothing until the document is reopened. */
export interface Crashed {
  readonly kind: 'crashed';
  readonly code: number;
  readonly message: string;
}

/** Why there is no answer. */
export type NoAnswer =
  /** The document was edited, reopened or closed in the meantime. */
  | { readonly kind: 'superseded' }
  /** The caller's signal aborted. */
  | { readonly kind: 'aborted' }
  | Crashed
  /** The server is gone. */
  | { readonly kind: 'lost'; readonly reason: string };

/** All diagnostics of exactly `version`. */
export interface SettledVersion {
  readonly kind: 'settled';
  readonly version: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Where Lean stopped for good, for example at a failed header; the text after it was not checked. Otherwise null. */
  readonly fatalAt: Position | null;
}

/**
 * How the wait for a version's diagnostics ended. `unchecked` means that the server is done with the version but published
 * nothing about it, as old servers do after a failed header: nothing is known about the text.
 */
export type Settled = SettledVersion | { readonly kind: 'unchecked'; readonly version: number } | NoAnswer;

/** The server refused a request and keeps running. */
export interface Failed {
  readonly kind: 'failed';
  readonly code: number;
  readonly message: string;
}

/** How a request about a document ended. */
export type Answer<T> = { readonly kind: 'ok'; readonly value: T } | Failed | NoAnswer;

/** What an error from the server means. */
export type Refusal = Failed | NoAnswer;

const WORKER_DIED: readonly number[] = [ErrorCode.workerExited, ErrorCode.workerCrashed];

/** What an error means for a request: only Lean's own codes for a dead worker mean a crash. */
export function refusal({ code, message }: RpcError): Refusal {
  if (code === ErrorCode.contentModified) return { kind: 'superseded' };
  if (code === ErrorCode.requestCancelled) return { kind: 'aborted' };
  return { kind: WORKER_DIED.includes(code) ? 'crashed' : 'failed', code, message };
}

/**
 * What an error means for the wait for diagnostics of the current version. That wait fails only when the document's worker
 * has ended; current servers report a worker that exits with status 0 as modified content.
 */
export function waitRefusal(error: RpcError): NoAnswer {
  const refused = refusal(error);
  return refused.kind === 'aborted' ? refused : { kind: 'crashed', code: error.code, message: error.message };
}
