import { deferred } from '../base/deferred.ts';
import type { Steps } from '../base/slices.ts';
import { type Frame, FrameType } from '../protocol/frames.ts';
import { EVENT_PREFIX_BYTES, type Exit, type SignalName } from '../protocol/messages.ts';
import { ChannelInput } from './channelInput.ts';
import { EventLines, type LineLimits } from './eventLines.ts';
import type { Channel, ChannelEnd, ChannelListener, SandboxLoss } from './sandbox.ts';

/** What a channel does with its sandbox. */
export interface ChannelPorts {
  readonly send: (bytes: Buffer) => void;
  readonly signal: (signal: SignalName) => Promise<void>;
  /** A channel for a copy of this one's process. */
  readonly copy: (listener: ChannelListener) => Channel;
  /** The limits of its events, and of its answers. */
  readonly lines: LineLimits;
}

/** The engine's side of one process in a sandbox. */
export class LiveChannel implements Channel {
  readonly #listener: ChannelListener;
  readonly #signal: (signal: SignalName) => Promise<void>;
  readonly copy: (listener: ChannelListener) => Channel;
  readonly #input: ChannelInput;
  readonly #events: EventLines;
  readonly #answers: EventLines;
  readonly #ended = deferred<ChannelEnd>();
  #over = false;
  readonly ended = this.#ended.promise;

  constructor(
    readonly number: number,
    listener: ChannelListener,
    ports: ChannelPorts,
  ) {
    this.#listener = listener;
    this.#signal = ports.signal;
    this.copy = ports.copy;
    this.#input = new ChannelInput(number, ports.send);
    this.#events = new EventLines(ports.lines);
    this.#answers = new EventLines(ports.lines);
  }

  run(request: string): void {
    this.#events.restart();
    this.#answers.restart();
    this.#input.run(request);
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#input.write(bytes);
  }

  closeInput(): void {
    this.#input.close();
  }

  async signal(signal: SignalName): Promise<void> {
    if (!this.#over) await this.#signal(signal);
  }

  /** Takes a frame of this channel from the agent. */
  *receive({ type, payload }: Frame): Steps {
    if (type === FrameType.stdout) this.#listener.onStdout(payload);
    else if (type === FrameType.stderr) this.#listener.onStderr(payload);
    else if (type === FrameType.room) this.#input.onRoom();
    else if (type === FrameType.event) yield* this.#takeLines(this.#events, payload);
    else if (type === FrameType.answer) yield* this.#takeLines(this.#answers, payload);
  }

  /** Its process has exited. */
  exit(exit: Exit): void {
    this.#end({ kind: 'exit', exit, eventsDropped: this.#events.dropped });
  }

  /** The sandbox has gone; the first end counts. */
  lose(loss: SandboxLoss): void {
    this.#end({ kind: 'lost', loss });
  }

  #end(end: ChannelEnd): void {
    this.#over = true;
    this.#input.end();
    this.#ended.resolve(end);
  }

  *#takeLines(lines: EventLines, payload: Buffer): Steps {
    if (!this.#listener.onEvent) return;
    const stdoutBytes = Number(payload.readBigUInt64BE(0));
    const stderrBytes = Number(payload.readBigUInt64BE(8));
    for (const line of lines.take(payload.subarray(EVENT_PREFIX_BYTES))) {
      if (this.#over) return;
      if (line) yield* this.#listener.onEvent(line, stdoutBytes, stderrBytes);
      yield;
    }
  }
}
