import { ErrorCode, type RpcError } from './connection.ts';
import type { Diagnostic, Position } from './messages.ts';

/** The document's worker process died: nothing is answered until the document is reopened. */
export interface Crashed {
  readonly kind: 'crashed';
  readonly code: number;
  readonly message: string;
}

/** Why there is no answer. */
export type NoAnswer =
  /** The document was edited, reopened or closed meanwhile. */
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
  /** Where Lean stopped for good, for example at a header that failed; what follows was not checked. Else null. */
  readonly fatalAt: Position | null;
}

/**
 * How the wait for a version's diagnostics ended. `unchecked` means that the server is done with the version and
 * published nothing of it, as old servers do behind a header that failed: nothing is known of the text.
 */
export type Settled = SettledVersion | { readonly kind: 'unchecked'; readonly version: number } | NoAnswer;

/** The server refused a question and lives on. */
export interface Failed {
  readonly kind: 'failed';
  readonly code: number;
  readonly message: string;
}

/** How a question about a document ended. */
export type Answer<T> = { readonly kind: 'ok'; readonly value: T } | Failed | NoAnswer;

/** What an error of the server means. */
export type Refusal = Failed | NoAnswer;

const DEAD: readonly number[] = [ErrorCode.workerExited, ErrorCode.workerCrashed];

/** What an error says about a question: only Lean's own codes for a dead worker mean a crash. */
export function refusal({ code, message }: RpcError): Refusal {
  if (code === ErrorCode.contentModified) return { kind: 'superseded' };
  if (code === ErrorCode.requestCancelled) return { kind: 'aborted' };
  return { kind: DEAD.includes(code) ? 'crashed' : 'failed', code, message };
}

/**
 * What an error says about the wait for diagnostics of the current version: it has no other reason to fail than that the
 * document's worker has ended. Current servers say of one that left with exit status 0 that the content was modified.
 */
export function waitRefusal(error: RpcError): NoAnswer {
  const refused = refusal(error);
  return refused.kind === 'aborted' ? refused : { kind: 'crashed', code: error.code, message: error.message };
}
