import { setImmediate, setTimeout } from 'node:timers/promises';
import { deferred } from '../../../../src/base/deferred.ts';
import type { Transport } from '../../../../src/languages/lean/lsp/connection.ts';
import { encodeMessage } from '../../../../src/languages/lean/lsp/framing.ts';
import { Aliases } from './aliases.ts';
import { Messages } from './messages.ts';
import { isObject, type ScriptLine } from './script.ts';

/** How the server's bytes reach the client. */
export interface Delivery {
  /**
   * `messages` one by one (the default), `together` all that follow one another, `bytes` one by one, or a number:
   * pieces of random sizes, the same for the same number.
   */
  readonly split?: 'messages' | 'together' | 'bytes' | number;
  /** Time before each message, in ms. */
  readonly delayMs?: number;
  /** The process ends after that many messages of the server, and that many bytes of the next one. */
  readonly endAfter?: { readonly messages: number; readonly bytes?: number };
}

/**
 * A Lean server that follows a script: it awaits the client's messages in order and sends the server's messages that
 * follow each. Ids, uris and versions may differ from the script's, and `$/cancelRequest` may arrive at any time. An
 * unexpected message ends the server with a reason that names the expected one.
 */
export class ScriptedServer implements Transport {
  readonly #script: readonly ScriptLine[];
  readonly #delivery: Delivery;
  readonly #decoder = new Messages();
  readonly #aliases = new Aliases();
  readonly #ended = deferred<string>();
  readonly #random: () => number;
  #at = 0;
  #sent = 0;
  #over = false;
  #sending: Promise<void> = Promise.resolve();
  onBytes: (bytes: Buffer) => void = () => {};
  readonly ended = this.#ended.promise;
  /** The methods of the client's messages, in order; an answer to the server counts as `answer`. */
  readonly received: string[] = [];

  constructor(script: readonly ScriptLine[], delivery: Delivery = {}) {
    this.#script = script;
    this.#delivery = delivery;
    this.#random = randomFrom(typeof delivery.split === 'number' ? delivery.split : 1);
  }

  /** Whether the client has ended it. */
  killed = false;

  /** The methods that the client has not sent yet. */
  get unsaid(): string[] {
    return this.#script
      .slice(this.#at)
      .flatMap(({ from, message }) => (from === 'client' ? String(message.method) : []));
  }

  write(bytes: Buffer): void {
    if (!this.#over) for (const message of this.#decoder.push(bytes)) this.#receive(message);
  }

  kill(): void {
    this.killed = true;
    this.#end('killed');
  }

  #receive(message: unknown): void {
    const content = isObject(message) ? message : {};
    this.received.push(String(content.method ?? 'answer'));
    if (content.method === '$/cancelRequest') return;
    const expected = this.#script[this.#at]?.message;
    if (expected && this.#aliases.match(expected, content)) {
      this.#at += 1;
      this.#say();
    } else this.#end(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(message)}`);
  }

  #say(): void {
    const messages: Buffer[] = [];
    for (let line = this.#script[this.#at]; line?.from === 'server'; line = this.#script[this.#at]) {
      messages.push(encodeMessage(this.#aliases.translate(line.message)));
      this.#at += 1;
    }
    this.#sending = this.#sending.then(() => this.#send(messages));
  }

  async #send(messages: readonly Buffer[]): Promise<void> {
    const { split, delayMs, endAfter } = this.#delivery;
    const left = endAfter ? Math.max(0, endAfter.messages - this.#sent) : messages.length;
    const whole = messages.slice(0, left);
    const part = messages[left]?.subarray(0, endAfter?.bytes ?? 0) ?? Buffer.alloc(0);
    this.#sent += whole.length;
    for (const bytes of split === 'together' ? [Buffer.concat([...whole, part])] : [...whole, part]) {
      await (delayMs ? setTimeout(delayMs) : setImmediate());
      for (const piece of this.#pieces(bytes)) if (!this.#over) this.onBytes(piece);
    }
    if (left < messages.length || this.#sent === endAfter?.messages) this.#end('the process ended');
  }

  *#pieces(bytes: Buffer): Generator<Buffer> {
    const { split } = this.#delivery;
    const size = split === 'bytes' ? () => 1 : typeof split === 'number' ? this.#random : () => bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const end = at + size();
      yield bytes.subarray(at, end);
      at = end;
    }
  }

  #end(reason: string): void {
    this.#over = true;
    this.#ended.resolve(reason);
  }
}

/** Sizes from 1 to 200 bytes, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return 1 + (state % 200);
  };
}
