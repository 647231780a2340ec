import { deferred } from '../base/deferred.ts';
import type { Steps } from '../base/slices.ts';
import { encodeFrame, type Frame, FrameType } from '../protocol/frames.ts';
import { EVENT_PREFIX_BYTES, type Exit, type KeptChannel, type SignalName } from '../protocol/messages.ts';
import { ChannelInput } from './channelInput.ts';
import { EventLines, type LineLimits } from './eventLines.ts';
import type { Channel, ChannelEnd, ChannelListener, SandboxLoss } from './sandbox.ts';

const NEWLINE = 10;

/** What a channel does with its sandbox. */
export interface ChannelPorts {
  readonly send: (bytes: Buffer) => void;
  /** Sends with the next frame, or a moment later. */
  readonly sendSoon: (bytes: Buffer) => void;
  readonly signal: (signal: SignalName) => Promise<void>;
  /** A channel for a copy of this one's process. */
  readonly copy: (listener: ChannelListener) => Channel;
  /** The limits of its events, and of its answers. */
  readonly lines: LineLimits;
}

/** The engine's side of one process in a sandbox. */
export class LiveChannel implements Channel {
  readonly #listener: ChannelListener;
  readonly #ports: ChannelPorts;
  readonly copy: (listener: ChannelListener) => Channel;
  readonly #input: ChannelInput;
  readonly #events: EventLines;
  readonly #answers: EventLines;
  readonly #ended = deferred<ChannelEnd>();
  #over = false;
  #runs = 0;
  /** Where the unfinished lines begin, in the count of the agent's stream. */
  readonly #starts = new Map<EventLines, number>();
  readonly ended = this.#ended.promise;

  constructor(
    readonly number: number,
    listener: ChannelListener,
    ports: ChannelPorts,
    kept?: KeptChannel,
  ) {
    this.#listener = listener;
    this.#ports = ports;
    this.copy = ports.copy;
    this.#runs = kept?.runs ?? 0;
    this.#input = new ChannelInput(number, ports.send);
    this.#events = new EventLines(ports.lines);
    this.#answers = new EventLines(ports.lines);
  }

  run(request: string, note?: (runs: number) => string): void {
    this.#events.restart();
    this.#answers.restart();
    this.#runs += 1;
    // First, so that a request that arrived is never unknown.
    if (note) this.#ports.send(this.#note(note(this.#runs)));
    this.#input.run(request);
  }

  note(note: string): void {
    if (!this.#over) this.#ports.sendSoon(this.#note(note));
  }

  /** Where its oldest unfinished line begins; null where there is none. */
  get lineStart(): number | null {
    return this.#starts.size === 0 ? null : Math.min(...this.#starts.values());
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#input.write(bytes);
  }

  closeInput(): void {
    this.#input.close();
  }

  async signal(signal: SignalName): Promise<void> {
    if (!this.#over) await this.#ports.signal(signal);
  }

  /** Takes a frame of this channel from the agent; `at` is where it begins in the agent's stream. */
  *receive({ type, payload }: Frame, at: number): Steps {
    if (type === FrameType.stdout) this.#listener.onStdout(payload);
    else if (type === FrameType.stderr) this.#listener.onStderr(payload);
    else if (type === FrameType.room) this.#input.onRoom();
    else if (type === FrameType.event) yield* this.#takeLines(this.#events, payload, at);
    else if (type === FrameType.answer) yield* this.#takeLines(this.#answers, payload, at);
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

  *#takeLines(lines: EventLines, payload: Buffer, at: number): Steps {
    if (!this.#listener.onEvent) return;
    const stdoutBytes = Number(payload.readBigUInt64BE(0));
    const stderrBytes = Number(payload.readBigUInt64BE(8));
    for (const line of lines.take(payload.subarray(EVENT_PREFIX_BYTES))) {
      if (this.#over) return;
      if (line) yield* this.#listener.onEvent(line, stdoutBytes, stderrBytes);
      yield;
    }
    if (!lines.isInLine) this.#starts.delete(lines);
    else if (!this.#starts.has(lines) || payload.includes(NEWLINE, EVENT_PREFIX_BYTES)) this.#starts.set(lines, at);
  }

  #note(text: string): Buffer {
    return encodeFrame(FrameType.note, this.number, text);
  }
}
