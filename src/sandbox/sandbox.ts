import type { Readable } from 'node:stream';
import type { Steps } from '../base/slices.ts';
import type { OtherLimits } from '../host/host.ts';
import type { DecisionLog } from '../host/proxy/decisions.ts';
import type {
  Exit,
  KeptChannel,
  KeptSession,
  Measurement,
  Ready,
  Request,
  ResetReport,
  Retain,
  SignalName,
  Start,
} from '../protocol/messages.ts';

export type { Wall, Walls } from '../protocol/messages.ts';

/** Why a sandbox is gone. */
export interface SandboxLoss {
  /** The kernel killed its first process for memory. */
  readonly outOfMemory: boolean;
  /** For people: `its container was removed`. */
  readonly reason: string;
  /** The host did not confirm its removal in time: its processes may still run. */
  readonly mayStillRun?: true;
  /** The agent has ended it because its code used too much: another run of the same code ends the same way. */
  readonly isOverLimit?: true;
  /** It lives on for another engine: one that has resumed its session, or that will after `detach`. */
  readonly isElsewhere?: true;
}

/** How a channel ended: its process exited, or the whole sandbox went. */
export type ChannelEnd =
  | {
      readonly kind: 'exit';
      readonly exit: Exit;
      /** Event lines of the last run that were dropped because they were too many, too long or had too many bytes. */
      readonly eventsDropped: number;
    }
  | { readonly kind: 'lost'; readonly loss: SandboxLoss };

/** Receives the output of a channel's process; called in the order of arrival, never after `ended` resolved. */
export interface ChannelListener {
  onStdout(bytes: Buffer): void;
  onStderr(bytes: Buffer): void;
  /**
   * Handles a line from the process, unchecked, with the agent's counts of the run's stdout and stderr bytes, in steps;
   * what arrives later waits. The channel may end between two steps. Only interpreters send events.
   */
  onEvent?(line: Buffer, stdoutBytes: number, stderrBytes: number): Steps;
}

/** One process in a sandbox. Calls after its end do nothing. */
export interface Channel {
  /**
   * Interpreters only: sends a request. It restarts the counts of output. The agent keeps `note` for an engine that
   * resumes the session.
   */
  run(request: string, note?: (runs: number) => string): void;
  /** Replaces what the agent keeps about the process: with the next frame, or a moment later. */
  note?(note: string): void;
  /** Feeds stdin, or for interpreters what follows a request. Resolves when there is room for more, or the process has ended; never rejects. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends stdin once everything written is there. */
  closeInput(): void;
  /** Signals its process group; resolves when that is done, or the process has ended. Never rejects. */
  signal(signal: SignalName): Promise<void>;
  /** Interpreters only: a channel for a copy of the process, which comes when the process is asked for it. */
  copy(listener: ChannelListener): Channel;
  readonly ended: Promise<ChannelEnd>;
}

/** One live sandbox: a container and the agent in it. */
export interface Sandbox {
  readonly id: string;
  readonly ready: Ready;
  /** See `Container`. */
  readonly decisions?: DecisionLog | undefined;
  start(start: Start, listener: ChannelListener): Channel;
  /**
   * Ends every process, empties every writable mount and verifies it. All channels end. A report that is not `clean`, a
   * rejection or a missed deadline means that the sandbox must be disposed.
   */
  reset(deadlineMs: number): Promise<ResetReport>;
  /** Its current resource use, as its agent measures it. */
  measure(): Promise<Measurement>;
  /** Sends a request to the agent; rejects with the agent's error. */
  request(request: RequestBody): Promise<unknown>;
  /** See `Container`. */
  putArchive(path: string, archive: Readable, signal?: AbortSignal): Promise<void>;
  getArchive(path: string, signal?: AbortSignal): Promise<Readable>;
  /** Changes its limits for good; resolves with whether its host can. Missing where none can. */
  limit?(limits: OtherLimits): Promise<boolean>;
  /** Missing where no other engine can resume it. */
  readonly retention?: SandboxRetention;
  /** Resolves once, when the sandbox is gone for any reason. */
  readonly lost: Promise<SandboxLoss>;
  /**
   * Kills and removes the container; resolves when it is gone. Rejects when the host does not confirm that in time; a
   * further call tries again.
   */
  dispose(): Promise<void>;
}

/** What a sandbox keeps for an engine that resumes its session. */
export interface SandboxRetention {
  /**
   * Lets an engine with the secret resume it. From now on the agent keeps what was not acknowledged, and waits `silenceMs`
   * for an engine. Rejects when the sandbox is lost before.
   */
  start(retain: Retain): Promise<void>;
  /** Spares its container from the sweeps of other engines for so long after the end of `owner`, a label's value. */
  spare(owner: string, seconds: number): Promise<void>;
  /** A cell's output has ended: acknowledges nothing until `settle`. */
  hold(): void;
  /** What has come was passed on: another engine need not get it. */
  settle(): void;
  /** Sends what would wait for the next frame. */
  flush(): void;
  /** Leaves it to an engine that resumes it; resolves when everything is sent. It is lost for this one. */
  detach(): Promise<void>;
}

/** A sandbox whose session another engine had. Its stream waits until `resume`. */
export interface ResumedSandbox {
  readonly sandbox: Sandbox;
  /** What its agent knows of the session. */
  readonly kept: KeptSession;
  /** Continues with a process of `kept`; its listener gets what was not acknowledged, and its end. */
  adopt(kept: KeptChannel, listener: ChannelListener): Channel;
  /** Lets the stream continue, and kills the processes that were not adopted. */
  resume(): void;
}

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A `Request` before it has its id. */
export type RequestBody = Without<Request, 'id'>;
