import type { CopyLosses } from '../../languages/language.ts';
import type { RunResult } from '../types.ts';

/** Code to try on a copy of a session. */
export interface Candidate {
  /** Names it in the results; default: its position in the list, from `1`. */
  readonly id?: string;
  readonly code: string;
}

/** The value of `TryOptions.keep` that keeps the first candidate in the list with status `ok`. */
export const FIRST_OK = 'first_ok';
/** Candidates of one call. */
export const MAX_CANDIDATES = 20;

/** How candidates are tried. */
export interface TryOptions {
  /** Of each candidate, in seconds; defaults to `limits.timeoutSeconds`. */
  readonly timeoutSeconds?: number;
  /** The id of a candidate, or `FIRST_OK`: its copy becomes the session if its status is `ok`. Default: none. */
  readonly keep?: string;
}

/** What the candidates did. */
export interface TryResult {
  /** In the order of the candidates; `result` is that of a run in the session, without `files`. */
  readonly candidates: readonly { readonly id: string; readonly result: RunResult }[];
  /** The candidate whose copy is the session now; null when the session is as it was. */
  readonly kept: string | null;
  /** What the copies did not have of the session. */
  readonly losses: CopyLosses;
}
