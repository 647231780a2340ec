import { z } from 'zod';

/**
 * The JSON payloads between engine and agent: one schema for each, types derived. Raw payloads (input, stdout, stderr)
 * have none. `images/agent/` implements the other end.
 */

/** Version of this contract; engine and agent travel together, so a mismatch is a broken build. */
export const PROTOCOL_VERSION = 3;

const HASH = /^[0-9a-f]{64}$/;

/** Engine → agent, the first frame. Sizes in bytes, times in milliseconds. */
export const Hello = z.strictObject({
  version: z.literal(PROTOCOL_VERSION),
  /** `NONCE_BYTES` as hex; the agent answers with the raw bytes before its first frame. */
  nonce: z.string().regex(/^[0-9a-f]{64}$/),
  /** The agent leaves when nothing was heard for this long. */
  silenceMs: z.int().positive(),
  /** Bytes of each stream passed on for one run; the rest is read, counted and dropped. */
  outputBytes: z.int().positive(),
  /** Bytes of events (displays, results) passed on for one run, and how many events. */
  eventBytes: z.int().positive(),
  events: z.int().positive(),
  /** Resumes the session with this secret, 256 random bits as hex; its process limits stay. */
  secret: z.string().regex(HASH).nullable().optional(),
});
export type Hello = z.infer<typeof Hello>;

/** Engine → agent: keep what was not acknowledged, for an engine that resumes the session. */
export const Retain = z.strictObject({
  /** SHA-256 of the secret's hex digits, as hex: what the agent keeps is of no use to code that reads it. */
  secretHash: z.string().regex(HASH),
  /** Replaces `Hello.silenceMs`. */
  silenceMs: z.int().positive(),
});
export type Retain = z.infer<typeof Retain>;

/** Engine → agent: start a process on a new channel. */
export const Start = z.discriminatedUnion('kind', [
  /** A fork of the zygote that takes `run` payloads. */
  z.strictObject({
    kind: z.literal('interpreter'),
    /** Whether it should have the preloaded modules. A wrong guess costs time and changes nothing else. */
    preloaded: z.boolean(),
    /** The driver that takes them, of `images/agent/drivers`; missing: Python's. */
    driver: z.string().optional(),
    /**
     * It takes one `run`. After its end the agent resets the sandbox unasked, unless it has another process or the run has
     * left files; the report then has the number of this channel.
     */
    once: z.boolean().optional(),
    /**
     * Other runs wait for the sandbox: answer, end and report travel together where the reset has nothing to remove, since
     * each message costs CPU time on its way.
     */
    awaited: z.boolean().optional(),
  }),
  /** A program; `input` and `closeInput` feed its stdin. */
  z.strictObject({
    kind: z.literal('exec'),
    argv: z.array(z.string()).min(1),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
    /** Bytes of its stdout passed on, for a server whose client bounds each answer; otherwise `Hello.outputBytes`. */
    stdoutBytes: z.int().positive().nullable().optional(),
  }),
  /**
   * A copy of the interpreter of another channel, `of`, with all its variables. It comes when that interpreter is asked
   * to `copy`, after all the copies have been started; until then its channel takes `run` payloads, which wait. One that
   * cannot be made ends with a `failure`.
   */
  z.strictObject({ kind: z.literal('copy'), of: z.int() }),
  /** A process for requests about files; see `fileMessages.ts`. No limit is on its stdout. */
  z.strictObject({ kind: z.literal('files') }),
]);
export type Start = z.infer<typeof Start>;

export const SignalName = z.enum(['SIGINT', 'SIGTERM', 'SIGKILL']);
export type SignalName = z.infer<typeof SignalName>;

/** Engine → agent on channel 0, answered by a `Reply` of the same id. */
export const Request = z.discriminatedUnion('op', [
  z.strictObject({ id: z.int(), op: z.literal('measure') }),
  /** A signal for a channel's process group; answered after delivery, also when the group has ended. */
  z.strictObject({ id: z.int(), op: z.literal('signal'), channel: z.int(), signal: SignalName }),
  /** Imports modules while nothing runs, then keeps a process ready that has them. An empty list is fine. Replies with the names in `loaded` and `failed`. */
  z.strictObject({ id: z.int(), op: z.literal('preload'), modules: z.array(z.string()) }),
  /**
   * From now on the process kept ready is one of this driver. Replies whether the image has all of `programs`, by name.
   */
  z.strictObject({ id: z.int(), op: z.literal('standby'), driver: z.string(), programs: z.array(z.string()) }),
]);
export type Request = z.infer<typeof Request>;

/** Agent → engine: what a reset removed and what it left. */
export const ResetReport = z.strictObject({
  /** Nothing of the last run is left: no process, file, IPC object, descriptor, or memory beyond a small bound. */
  clean: z.boolean(),
  /** What was left, for a log. */
  leftovers: z.array(z.string()),
  killed: z.int().nonnegative(),
  /** Descriptors that the agent's first process has open. */
  fds: z.int().nonnegative(),
  /** Memory of the whole container. Includes the cache of files where even that sum is within the bound. */
  memoryBytes: z.int().nonnegative(),
  durationMs: z.number().nonnegative(),
});
export type ResetReport = z.infer<typeof ResetReport>;

