import type { Channel, ChannelEnd, Sandbox } from '../../../sandbox/sandbox.ts';
import type { Transport } from '../lsp/connection.ts';
import { leanStart } from './leanProcess.ts';

/** A server runs as long as its sandbox, so its output has no limit; the connection bounds each message. */
const SERVER_BYTES = Number.MAX_SAFE_INTEGER;

/** How a server's process ended. */
export interface ServerEnd {
  /** For messages. */
  readonly reason: string;
  readonly end: ChannelEnd;
}

/** `lean --server` in a sandbox. */
export class ServerTransport implements Transport {
  onBytes: (bytes: Buffer) => void = () => {};
  readonly ended: Promise<string>;
  /** The same end with its details. */
  readonly end: Promise<ServerEnd>;
  readonly #channel: Channel;

  /** Starts it with these command-line options. */
  constructor(sandbox: Sandbox, options: readonly string[]) {
    this.#channel = sandbox.start(leanStart(['--server', ...options], SERVER_BYTES), {
      onStdout: (bytes) => this.onBytes(bytes),
      // User code and the server write here; no answer comes this way.
      onStderr: () => {},
    });
    this.end = this.#channel.ended.then((end) => ({ end, reason: reasonOf(end) }));
    this.ended = this.end.then(({ reason }) => reason);
  }

  write(bytes: Buffer): void {
    this.#channel.write(bytes);
  }

  kill(): void {
    void this.#channel.signal('SIGKILL');
  }
}

function reasonOf(end: ChannelEnd): string {
  if (end.kind === 'lost') return `its sandbox was lost: ${end.loss.reason}`;
  const { code, signal, failure } = end.exit;
  if (failure !== null) return `it could not be started: ${failure}`;
  return signal === null ? `its process left with exit status ${code}` : `its process was ended by signal ${signal}`;
}
