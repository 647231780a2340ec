import { deferred } from '../../../base/deferred.ts';
import { Emitter, type Event } from '../../../base/event.ts';
import type { Steps } from '../../../base/slices.ts';
import type { LineTable } from '../text/position.ts';
import {
  type Answer,
  type Crashed,
  type NoAnswer,
  type Refusal,
  refusal,
  type Settled,
  waitRefusal,
} from './answers.ts';
import type { MessageSize, RpcConnection, RpcError, RpcResult } from './connection.ts';
import { DiagnosticsState } from './diagnosticsState.ts';
import { DocumentText, type Edit } from './documentText.ts';
import {
  type Diagnostic,
  type FileProgress,
  type Position,
  type PublishDiagnostics,
  type Range,
  reader,
} from './messages.ts';
import {
  type Completions,
  type DocumentSymbol,
  Hover,
  Places,
  PlainGoal,
  PlainTermGoal,
  readCompletions,
  readKeywords,
  readSymbols,
} from './queryResults.ts';

export type { Answer, NoAnswer, Settled, SettledVersion } from './answers.ts';

/** One opening of the document at the server, which starts a worker for it; reports about an earlier opening do not count. */
type State = { kind: 'open' } | { kind: 'crashed'; readonly crash: Crashed } | { kind: 'closed' };

const SUPERSEDED = { kind: 'superseded' } as const;

/** One publication of diagnostics of the current version. */
export interface Publication {
  readonly version: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Adds to the version's earlier publications; any other publication replaces them. */
  readonly isIncremental: boolean;
  readonly size: MessageSize;
}

const readHover = reader(Hover, 'hover');
const readPlaces = reader(Places, 'definition');
const readPlainGoal = reader(PlainGoal, 'goal');
const readPlainTermGoal = reader(PlainTermGoal, 'term goal');

/**
 * One open document of a server. Its versions only grow, from one opening to the next too, so late messages from an
 * earlier worker never count for a later version.
 */
export class LeanDocument {
  readonly #connection: RpcConnection;
  readonly #onClosed: () => void;
  readonly #published = new Emitter<Publication>();
  #text: DocumentText;
  #current: DiagnosticsState;
  #superseded = deferred<typeof SUPERSEDED>();
  #state: State = { kind: 'open' };
  /** Whether any publication has named the version that its diagnostics belong to. */
  #versioned = false;

  /** Fired for each publication of the current version. */
  readonly onDiagnostics: Event<Publication> = this.#published.event;

  /** Opens the document at the server. `close` calls `onClosed`. */
  constructor(
    connection: RpcConnection,
    readonly uri: string,
    text: string,
    version: number,
    onClosed: () => void,
  ) {
    this.#connection = connection;
    this.#text = new DocumentText(text);
    this.#current = new DiagnosticsState(version);
    this.#onClosed = onClosed;
    this.#open();
  }

  get text(): string {
    return this.#text.table.text;
  }

  /** The lines of the text, for reading only. */
  get table(): LineTable {
    return this.#text.table;
  }

  /** The version of the current text. */
  get version(): number {
    return this.#current.version;
  }

  /** The size on the wire of the current version's diagnostics so far, in bytes. */
  get diagnosticBytes(): number {
    return this.#current.bytes;
  }

  /** How many diagnostics of the current version have arrived so far. */
  get diagnosticCount(): number {
    return this.#current.diagnostics.length;
  }

  /** Whether its worker died; `reopen` starts another. */
  get crashed(): boolean {
    return this.#state.kind === 'crashed';
  }

