import { type Clock, systemClock } from '../base/clock.ts';
import { type Log, messageOf, silentLog } from '../base/log.ts';
import { type Container, type Host, HostError } from '../host/host.ts';
import { imageUnusable, networkReachable, wallMissing } from '../host/problem.ts';
import type { ContainerSpec } from '../host/spec.ts';
import type { KeptSession, Ready } from '../protocol/messages.ts';
import { AgentConnection } from './connection.ts';
import { LiveSandbox } from './liveSandbox.ts';
import type { ResumedSandbox, Sandbox } from './sandbox.ts';
import { withWalls } from './wallPlan.ts';

/** How a sandbox is started. */
export interface BootOptions {
  readonly spec: ContainerSpec;
  /** From `loadAgent`. */
  readonly agent: Buffer;
  /** Bytes of each stream and of events passed on for one run. */
  readonly outputBytes: number;
  readonly eventBytes: number;
  /** Events passed on for one run. */
  readonly events: number;
  /** Milliseconds between pings of the agent, and the silence after which it exits. */
  readonly heartbeatMs?: number;
  readonly silenceMs?: number;
  /** Milliseconds that the agent has for its handshake; missing: the host's default. */
  readonly handshakeMs?: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

const HEARTBEAT_MS = 2_000;
const SILENCE_MS = 30_000;

/** Creates a sandbox and waits for its agent. Rejects with a `HostError` and leaves no container. */
export async function bootSandbox(host: Host, options: BootOptions, signal?: AbortSignal): Promise<Sandbox> {
  const container = await host.create(options.spec, signal);
  try {
    const agent = container.compiled ? await container.compiled(options.agent) : options.agent;
    const sandbox = await handshake(container, host, { ...options, agent }, signal);
    requireWalls(host, options.spec, sandbox.ready);
    return sandbox;
  } catch (error) {
    await container.remove();
    throw error;
  }
}

/** What a session is resumed with: the agent's program is there. */
export type ResumeOptions = Omit<BootOptions, 'spec' | 'agent'>;

/**
 * Takes a session over from another engine. Rejects when the agent does not accept the secret or does not answer; the
 * container stays then.
 */
export async function resumeSandbox(
  container: Container,
  handshakeMs: number,
  secret: string,
  options: ResumeOptions,
  signal?: AbortSignal,
): Promise<ResumedSandbox> {
  const connection = connectionTo(container, options);
  try {
    const sandbox = await shakeHands(connection, container, handshakeMs, options, secret, signal);
    const kept = sandbox.ready.session;
    if (!kept) throw new Error('its agent knows no session');
    return resumed(sandbox, kept);
  } catch (error) {
    connection.fail('it was not resumed');
    await container.detach();
    throw error;
  }
}

function resumed(sandbox: LiveSandbox, kept: KeptSession): ResumedSandbox {
  const adopted = new Set<number>();
  return {
    sandbox,
    kept,
    adopt: (channel, listener) => {
      adopted.add(channel.number);
      return sandbox.adopt(channel, listener);
    },
    resume: () => sandbox.resume(kept.channels.filter(({ number }) => !adopted.has(number))),
  };
}

async function handshake(
  container: Container,
  { handshakeMs, notStarted = unusable }: Host,
  options: BootOptions,
  signal?: AbortSignal,
): Promise<Sandbox> {
  const connection = connectionTo(container, options);
  container.stdin.write(withWalls(options.agent, options.spec));
  try {
    return await shakeHands(connection, container, handshakeMs, options, null, signal);
  } catch (error) {
    throw new HostError(
      signal?.aborted
        ? { kind: 'cancelled', message: 'The start of a sandbox was cancelled.', advice: 'Run it again.' }
        : notStarted(options.spec, messageOf(error)),
    );
  }
}

function connectionTo(container: Container, options: ResumeOptions): AgentConnection {
  return new AgentConnection(container, {
    silenceMs: options.silenceMs ?? SILENCE_MS,
    outputBytes: options.outputBytes,
    eventBytes: options.eventBytes,
    events: options.events,
  });
}

async function shakeHands(
  connection: AgentConnection,
  container: Container,
  handshakeMs: number,
  options: ResumeOptions,
  secret: string | null,
  signal: AbortSignal | undefined,
): Promise<LiveSandbox> {
  const clock = options.clock ?? systemClock;
  const late = clock.schedule(options.handshakeMs ?? handshakeMs * clock.slowness(), () =>
    connection.fail('the agent did not answer'),
  );
  const abort = () => connection.fail('the start was cancelled');
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  try {
    const ready = await connection.handshake(secret);
    return new LiveSandbox(container, connection, ready, clock, options.heartbeatMs ?? HEARTBEAT_MS);
  } finally {
    late.dispose();
    signal?.removeEventListener('abort', abort);
    (options.log ?? silentLog).debug(`sandbox ${container.id.slice(0, 12)}: ready`);
  }
}

/** Rejects a sandbox that reaches more than it should, or lacks a wall that its host requires, before it has run any code. */
function requireWalls({ requiredWalls = [] }: Host, { network }: ContainerSpec, { walls }: Ready): void {
  if (network !== 'bridge' && walls.network.state !== 'holds')
    throw new HostError(networkReachable(walls.network.detail));
  const lacking = requiredWalls.find((name) => walls[name].state !== 'holds');
  if (lacking) throw new HostError(wallMissing(lacking, walls[lacking].detail));
}

function unusable(spec: ContainerSpec, cause: string) {
  const message = `A sandbox of image ${spec.image} did not start: ${cause}.`;
  return imageUnusable(spec, message, 'python3 3.9 or later');
}
