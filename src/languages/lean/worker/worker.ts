import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { ProgramMissing } from '../../language.ts';
import type { LeanDocument } from '../lsp/document.ts';
import { LeanServer } from '../lsp/server.ts';
import { NOT_FOUND } from './leanProcess.ts';
import { ServerTransport } from './serverTransport.ts';

// Not files, so Lean does not search for a Lake project around them; that takes time and could run programs.
const WARM_URI = 'untitled:Check';
const COLD_URI = 'untitled:Cold';

/** Without this option, current versions report nothing for 200 ms after an edit. */
export const AT_ONCE = '-Dserver.reportDelayMs=0';
/** Exit status of a Lean that does not know a command-line option. */
const REFUSED = 1;

/** A Lean server in a sandbox with a warm document: between checks it holds a header that is elaborated once. */
export class LeanWorker {
  readonly sandbox: Sandbox;
  readonly server: LeanServer;
  /** The warm document's header, as `Header.text`. */
  readonly header: string;
  readonly #document: LeanDocument;
  /** An old server reports a header error once, and nothing after later edits. */
  #headerFailed = false;
  #memoryBytes = 0;
  #oomKills = 0;

  private constructor(sandbox: Sandbox, server: LeanServer, header: string) {
    this.sandbox = sandbox;
    this.server = server;
    this.header = header;
    this.#document = server.open({ uri: WARM_URI, text: prefixOf(header) });
  }

  /** Starts a worker; it elaborates its header after this resolves. Rejects with `ProgramMissing` when there is no Lean. */
  static async start(sandbox: Sandbox, header: string): Promise<LeanWorker> {
    const prompt = await startServer(sandbox, [AT_ONCE]);
    // An early version exits because it does not know the option.
    const started = prompt.kind === 'optionUnknown' ? await startServer(sandbox, []) : prompt;
    if (started.kind === 'started') return new LeanWorker(sandbox, started.server, header);
    if (started.kind === 'missing') throw new ProgramMissing('lean');
    throw new Error(`the Lean server did not start: ${started.reason}`);
  }

  /** Resolves when the header is elaborated or has failed. */
  async warmUp(): Promise<void> {
    const settled = await this.#document.settled();
    this.#headerFailed = settled.kind !== 'settled' || settled.fatalAt !== null;
    await this.look();
  }

  /** Memory of the whole sandbox in bytes, at the last `look`. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Processes in the sandbox that the kernel has killed for memory, at the last `look`. */
  get oomKills(): number {
    return this.#oomKills;
  }

  /** Measures the sandbox; keeps the old values when it is lost. Never rejects. */
  async look(): Promise<void> {
    const measured = await this.sandbox.measure().catch(() => null);
    if (!measured) return;
    this.#memoryBytes = measured.memoryBytes;
    this.#oomKills = measured.oomKills;
  }

  /** A document with this header and `body` after it; `close` returns it. One at a time. */
  take(header: string, body: string): OpenDocument {
    const prefix = prefixOf(header);
    const text = prefix + body;
    if (header !== this.header) {
      const document = this.server.open({ uri: COLD_URI, text });
      return { document, close: () => document.close() };
    }
    const document = this.#document;
    if (this.#headerFailed) document.reopen(text);
    else document.replaceFrom(prefix.length, body);
    const close = (headerFailed: boolean) =>
      headerFailed ? document.reopen(prefix) : document.replaceFrom(prefix.length, '');
    return { document, close };
  }
}

/** A document in use. */
export interface OpenDocument {
  readonly document: LeanDocument;
  /** `headerFailed`: the checked code broke the header too, as an unclosed comment does. */
  close(headerFailed: boolean): void;
}

/** The header as a document starts with it: code follows on a line of its own, so that edits leave the header alone. */
export function prefixOf(header: string): string {
  return header === '' ? '\n' : header;
}

type StartEnd =
  | { readonly kind: 'started'; readonly server: LeanServer }
  | { readonly kind: 'missing' }
  /** It does not know a command-line option. */
  | { readonly kind: 'optionUnknown'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

async function startServer(sandbox: Sandbox, options: readonly string[]): Promise<StartEnd> {
  const transport = new ServerTransport(sandbox, options);
  const started = await LeanServer.start(transport);
  if (started.kind === 'started') return started;
  if (started.kind === 'refused') return { kind: 'failed', reason: started.message };
  const { end } = await transport.end;
  if (end.kind !== 'exit') return { kind: 'failed', reason: started.reason };
  const isMissing = end.exit.code === NOT_FOUND || end.exit.failure !== null;
  if (isMissing) return { kind: 'missing' };
  return { kind: end.exit.code === REFUSED ? 'optionUnknown' : 'failed', reason: started.reason };
}
