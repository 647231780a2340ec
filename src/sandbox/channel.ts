import { deferred } from '../base/deferred.ts';
import type { Steps } from '../base/slices.ts';
import { encodeFrame, type Frame, FrameType } from '../protocol/frames.ts';
import { EVENT_PREFIX_BYTES, type SignalName } from '../protocol/messages.ts';
import type { Channel, ChannelEnd, ChannelListener } from './sandbox.ts';

/** The engine's side of one process in a sandbox. */
export class LiveChannel implements Channel {
  readonly #listener: ChannelListener;
  readonly #send: (bytes: Buffer) => void;
  readonly #signal: (signal: SignalName) => Promise<void>;
  readonly #ended = deferred<ChannelEnd>();
  #over = false;
  readonly ended = this.#ended.promise;

  constructor(
    readonly number: number,
    listener: ChannelListener,
    send: (bytes: Buffer) => void,
    signal: (signal: SignalName) => Promise<void>,
  ) {
    this.#listener = listener;
    this.#send = send;
    this.#signal = signal;
  }

  run(request: string): void {
    this.#frame(FrameType.run, request);
  }

  write(bytes: Uint8Array): void {
    this.#frame(FrameType.input, bytes);
  }

  closeInput(): void {
    this.#frame(FrameType.closeInput);
  }

  async signal(signal: SignalName): Promise<void> {
    if (!this.#over) await this.#signal(signal);
  }

  /** Takes a frame of this channel from the agent. */
  *receive({ type, payload }: Frame): Steps {
    if (type === FrameType.stdout) this.#listener.onStdout(payload);
    else if (type === FrameType.stderr) this.#listener.onStderr(payload);
    else if (type === FrameType.event && this.#listener.onEvent) {
      const counts = [payload.readBigUInt64BE(0), payload.readBigUInt64BE(8)].map(Number);
      yield* this.#listener.onEvent(payload.subarray(EVENT_PREFIX_BYTES), counts[0] ?? 0, counts[1] ?? 0);
    }
  }

  /** Ends it; the first end counts. */
  end(end: ChannelEnd): void {
    this.#over = true;
    this.#ended.resolve(end);
  }

  #frame(type: FrameType, payload?: Uint8Array | string): void {
    if (!this.#over) this.#send(encodeFrame(type, this.number, payload));
  }
}
