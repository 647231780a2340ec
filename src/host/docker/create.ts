import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import type { Clock } from '../../base/clock.ts';
import { HostError } from '../host.ts';
import { imageUnusable, type Problem } from '../problem.ts';
import type { ContainerSpec } from '../spec.ts';
import { dataFolder, putArchive } from './archive.ts';
import type { Client } from './client.ts';
import { createOptions } from './createOptions.ts';
import { DockerContainer, type DockerContext } from './dockerContainer.ts';
import { requireUsable } from './image.ts';
import { createInPodman, finishInPodman } from './podmanCreate.ts';
import { attachInPodman } from './podmanDial.ts';
import { isConnectionProblem, unlessGone } from './problems.ts';
import { type ContainerProxy, followProxy, startProxy } from './proxy.ts';
import { runtimeProblem } from './runtime.ts';

const CREATE_MS = 30_000;
const CLEAN_UP_MS = 2_000;

const NO_PROXY_IN_PODMAN: Problem = {
  kind: 'spec_refused',
  message: 'Hothouse cannot run the proxy that allows some hosts with Podman.',
  advice: 'Use Docker for it, or allow no host.',
};

/**
 * Creates, attaches and starts a container. Rejects with a `HostError`; a partly created container is removed, before
 * the rejection if Docker is quick, otherwise as soon as possible.
 */
export async function createContainer(
  context: DockerContext,
  spec: ContainerSpec,
  signal: AbortSignal | undefined,
): Promise<DockerContainer> {
  const { client, events } = context;
  await Promise.all([requireUsable(client, spec, signal), events.ensureOpen()]);
  if (typeof spec.network !== 'object') return createAs(context, spec, null, signal);
  if (await client.isPodman(signal)) throw new HostError(NO_PROXY_IN_PODMAN);
  const proxy = await startProxy(context, spec.network, spec.labels, signal);
  try {
    const container = await createAs(context, spec, proxy, signal);
    void container.ended.then(() => proxy.dispose());
    return container;
  } catch (error) {
    void proxy.dispose();
    throw error;
  }
}

async function createAs(
  context: DockerContext,
  spec: ContainerSpec,
  proxy: ContainerProxy | null,
  signal: AbortSignal | undefined,
): Promise<DockerContainer> {
  const { userIds } = context;
  if (spec.user !== null) return createFor(spec.user, context, spec, proxy, signal);
  const user = await userIds.take();
  try {
    const container = await createFor(user, context, spec, proxy, signal);
    void container.ended.then(() => userIds.giveBack(user, true));
    return container;
  } catch (error) {
    userIds.giveBack(user, false);
    throw error;
  }
}

async function createFor(
  user: number,
  context: DockerContext,
  spec: ContainerSpec,
  proxy: ContainerProxy | null,
  signal: AbortSignal | undefined,
): Promise<DockerContainer> {
  const { client } = context;
  const id = await make(user, context, spec, proxy, signal);
  try {
    for (const volume of spec.volumes)
      if (volume.isWritable) await putArchive(client, id, volume.path, dataFolder(user));
    const stream = await attach(client, id, signal);
    if (await client.isPodman(signal)) await finishInPodman(client, id, spec, user);
    const container = new DockerContainer(id, stream, context, proxy?.decisions);
    await start(client, id, spec, signal);
    return container;
  } catch (error) {
    await cleanUp(context.clock, context.pendingRemovals.remove(id), error);
    throw error;
  }
}