/** A wall as the agent found it before any code ran. */
export const Wall = z.strictObject({
  /** `missing`: this host does not have it; `off`: an option removes it. */
  state: z.enum(['holds', 'missing', 'off']),
  /** What is missing and why, or which option removes it; empty where nothing is to be said. */
  detail: z.string().max(2_000),
});
export type Wall = z.infer<typeof Wall>;

/** What isolates a sandbox, as its agent found it. */
export const Walls = z.strictObject({
  /** Only the system calls of the spec's profile can be made. */
  systemCalls: Wall,
  /** An ordinary user without capabilities, who cannot gain any. */
  privileges: Wall,
  /** No interface but the loopback, and no route. */
  network: Wall,
  /** The image's files cannot be changed. */
  readOnlyRoot: Wall,
  /** Landlock: nothing can be written but the workspace, /tmp, /dev/shm and devices without memory. */
  files: Wall,
  /** No file, socket or device of the host can be written to. */
  hostFiles: Wall,
  /** Landlock: code can signal its own processes only, not the agent's. */
  signals: Wall,
  memory: Wall,
  processes: Wall,
  /** Open files, core files, the stack, message queues, pending signals. */
  limits: Wall,
  /** Without memory the kernel ends runs before the agent. */
  outOfMemory: Wall,
  /** No variables that a cluster adds. */
  environment: Wall,
});
export type Walls = z.infer<typeof Walls>;

/** A process of a session that is resumed: it lives, or its end was not acknowledged. */
export const KeptChannel = z.strictObject({
  number: z.int().positive(),
  /** `run` frames that it got, and bytes of the last one with the `input` frames after it. */
  runs: z.int().nonnegative(),
  inputBytes: z.int().nonnegative(),
  /** The last `note` about it. */
  note: z.string().nullable(),
  /** How many bytes of the stream had been sent before its last `run` frame came. */
  runAt: z.int().nonnegative(),
});
export type KeptChannel = z.infer<typeof KeptChannel>;

/** What the agent knows of a session that is resumed. */
export const KeptSession = z.strictObject({
  /** The number of this engine, for its `acknowledge` and `resume` frames; the one that opened the session is 0. */
  engine: z.int().positive(),
  /** Bytes of the stream that were acknowledged; those that follow come after `resume`. */
  acknowledged: z.int().nonnegative(),
  channels: z.array(KeptChannel),
  /** The highest number of a channel or a request so far. */
  lastNumber: z.int().nonnegative(),
});
export type KeptSession = z.infer<typeof KeptSession>;

/** Agent → engine: it is ready. */
export const Ready = z.strictObject({
  version: z.literal(PROTOCOL_VERSION),
  /** Version of the interpreter that the agent runs in. */
  interpreter: z.string(),
  walls: Walls,
  /** The answer to a hello with the right secret. */
  session: KeptSession.optional(),
});
export type Ready = z.infer<typeof Ready>;

/** Agent → engine: a channel's process has ended and all its output was sent. */
export const Exit = z.strictObject({
  /** Exit status, or null when a signal ended it. */
  code: z.int().nullable(),
  /** Number of the signal that ended it, or null. */
  signal: z.int().nullable(),
  peakMemoryBytes: z.int().nonnegative(),
  /** Processes of this sandbox that the kernel killed for memory while this one lived. */
  oomKills: z.int().nonnegative(),
  stdoutBytes: z.int().nonnegative(),
  stderrBytes: z.int().nonnegative(),
  /** Why it could not be started, or null. */
  failure: z.string().nullable(),
});
export type Exit = z.infer<typeof Exit>;

/** Agent → engine: the answer to a `Request`. */
export const Reply = z.strictObject({
  id: z.int(),
  error: z.string().nullable(),
  value: z.unknown(),
});
export type Reply = z.infer<typeof Reply>;

/** Value of the reply to `measure`. */
export const Measurement = z.strictObject({
  memoryBytes: z.int().nonnegative(),
  processes: z.int().nonnegative(),
  fds: z.int().nonnegative(),
  /** CPU time used so far by the whole sandbox, in milliseconds; it rises by some even while nothing runs. */
  cpuMs: z.number().nonnegative(),
  /** Processes that the kernel has killed for memory since the sandbox was made. */
  oomKills: z.int().nonnegative(),
});
export type Measurement = z.infer<typeof Measurement>;

/**
 * A frame of events or answers is two u64 counters (bytes of stdout and of stderr that the agent has read for this run)
 * and bytes that the channel's process has written: JSON lines, cut anywhere. The counters are the agent's; the bytes
 * are user code's and are checked.
 */
export const EVENT_PREFIX_BYTES = 16;
