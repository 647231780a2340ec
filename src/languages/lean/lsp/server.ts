import type { Steps } from '../../../base/slices.ts';
import { type Notification, RpcConnection, type Transport } from './connection.ts';
import { LeanDocument } from './document.ts';
import { fileProgressOf, Initialized, readDiagnostics, reader } from './messages.ts';

/** How the start of a server ended. */
export type Started =
  | { readonly kind: 'started'; readonly server: LeanServer }
  /** The server answered that it does not start. */
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  | { readonly kind: 'lost'; readonly reason: string };

/** A document to open; no two open documents have the same `uri`. */
export interface OpenOptions {
  readonly uri: string;
  readonly text: string;
}

const INITIALIZE = {
  processId: null,
  rootUri: null,
  capabilities: { lean: { incrementalDiagnosticSupport: true } },
  // Edits arrive one cell at a time, so a delay gains nothing; widgets would move text out of the messages.
  initializationOptions: { editDelay: 0, hasWidgets: false },
};

const readInitialized = reader(Initialized, 'answer to initialize');

/** A running `lean --server`, old or current. */
export class LeanServer {
  readonly #connection: RpcConnection;
  readonly #documents = new Map<string, LeanDocument>();
  /** The last version of each closed document. */
  readonly #versions = new Map<string, number>();

  private constructor(transport: Transport) {
    this.#connection = new RpcConnection(transport, (notification) => this.#onNotification(notification));
  }

  /** Initializes a server whose process was just started. Never rejects; kills a server that fails to start. */
  static async start(transport: Transport): Promise<Started> {
    const server = new LeanServer(transport);
    const answer = await server.#connection.request('initialize', INITIALIZE);
    if (answer.kind === 'error') {
      server.kill();
      return { ...answer, kind: 'refused' };
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

  /** Opens a document; its worker starts at once. Throws if a document with that `uri` is open. */
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