/** Attaches to a running container of these labels; null when there is none. Rejects with a `HostError`. */
export async function attachContainer(
  context: DockerContext,
  id: string,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<DockerContainer | null> {
  const { client, events, userIds } = context;
  await events.ensureOpen();
  const found = await client.call({
    doing: 'find a container',
    signal,
    work: (docker, abortSignal) => unlessGone(docker.getContainer(id).inspect({ abortSignal })),
  });
  const isOurs = Object.entries(labels).every(([name, value]) => found?.Config.Labels[name] === value);
  if (!found?.State.Running || !isOurs) return null;
  const user = Number.parseInt(found.Config.User, 10);
  const [proxyId] = found.HostConfig.VolumesFrom?.map((entry: string) => entry.replace(/:ro$/, '')) ?? [];
  const proxy = proxyId === undefined ? null : followProxy(context, proxyId);
  const stream = await attach(client, found.Id, signal);
  const container = new DockerContainer(found.Id, stream, context, proxy?.decisions);
  void container.ended.then(() => proxy?.dispose());
  userIds.keep(user);
  void container.ended.then(() => userIds.giveBack(user, true));
  return container;
}

async function make(
  user: number,
  context: DockerContext,
  spec: ContainerSpec,
  proxy: ContainerProxy | null,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { client, clock, pendingRemovals } = context;
  // Known before Docker answers, so that the container can be removed even if the answer never comes.
  const name = `hothouse-${randomBytes(8).toString('hex')}`;
  let making: Promise<string> | undefined;
  try {
    return await client.call({
      doing: 'create a container',
      ms: CREATE_MS,
      signal,
      // Without the signal: Docker finishes what it has started.
      work: (docker, _, isPodman) => {
        making = isPodman
          ? createInPodman(docker, name, spec, user, proxy?.id)
          : createInDocker(docker, name, spec, user, proxy?.id);
        return making;
      },
    });
  } catch (error) {
    if (making) await cleanUp(clock, pendingRemovals.abandon(name, making), error);
    throw await refusal(client, spec, error);
  }
}

async function createInDocker(
  docker: Docker,
  name: string,
  spec: ContainerSpec,
  user: number,
  proxy: string | undefined,
): Promise<string> {
  return (await docker.createContainer({ name, ...createOptions(spec, user, proxy) })).id;
}

/** Waits for a clean-up a little while, and not at all when Docker itself fails. */
async function cleanUp(clock: Clock, done: Promise<void>, cause: unknown): Promise<void> {
  if (cause instanceof HostError && isConnectionProblem(cause.problem)) return;
  const enough = new Promise<void>((resolve) => clock.schedule(CLEAN_UP_MS, resolve));
  await Promise.race([done, enough]);
}

async function attach(client: Client, id: string, signal: AbortSignal | undefined): Promise<Duplex> {
  return client.call({
    doing: 'attach to a container',
    signal,
    work: async (docker, abortSignal, isPodman) => {
      if (isPodman) return attachInPodman(docker, id, abortSignal);
      const streams = { stream: true, hijack: true, stdin: true, stdout: true, stderr: true };
      return (await docker.getContainer(id).attach({ ...streams, abortSignal })) as Duplex;
    },
  });
}

async function start(client: Client, id: string, spec: ContainerSpec, signal: AbortSignal | undefined): Promise<void> {
  try {
    await client.call({
      doing: 'start a container',
      ms: CREATE_MS,
      signal,
      work: (docker, abortSignal) => docker.getContainer(id).start({ abortSignal }),
    });
  } catch (error) {
    // Created but not startable: the first program is missing from the image, or may not be executed.
    if (error instanceof HostError && error.problem.kind === 'spec_refused') throw unusable(spec, error.problem);
    throw error;
  }
}

function unusable(spec: ContainerSpec, cause: Problem): HostError {
  const message = `The image ${spec.image} cannot run ${spec.argv[0]}. ${cause.message}`;
  return new HostError(imageUnusable(spec, message, 'python3 3.9 or later'));
}

async function refusal(client: Client, { runtime }: ContainerSpec, error: unknown): Promise<unknown> {
  if (!runtime || !(error instanceof HostError) || error.problem.kind !== 'spec_refused') return error;
  const problem = await runtimeProblem(client, runtime);
  return problem ? new HostError(problem) : error;
}
