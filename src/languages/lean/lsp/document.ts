import { deferred } from '../../../base/deferred.ts';
import { Emitter, type Event } from '../../../base/event.ts';
import type { Steps } from '../../../base/slices.ts';
import { LineTable } from '../text/position.ts';
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
import { applyEdit, type ContentChange, type Edit, refuseHalves } from './edits.ts';
import {
  type Completions,
  type Diagnostic,
  type DocumentSymbol,
  type FileProgress,
  Hover,
  Places,
  PlainGoal,
  PlainTermGoal,
  type Position,
  type PublishDiagnostics,
  readCompletions,
  reader,
  readSymbols,
} from './messages.ts';
import { VersionNews } from './versionNews.ts';

export type { Answer, NoAnswer, Settled, SettledVersion } from './answers.ts';
export type { Edit } from './edits.ts';

/** One opening of the document at the server, with a worker of its own; what an earlier one says counts no more. */
type State = { kind: 'open' } | { kind: 'crashed'; readonly crash: Crashed } | { kind: 'closed' };

const SUPERSEDED = { kind: 'superseded' } as const;

/** What the server has published of the current version at one time. */
export interface Publication {
  readonly version: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Added to what was published of the version before; otherwise it is all that there is. */
  readonly isIncremental: boolean;
  readonly size: MessageSize;
}

const readHover = reader(Hover, 'hover');
const readPlaces = reader(Places, 'definition');
const readPlainGoal = reader(PlainGoal, 'goal');
const readPlainTermGoal = reader(PlainTermGoal, 'term goal');

/**
 * One open document of a server. Its versions only grow, also from one opening to the next, so that what an earlier
 * worker says late is never taken for news.
 */
export class LeanDocument {
  readonly #connection: RpcConnection;
  readonly #onClosed: () => void;
  readonly #published = new Emitter<Publication>();
  #table: LineTable;
  #news: VersionNews;
  #superseded = deferred<typeof SUPERSEDED>();
  #state: State = { kind: 'open' };
  /** Whether the server has ever said which version its diagnostics are of. */
  #versioned = false;

  /** Fired for each publication of the current version. */
  readonly onDiagnostics: Event<Publication> = this.#published.event;

  /** Opens it at the server. `onClosed` is called when it is closed. */
  constructor(
    connection: RpcConnection,
    readonly uri: string,
    text: string,
    version: number,
    onClosed: () => void,
  ) {
    this.#connection = connection;
    this.#table = tableOf(text);
    this.#news = new VersionNews(version);
    this.#onClosed = onClosed;
    this.#open();
  }

  get text(): string {
    return this.#table.text;
  }

  /** The text's lines; to be read only. */
  get table(): LineTable {
    return this.#table;
  }

  /** The version of the text as it is now. */
  get version(): number {
    return this.#news.version;
  }

  /** What the diagnostics of the current version took on their way so far, in bytes. */
  get diagnosticBytes(): number {
    return this.#news.bytes;
  }

  /** How many diagnostics of the current version have come so far. */
  get diagnosticCount(): number {
    return this.#news.diagnostics.length;
  }

  /** Whether its worker died; only `reopen` helps. */
  get crashed(): boolean {
    return this.#state.kind === 'crashed';
  }

  /**
   * Makes the edits, each on what the one before it left, as one new version; while it is crashed the server is not
   * told. Throws `RangeError` outside the text or within a surrogate pair, and then nothing has changed.
   */
  edit(...edits: readonly Edit[]): void {
    this.#refuseClosed();
    const contentChanges = this.#applied(edits);
    this.#next();
    if (this.#state.kind !== 'open') return;
    const textDocument = { uri: this.uri, version: this.version };
    this.#connection.notify('textDocument/didChange', { textDocument, contentChanges });
  }

  /** Replaces all that follows the UTF-16 offset, as `edit` does. */
  replaceFrom(offset: number, text: string): void {
    this.edit({ from: offset, to: this.text.length, text });
  }

  /** Adds `text` at the end, as `edit` does. */
  append(text: string): void {
    this.replaceFrom(this.text.length, text);
  }

  /** Ends its worker and starts another one on the same text, or on `text`; ends a crash too. */
  reopen(text = this.text): void {
    this.#refuseClosed();
    this.#table = tableOf(text);
    this.#next();
    this.#closeAtServer();
    this.#open();
  }

  /** Ends its worker; what is under way is superseded. Closing it twice is the same as once. */
  close(): void {
    if (this.#state.kind === 'closed') return;
    this.#closeAtServer();
    this.#state = { kind: 'closed' };
    this.#superseded.resolve(SUPERSEDED);
    this.#onClosed();
  }

  /** Waits until all diagnostics of the current version are in. Never rejects. */
  async settled(signal?: AbortSignal): Promise<Settled> {
    const news = this.#news;
    const { version } = news;
    const params = { uri: this.uri, version };
    const answer = await this.#ask('textDocument/waitForDiagnostics', params, waitRefusal, signal);
    if (answer.kind !== 'result') return answer;
    if (!news.isPublished) return { kind: 'unchecked', version };
    return { kind: 'settled', version, diagnostics: [...news.diagnostics], fatalAt: news.stoppedAt };
  }

  /** The goals of the tactic proof at a place, once Lean has got there. */
  plainGoal(position: Position, signal?: AbortSignal): Promise<Answer<PlainGoal>> {
    return this.#query(readPlainGoal, '$/lean/plainGoal', { position }, signal);
  }

  /** The type expected of the term at a place, once Lean has got there. */
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

  /** Takes what the server published; of another version than the current one it is no news. */
  receiveDiagnostics(published: PublishDiagnostics, size: MessageSize): void {
    if (!this.#isCurrent(published.version)) return;
    this.#news.publish(published, size.bytes);
    const { diagnostics, isIncremental } = published;
    this.#published.fire({ version: this.version, diagnostics, isIncremental, size });
  }

  /** Takes the server's progress. */
  receiveProgress({ version = this.version, stoppedAt }: FileProgress): void {
    if (version !== this.version) return;
    this.#news.progress(stoppedAt);
  }

  /** A server that never tells versions is taken to speak of the current one; one that does is held to it. */
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

  #applied(edits: readonly Edit[]): ContentChange[] {
    const before = this.text;
    try {
      return edits.map((edit) => applyEdit(this.#table, edit));
    } catch (error) {
      this.#table = new LineTable(before);
      throw error;
    }
  }

  #refuseClosed(): void {
    if (this.#state.kind === 'closed') throw new Error(`the document ${this.uri} is closed`);
  }

  #next(): void {
    this.#news = new VersionNews(this.version + 1);
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

  /** A superseded request is not waited for: old servers never answer one whose text was edited away. */
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
      return answer.kind === 'error' ? this.#noted(refused(answer), state) : answer;
    });
    return Promise.race([superseded, answered]);
  }

  /** A crash counts for the opening it happened in, also when nobody waits for the request that tells of it. */
  #noted<R extends Refusal>(refused: R, state: State): R {
    if (refused.kind === 'crashed' && state === this.#state) this.#state = { kind: 'crashed', crash: refused };
    return refused;
  }
}

/** Throws `RangeError` for half of a surrogate pair. */
function tableOf(text: string): LineTable {
  refuseHalves(text);
  return new LineTable(text);
}