  /**
   * Applies the edits in order as one new version; each applies to the result of the one before. A crashed document sends
   * no change to the server. Throws `RangeError` for an offset outside the text or within a surrogate pair; the document
   * is then unchanged.
   */
  edit(...edits: readonly Edit[]): void {
    this.#refuseClosed();
    const contentChanges = this.#text.apply(edits);
    this.#next();
    if (this.#state.kind !== 'open') return;
    const textDocument = { uri: this.uri, version: this.version };
    this.#connection.notify('textDocument/didChange', { textDocument, contentChanges });
  }

  /** Replaces everything after the UTF-16 offset, as `edit` does. */
  replaceFrom(offset: number, text: string): void {
    this.edit({ from: offset, to: this.text.length, text });
  }

  /** Ends its worker and starts another on the same text, or on `text`, also after a crash. */
  reopen(text = this.text): void {
    this.#refuseClosed();
    this.#text = new DocumentText(text);
    this.#next();
    this.#closeAtServer();
    this.#open();
  }

  /** Ends its worker; pending requests are superseded. A second call does nothing. */
  close(): void {
    if (this.#state.kind === 'closed') return;
    this.#closeAtServer();
    this.#state = { kind: 'closed' };
    this.#superseded.resolve(SUPERSEDED);
    this.#onClosed();
  }

  /** Waits until all diagnostics of the current version have arrived. Never rejects. */
  async settled(signal?: AbortSignal): Promise<Settled> {
    const state = this.#current;
    const { version } = state;
    const params = { uri: this.uri, version };
    const answer = await this.#ask('textDocument/waitForDiagnostics', params, waitRefusal, signal);
    if (answer.kind !== 'result') return answer;
    if (!state.isPublished) return { kind: 'unchecked', version };
    return { kind: 'settled', version, diagnostics: [...state.diagnostics], fatalAt: state.stoppedAt };
  }

  /** The goals of the tactic proof at a position, once Lean has processed it. */
  plainGoal(position: Position, signal?: AbortSignal): Promise<Answer<PlainGoal>> {
    return this.#query(readPlainGoal, '$/lean/plainGoal', { position }, signal);
  }

  /** The expected type of the term at a position, once Lean has processed it. */
  plainTermGoal(position: Position, signal?: AbortSignal): Promise<Answer<PlainTermGoal>> {
    return this.#query(readPlainTermGoal, '$/lean/plainTermGoal', { position }, signal);
  }

  hover(position: Position, signal?: AbortSignal): Promise<Answer<Hover>> {
    return this.#query(readHover, 'textDocument/hover', { position }, signal);
  }

  completion(position: Position, signal?: AbortSignal): Promise<Answer<Completions>> {
    return this.#query(readCompletions, 'textDocument/completion', { position }, signal);
  }

  definition(position: Position, signal?: AbortSignal): Promise<Answer<Places>> {
    return this.#query(readPlaces, 'textDocument/definition', { position }, signal);
  }

  documentSymbols(signal?: AbortSignal): Promise<Answer<DocumentSymbol[]>> {
    return this.#query(readSymbols, 'textDocument/documentSymbol', {}, signal);
  }

  /** The places of the keywords in the range, as Lean reads the text. */
  keywords(range: Range, signal?: AbortSignal): Promise<Answer<Position[]>> {
    return this.#query(readKeywords, 'textDocument/semanticTokens/range', { range }, signal);
  }

  /** Adds a publication of the server; ignores one of any version but the current. */
  receiveDiagnostics(published: PublishDiagnostics, size: MessageSize): void {
    if (!this.#isCurrent(published.version)) return;
    this.#current.publish(published, size.bytes);
    const { diagnostics, isIncremental } = published;
    this.#published.fire({ version: this.version, diagnostics, isIncremental, size });
  }

  /** Records the server's progress; ignores that of any version but the current. */
  receiveProgress({ version = this.version, stoppedAt }: FileProgress): void {
    if (version !== this.version) return;
    this.#current.setProgress(stoppedAt);
  }

  /** Diagnostics without a version belong to the current one, unless this server has named versions before. */
  #isCurrent(version: number | undefined): boolean {
    if (version === undefined) return !this.#versioned;
    this.#versioned = true;
    return version === this.version;
  }

  #open(): void {
    this.#state = { kind: 'open' };
    const textDocument = { uri: this.uri, languageId: 'lean4', version: this.version, text: this.text };
    this.#connection.notify('textDocument/didOpen', { textDocument });
  }

  #closeAtServer(): void {
    this.#connection.notify('textDocument/didClose', { textDocument: { uri: this.uri } });
  }

  #refuseClosed(): void {
    if (this.#state.kind === 'closed') throw new Error(`the document ${this.uri} is closed`);
  }

  #next(): void {
    this.#current = new DiagnosticsState(this.version + 1);
    this.#superseded.resolve(SUPERSEDED);
    this.#superseded = deferred();
  }

  async #query<T>(
    read: (value: unknown) => Steps<T>,
    method: string,
    params: object,
    signal?: AbortSignal,
  ): Promise<Answer<T>> {
    const textDocument = { uri: this.uri };
    const answer = await this.#ask(method, { textDocument, ...params }, refusal, signal);
    if (answer.kind !== 'result') return answer;
    const parsed = await this.#connection.parsed(read(answer.value));
    return parsed.kind === 'lost' ? parsed : { kind: 'ok', value: parsed.value };
  }

  /** Stops waiting when the request is superseded: old servers never answer one whose text an edit removed. */
  async #ask<R extends Refusal>(
    method: string,
    params: object,
    refused: (error: RpcError) => R,
    signal?: AbortSignal,
  ): Promise<RpcResult | R | NoAnswer> {
    const state = this.#state;
    if (state.kind === 'crashed') return state.crash;
    if (state.kind === 'closed') return SUPERSEDED;
    const { promise: superseded } = this.#superseded;
    const answered = this.#connection.request(method, params, signal).then((answer) => {
      return answer.kind === 'error' ? this.#recordCrash(refused(answer), state) : answer;
    });
    return Promise.race([superseded, answered]);
  }

  /** A crash counts for the opening it happened in, even when the request that reports it was superseded. */
  #recordCrash<R extends Refusal>(refused: R, state: State): R {
    if (refused.kind === 'crashed' && state === this.#state) this.#state = { kind: 'crashed', crash: refused };
    return refused;
  }
}
