import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { silentLog } from '../../src/base/log.ts';
import { createOptions } from '../../src/host/docker/createOptions.ts';
import { dockerHost } from '../../src/host/docker/dockerHost.ts';
import type { Container, Host } from '../../src/host/host.ts';
import { createByOptions } from '../host/docker/inspect.ts';

/** Options of the Engine API as a test changes them. */
type CreateOptions = ReturnType<typeof createOptions>;

/** Docker as a host that builds fewer walls than the spec wants: `weaken` changes what containers are created with. */
export function weakHost(weaken: (options: CreateOptions) => CreateOptions): Host {
  const host = dockerHost({ env: process.env, home: process.env.HOME ?? '/', log: silentLog });
  return {
    images: host.images,
    handshakeMs: host.handshakeMs,
    info: (signal) => host.info(signal),
    runtimeProblem: (runtime, signal) => host.runtimeProblem(runtime, signal),
    attach: (id, labels, signal) => host.attach(id, labels, signal),
    list: (labels, signal) => host.list(labels, signal),
    remove: (id) => host.remove(id),
    removeUnusedVolumes: (labels) => host.removeUnusedVolumes(labels),
    dispose: () => host.dispose(),
    create: async (spec) => {
      const user = 2 ** 30 + randomInt(2 ** 29);
      return started(await createByOptions(weaken(createOptions(spec, user))), host);
    },
  };
}

function started(id: string, host: Host): Container {
  const client = spawn('docker', ['start', '--attach', '--interactive', id]);
  const ended = once(client, 'exit').then(() => ({ exitCode: null, oomKilled: false, reason: 'it ended' }));
  const { stdin, stdout, stderr } = client;
  const nothing = () => Promise.reject(new Error('it has no volumes'));
  return {
    id,
    stdin,
    stdout,
    stderr,
    ended,
    putArchive: nothing,
    getArchive: nothing,
    isRunning: async () => true,
    remove: () => host.remove(id),
    detach: async () => void client.kill(),
    spare: async () => {},
  };
}
