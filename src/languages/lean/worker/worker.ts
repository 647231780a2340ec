import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { ProgramMissing } from '../../language.ts';
import type { LeanDocument } from '../lsp/document.ts';
import { LeanServer } from '../lsp/server.ts';
import { NOT_FOUND } from './leanProcess.ts';
import { ServerTransport } from './serverTransport.ts';

// No files, so that Lean looks for no project of Lake's around them, which takes time and could be made to run programs.
const WARM_URI = 'untitled:Check';
const COLD_URI = 'untitled:Cold';

/** Without it, current versions say nothing of an edit for 200 ms, for the sake of a calm screen. */
export const AT_ONCE = '-Dserver.reportDelayMs=0';
/** Exit status of a Lean that does not know an option of its command line. */
const REFUSED = 1;

/** A Lean server in a sandbox with a document that holds a header, elaborated once, and nothing behind it between checks. */
export class LeanWorker {
  readonly sandbox: Sandbox;
  readonly server: LeanServer;
  /** The warm document's header, as `Header.text`. */
  readonly header: string;
  readonly #document: LeanDocument;
  /** An old server says once what is wrong with a header, and nothing after an edit behind it. */
  #headerFailed = false;
  #memoryBytes = 0;
  #oomKills = 0;

  private constructor(sandbox: Sandbox, server: LeanServer, header: string) {
    this.sandbox = sandbox;
    this.server = server;
    this.header = header;
    this.#document = server.open({ uri: WARM_URI, text: prefixOf(header) });
  }

  /** Starts one; its header is being elaborated when this resolves. Rejects with `ProgramMissing` where there is no Lean. */
  static async start(sandbox: Sandbox, header: string): Promise<LeanWorker> {
    const prompt = await startServer(sandbox, [AT_ONCE]);
    // An early version does not know the option, and leaves.
    const started = prompt.kind === 'optionUnknown' ? await startServer(sandbox, []) : prompt;
    if (started.kind === 'started') return new LeanWorker(sandbox, started.server, header);
    if (started.kind === 'missing') throw new ProgramMissing('lean');
    throw new Error(`the Lean server did not start: ${started.reason}`);
  }

  /** Resolves when the header is elaborated, or has failed to be. */
  async warmUp(): Promise<void> {
    const settled = await this.#document.settled();
    this.#headerFailed = settled.kind !== 'settled' || settled.fatalAt !== null;
    await this.look();
  }

  /** Memory of the whole sandbox in bytes, as it was when it was last looked at. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Processes in the sandbox that the kernel has killed for memory, as it was when it was last looked at. */
  get oomKills(): number {
    return this.#oomKills;
  }

  /** Looks how much memory the sandbox uses; of one that is gone nothing new is known. Never rejects. */
  async look(): Promise<void> {
    const measured = await this.sandbox.measure().catch(() => null);
    if (!measured) return;
    this.#memoryBytes = measured.memoryBytes;
    this.#oomKills = measured.oomKills;
  }

  /** A document of this header with `body` behind it; `close` gives it back. One at a time. */
  take(header: string, body: string): Taken {
    const prefix = prefixOf(header);
    const text = prefix + body;
    if (header !== this.header) {
      const document = this.server.open({ uri: COLD_URI, text });
      return { document, start: prefix.length, close: () => document.close() };
    }
    const document = this.#document;
    if (this.#headerFailed) document.reopen(text);
    else document.replaceFrom(prefix.length, body);
    const close = (headerFailed: boolean) =>
      headerFailed ? document.reopen(prefix) : document.replaceFrom(prefix.length, '');
    return { document, start: prefix.length, close };
  }
}

/** A document in use. */
export interface Taken {
  readonly document: LeanDocument;
  /** Where the body begins. */
  readonly start: number;
  /** `headerFailed`: what was checked has broken the header too, as a comment without an end does. */
  close(headerFailed: boolean): void;
}

/** A document with the header alone. Code begins on a line of its own, so that editing it leaves the header be. */
export function prefixOf(header: string): string {
  return header === '' ? '\n' : header;
}

type StartEnd =
  | { readonly kind: 'started'; readonly server: LeanServer }
  | { readonly kind: 'missing' }
  /** It does not know an option of its command line. */
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
