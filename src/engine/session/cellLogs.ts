import type { Display, RunResult } from '../types.ts';
import type { KeptOutput } from './cellOutputs.ts';

/** Cells kept of one session. */
export const MAX_KEPT_CELLS = 1_000;
/** Characters of code and output kept of one session, and of all sessions of an engine. */
export const MAX_SESSION_LENGTH = 4 * 1024 * 1024;
export const MAX_TOTAL_LENGTH = 32 * 1024 * 1024;
/** What a number and the like counts. */
const SCALAR_LENGTH = 8;

/** A cell that a session has run. */
export interface KeptCell extends Pick<RunResult, 'runId' | 'error' | 'result'> {
  readonly code: string;
  /** `RunRequest.cell` of its request. */
  readonly cell: string | null;
  /** null when they were too large to be kept; then so are `result` and `report`. */
  readonly outputs: readonly KeptOutput[] | null;
  /** What the language's report says, for a reader. */
  readonly report: string;
}

/** A cell with its number among those of its session, from 1. */
export type CountedCell = KeptCell & { readonly count: number };

/** The cells of a session, in its order. */
export interface SessionCells {
  /** Id of its language. */
  readonly language: string;
  readonly cells: readonly CountedCell[];
  /** Earlier cells that are not kept. */
  readonly dropped: number;
}

interface CellLog {
  readonly cells: Map<string, { readonly cell: CountedCell; readonly length: number }>;
  length: number;
  dropped: number;
  count: number;
}

/** The cells that sessions have run, within the limits above: the oldest of the largest session go first. */
export class CellLogs {
  readonly #logs = new Map<string, CellLog>();
  #length = 0;

  /** Begins to keep the cells of a session that has run `before` cells already. */
  begin(sessionId: string, before: number): CellLog {
    const log = { cells: new Map(), length: 0, dropped: before, count: before };
    this.#logs.set(sessionId, log);
    return log;
  }

  /** Keeps a cell; one of the same `cell` takes the place of the one before. */
  add(sessionId: string, given: KeptCell): void {
    const log = this.#logs.get(sessionId) ?? this.begin(sessionId, 0);
    log.count += 1;
    const kept = bounded(given);
    const entry = { cell: { ...kept, count: log.count }, length: lengthOf(kept) };
    const key = given.cell === null ? `run ${given.runId}` : `cell ${given.cell}`;
    this.#count(log, entry.length - (log.cells.get(key)?.length ?? 0));
    log.cells.set(key, entry);
    while (log.length > MAX_SESSION_LENGTH || log.cells.size > MAX_KEPT_CELLS) this.#dropOldest(log);
    while (this.#length > MAX_TOTAL_LENGTH) this.#dropOldest(this.#largest(log));
  }

  of(sessionId: string): Omit<SessionCells, 'language'> {
    const log = this.#logs.get(sessionId);
    if (!log) return { cells: [], dropped: 0 };
    return { cells: [...log.cells.values()].map(({ cell }) => cell), dropped: log.dropped };
  }

  remove(sessionId: string): void {
    this.#length -= this.#logs.get(sessionId)?.length ?? 0;
    this.#logs.delete(sessionId);
  }

  #count(log: CellLog, length: number): void {
    log.length += length;
    this.#length += length;
  }

  #dropOldest(log: CellLog): void {
    const [oldest] = log.cells;
    if (!oldest) return;
    const [key, { length }] = oldest;
    log.cells.delete(key);
    log.dropped += 1;
    this.#count(log, -length);
  }

  #largest(log: CellLog): CellLog {
    return [...this.#logs.values()].reduce((most, one) => (one.length > most.length ? one : most), log);
  }
}

/** The cell, without output if it is too large for a session by itself. */
function bounded(cell: KeptCell): KeptCell {
  if (lengthOf(cell) <= MAX_SESSION_LENGTH) return cell;
  return { ...cell, outputs: null, result: null, error: cell.error && { ...cell.error, traceback: '' }, report: '' };
}

function lengthOf({ code, outputs, result, error, report }: KeptCell): number {
  const texts = [code, report, error?.name ?? '', error?.message ?? '', error?.traceback ?? ''];
  let length = texts.reduce((sum, text) => sum + text.length, 0) + dataLength(result);
  for (const output of outputs ?? []) {
    length += output.kind === 'display' ? dataLength(output.display.data) : output.text.length + SCALAR_LENGTH;
  }
  return length;
}

/** Counts no further than what is too much anyway. */
function dataLength(data: Display['data'] | null): number {
  let length = 0;
  const left: unknown[] = [data];
  while (left.length > 0 && length <= MAX_SESSION_LENGTH) {
    const value = left.pop();
    if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        length += name.length;
        left.push(inner);
      }
    }
    length += typeof value === 'string' ? value.length : SCALAR_LENGTH;
  }
  return length;
}
