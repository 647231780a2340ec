import { type Clock, systemClock } from '../../base/clock.ts';
import { type Deferred, deferred } from '../../base/deferred.ts';
import type { Disposable } from '../../base/disposable.ts';
import { messageOf } from '../../base/log.ts';
import {
  encodeFileMessage,
  FILE_WINDOW_BYTES,
  type FileControl,
  type FileMessage,
  FileMessageDecoder,
  type FileRequest,
} from '../../protocol/fileMessages.ts';
import type { Channel, ChannelEnd, Sandbox } from '../sandbox.ts';
import { FileError } from './fileError.ts';

/** A process that owes an answer and sends nothing for so long hangs: user code has stopped it. A slow machine gives it longer. */
const SILENT_MS = 30_000;
/** More than what a process may send before the engine asks for more. */
const MAX_UNREAD_BYTES = FILE_WINDOW_BYTES + 2 * 1024 * 1024;
/** Time for a put to remove what it has written when it is cancelled. */
const LEAVE_MS = 2_000;

/** A message and its body. */
export interface FileReply {
  readonly head: FileMessage;
  readonly body: Buffer;
}

/** One `files` process: requests go in, messages come out, one request at a time. */
export class FilesProcess {
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #decoder = new FileMessageDecoder();
  #waiter: Deferred<void> | undefined;
  #end: string | undefined;
  /** What the request that is being served is about, for errors. */
  path = '';

  constructor(sandbox: Sandbox, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#channel = sandbox.start({ kind: 'files' }, { onStdout: (bytes) => this.#receive(bytes), onStderr: () => {} });
    void this.#channel.ended.then((end) => this.#over(reasonOf(end)));
  }

  /** Resolves when there is room for more. */
  async send(head: FileRequest | FileControl, body?: Uint8Array): Promise<void> {
    const late = this.#limitSilence();
    await this.#channel.write(encodeFileMessage(head, body));
    late.dispose();
  }

  /** The next message. Rejects with a `FileError` for an `error`, and when none comes. */
  async receive(): Promise<FileReply> {
    const reply = await this.#next();
    if (reply.head.op === 'error') throw new FileError(reply.head.kind, this.path, reply.head.reason);
    return reply;
  }

  /** Ends it once it has finished, or has removed what it has not finished. */
  close(): void {
    this.#channel.closeInput();
    const late = this.#clock.schedule(LEAVE_MS, () => void this.#channel.signal('SIGKILL'));
    void this.#channel.ended.then(() => late.dispose());
    this.#over('it was closed');
  }

  async #next(): Promise<FileReply> {
    for (;;) {
      const reply = this.#decode();
      if (reply) return reply;
      if (this.#end !== undefined) throw new FileError('sandbox_lost', this.path, this.#end);
      const waiter = deferred<void>();
      this.#waiter = waiter;
      const late = this.#limitSilence();
      await waiter.promise;
      late.dispose();
    }
  }

  #limitSilence(): Disposable {
    const ms = SILENT_MS * this.#clock.slowness();
    return this.#clock.schedule(ms, () => this.#fail(`nothing was heard of it for ${ms / 1000} s`));
  }

  #decode(): FileReply | undefined {
    try {
      return this.#decoder.next();
    } catch (error) {
      this.#fail(`its answer makes no sense: ${messageOf(error).slice(0, 200)}`);
      return undefined;
    }
  }

  #receive(bytes: Buffer): void {
    if (this.#end !== undefined) return;
    this.#decoder.feed(bytes);
    if (this.#decoder.length > MAX_UNREAD_BYTES) this.#fail('it sent more than was asked for');
    this.#waiter?.resolve();
  }

  #fail(reason: string): void {
    if (this.#end !== undefined) return;
    void this.#channel.signal('SIGKILL');
    this.#over(`the process that serves files has failed: ${reason}`);
  }

  #over(reason: string): void {
    this.#end ??= reason;
    this.#waiter?.resolve();
  }
}

function reasonOf(end: ChannelEnd): string {
  if (end.kind === 'lost') return `the sandbox was lost: ${end.loss.reason}`;
  const { code, signal, failure } = end.exit;
  if (failure !== null) return `no process can start: ${failure}`;
  return `the process that serves files has ended with ${signal === null ? `status ${code}` : `signal ${signal}`}`;
}
