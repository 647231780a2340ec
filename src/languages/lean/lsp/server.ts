import type { Steps } from '../../../base/slices.ts';
import { type Notification, RpcConnection, type Transport } from './connection.ts';
import { LeanDocument } from './document.ts';
import { fileProgressOf, Initialized, readDiagnostics, reader } from './messages.ts';

/** How the start of a server ended. */
export type Started =
  | { readonly kind: 'started'; readonly server: LeanServer }
  /** It answered and would not start. */
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  /** The caller's signal aborted. */
  | { readonly kind: 'aborted' }
  | { readonly kind: 'lost'; readonly reason: string };

/** What a client may ask of the start. */
export interface StartOptions {
  /** Aborting it while the server starts ends the server. */
  readonly signal?: AbortSignal;
}

/** A document to open; no two open documents have the same `uri`. */
export interface OpenOptions {
  readonly uri: string;
  readonly text: string;
}

const INITIALIZE = {
  processId: null,
  rootUri: null,
  capabilities: { lean: { incrementalDiagnosticSupport: true } },
  // Edits come one cell at a time, so there is nothing to wait for; widgets would take text out of the messages.
  initializationOptions: { editDelay: 0, hasWidgets: false },
};

const readInitialized = reader(Initialized, 'answer to initialize');

/** A living `lean --server`, old or current. */
export class LeanServer {
  readonly #connection: RpcConnection;
  readonly #documents = new Map<string, LeanDocument>();
  /** The last version that each closed document had. */
  readonly #versions = new Map<string, number>();
  #name: string | null = null;

  private constructor(transport: Transport) {
    this.#connection = new RpcConnection(transport, (notification) => this.#onNotification(notification));
  }

  /** Starts talking to a server whose process was just started. Never rejects; what fails is killed. */
  static async start(transport: Transport, { signal }: StartOptions = {}): Promise<Started> {
    const server = new LeanServer(transport);
    const answer = await server.#connection.request('initialize', INITIALIZE, signal);
    if (answer.kind === 'error') {
      server.kill();
      return signal?.aborted ? { kind: 'aborted' } : { ...answer, kind: 'refused' };
    }
    return answer.kind === 'lost' ? answer : server.#begin(answer.value);
  }

  /** Why the server is gone; resolves once, never rejects. */
  get lost(): Promise<string> {
    return this.#connection.lost;
  }

  /** Whether it is gone. */
  get isLost(): boolean {
    return this.#connection.isLost;
  }

  /** The server's name and version as it tells them, or null. */
  get name(): string | null {
    return this.#name;
  }

  /** Opens a document; its worker starts at once. Throws when one of that `uri` is open. */
  open({ uri, text }: OpenOptions): LeanDocument {
    if (this.#documents.has(uri)) throw new Error(`the document ${uri} is open already`);
    const version = (this.#versions.get(uri) ?? 0) + 1;
    const document: LeanDocument = new LeanDocument(this.#connection, uri, text, version, () => {
      this.#documents.delete(uri);
      this.#versions.set(uri, document.version);
    });
    this.#documents.set(uri, document);
    return document;
  }

  /** Ends the server and all its workers. */
  kill(): void {
    this.#connection.fail('The Lean server was ended.');
  }

  async #begin(answer: unknown): Promise<Started> {
    const parsed = await this.#connection.parsed(readInitialized(answer));
    if (parsed.kind === 'lost') return parsed;
    const { serverInfo } = parsed.value;
    this.#name = serverInfo ? [serverInfo.name, serverInfo.version ?? ''].join(' ').trim() : null;
    this.#connection.notify('initialized', {});
    return { kind: 'started', server: this };
  }

  *#onNotification({ method, params, size }: Notification): Steps {
    if (method === 'textDocument/publishDiagnostics') {
      yield* readDiagnostics(params, (published, isFirst) => {
        const own = isFirst ? size : { ...size, bytes: 0 };
        this.#documents.get(published.uri)?.receiveDiagnostics(published, own);
      });
    } else if (method === '$/lean/fileProgress') {
      const progress = fileProgressOf(params);
      this.#documents.get(progress.uri)?.receiveProgress(progress);
    }
  }
}
