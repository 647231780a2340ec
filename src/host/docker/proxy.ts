import { randomBytes } from 'node:crypto';
import type { Duplex, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type Docker from 'dockerode';
import type { ContainerCreateOptions } from 'dockerode';
import { pack } from 'tar-stream';
import { HostError } from '../host.ts';
import { LABEL } from '../labels.ts';
import type { ProxiedNetwork } from '../network.ts';
import { proxyImageMissing } from '../problem.ts';
import { DecisionLog } from '../proxy/decisions.ts';
import { PROXY_FOLDER, proxyFiles } from '../proxy/rules.ts';
import { splitter } from './demux.ts';
import type { DockerContext } from './dockerContainer.ts';
import { imageInfo } from './image.ts';
import { lineSplitter } from './lines.ts';

const MB = 1024 * 1024;
const START_MS = 30_000;
/** Lines of the log that are read in one go, and the pause after them: code can make many. */
const LINES_PER_TURN = 200;
const PAUSE_MS = 100;
/** Lines of the log that an engine reads of the time before it. */
const EARLIER_LINES = 1_000;

/** The proxy of one container. It ends by itself when that container ends, or was not started for a minute. */
export interface ContainerProxy {
  readonly id: string;
  readonly decisions: DecisionLog;
  /** Stops reading its decisions, and removes it if it is still there. Never rejects. */
  dispose(): Promise<void>;
}

/**
 * Creates and starts the proxy of a container that will have its labels. Rejects with a `HostError` and leaves no
 * container.
 */
export async function startProxy(
  context: DockerContext,
  network: ProxiedNetwork,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<ContainerProxy> {
  const { client, pendingRemovals } = context;
  const image = network.proxyImage;
  if (!(await imageInfo(client, image, signal))) throw new HostError(proxyImageMissing(image));
  // Known before Docker answers, so that the container can be removed even if the answer never comes.
  const name = `hothouse-proxy-${randomBytes(8).toString('hex')}`;
  let making: Promise<Docker.Container> | undefined;
  try {
    const id = await client.call({
      doing: 'start a proxy',
      ms: START_MS,
      signal,
      work: async (docker, abortSignal) => {
        making = docker.createContainer({ name, ...proxyOptions(image, labels) });
        const container = await making;
        const streams = { stream: true, hijack: true, stdin: true };
        const input = (await container.attach({ ...streams, abortSignal })) as Duplex;
        await container.start({ abortSignal });
        await send(input, proxyFiles(network));
        return container.id;
      },
    });
    return followProxy(context, id);
  } catch (error) {
    // One that Docker still creates is removed once it is there.
    if (making) void pendingRemovals.abandon(name, making);
    throw error;
  }
}

/** The proxy of a container that another engine has started. */
export function followProxy({ client, clock, pendingRemovals }: DockerContext, id: string): ContainerProxy {
  const decisions = new DecisionLog();
  let stream: Readable | undefined;
  let isDisposed = false;
  const follow = async () => {
    const opened = await client.call({
      doing: 'read the decisions of a proxy',
      work: (docker) => docker.getContainer(id).logs({ follow: true, stdout: true, tail: EARLIER_LINES }),
    });
    stream = opened as unknown as Readable;
    if (isDisposed) stream.destroy();
    let lines = 0;
    const onLine = lineSplitter((line) => {
      lines += 1;
      decisions.addLine(line);
    });
    const split = splitter((_, bytes) => onLine(bytes));
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      split(chunk);
      if (lines < LINES_PER_TURN) return;
      lines = 0;
      stream?.pause();
      clock.schedule(PAUSE_MS, () => stream?.resume());
    });
  };
  // Without it nothing is shown; what the proxy decides does not change.
  void follow().catch(() => {});
  return {
    id,
    decisions,
    dispose: () => {
      isDisposed = true;
      stream?.destroy();
      return pendingRemovals.remove(id);
    },
  };
}

/** Everything that a proxy's container has: rights for the routes that it sets first, which it then gives up. */
function proxyOptions(image: string, labels: Readonly<Record<string, string>>): ContainerCreateOptions {
  return {
    Image: image,
    Cmd: [],
    Healthcheck: { Test: ['NONE'] },
    Labels: { ...labels, [LABEL.proxy]: 'true' },
    Hostname: 'proxy',
    Volumes: { [PROXY_FOLDER]: {} },
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: false,
    AttachStderr: false,
    StopTimeout: 1,
    HostConfig: {
      AutoRemove: true,
      Privileged: false,
      CapDrop: ['ALL'],
      CapAdd: ['NET_ADMIN', 'SETUID', 'SETGID', 'SETPCAP', 'CHOWN'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      NetworkMode: 'bridge',
      Sysctls: { 'net.ipv6.conf.all.disable_ipv6': '1' },
      IpcMode: 'private',
      PidsLimit: 256,
      Memory: 192 * MB,
      MemorySwap: 192 * MB,
      CpuPeriod: 100_000,
      CpuQuota: 50_000,
      OomScoreAdj: 500,
      Tmpfs: Object.fromEntries(
        ['/config', '/tmp', '/run/squid'].map((path) => [path, 'rw,nosuid,nodev,noexec,size=8m,mode=1777']),
      ),
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  };
}

async function send(input: Duplex, files: Readonly<Record<string, string>>): Promise<void> {
  const archive = pack();
  for (const [name, text] of Object.entries(files)) archive.entry({ name, mode: 0o644 }, text);
  archive.finalize();
  input.on('error', () => {});
  for await (const chunk of archive) input.write(chunk);
  input.end();
  await finished(input, { readable: false });
}
