import { RpcConnection, type Transport } from './connection.ts';
import { LeanDocument } from './document.ts';
import { FileProgress, Initialized, PublishDiagnostics, parse } from './messages.ts';

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

/** A living `lean --server`, old or current. */
export class LeanServer {
  readonly #connection: RpcConnection;
  readonly #documents = new Map<string, LeanDocument>();
  /** The last version that each closed document had. */
  readonly #versions = new Map<string, number>();
  #name: string | null = null;

  private constructor(transport: Transport) {
    this.#connection = new RpcConnection(transport, (method, params) => this.#onNotification(method, params));
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

  /** Bytes the server has sent so far. */
  get receivedBytes(): number {
    return this.#connection.receivedBytes;
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

  #begin(answer: unknown): Started {
    const parsed = this.#connection.parsed(Initialized, answer, 'answer to initialize');
    if (parsed.kind === 'lost') return parsed;
    const { serverInfo } = parsed.value;
    this.#name = serverInfo ? [serverInfo.name, serverInfo.version ?? ''].join(' ').trim() : null;
    this.#connection.notify('initialized', {});
    return { kind: 'started', server: this };
  }

  #onNotification(method: string, params: unknown): void {
    if (method === 'textDocument/publishDiagnostics') {
      const published = parse(PublishDiagnostics, params, 'diagnostics');
      this.#documents.get(published.uri)?.receiveDiagnostics(published);
    } else if (method === '$/lean/fileProgress') {
      const progress = parse(FileProgress, params, 'progress');
      this.#documents.get(progress.textDocument.uri)?.receiveProgress(progress);
    }
  }
}
