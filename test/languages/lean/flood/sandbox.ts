import { spawn } from 'node:child_process';
import path from 'node:path';
import { deferred } from '../../../../src/base/deferred.ts';
import { PROTOCOL_VERSION } from '../../../../src/protocol/messages.ts';
import type { Channel, ChannelEnd, ChannelListener, Sandbox, SandboxLoss } from '../../../../src/sandbox/sandbox.ts';
import { HOLDING_WALLS } from '../../../host/holdingWalls.ts';

const SERVER = path.join(import.meta.dirname, 'server.mjs');

/** A sandbox whose server is `server.mjs`, a process of its own; all it starts ends with `dispose`. */
export function floodingSandbox(flood: string): Sandbox {
  const servers: Channel[] = [];
  return {
    id: 'flooding',
    ready: { version: PROTOCOL_VERSION, interpreter: '3', walls: HOLDING_WALLS },
    start(start, listener) {
      const isServer = start.kind === 'exec' && start.argv.includes('--server');
      const channel = channelOf(isServer ? [SERVER, flood] : ['--version'], listener);
      servers.push(channel);
      return channel;
    },
    reset: () => Promise.reject(new Error('nothing is reset')),
    measure: async () => ({ memoryBytes: 1, cpuMs: 0, oomKills: 0, processes: 3, fds: 10 }),
    request: () => Promise.reject(new Error('nothing is asked of the agent')),
    putArchive: () => Promise.reject(new Error('nothing is unpacked')),
    getArchive: () => Promise.reject(new Error('nothing is packed')),
    lost: new Promise<SandboxLoss>(() => {}),
    async dispose() {
      for (const server of servers) await server.signal('SIGKILL');
    },
  };
}

function channelOf(args: readonly string[], listener: ChannelListener): Channel {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = deferred<ChannelEnd>();
  child.stdin.on('error', () => {});
  child.stdout.on('data', (bytes: Buffer) => listener.onStdout(bytes));
  child.once('close', () => ended.resolve({ kind: 'lost', loss: { outOfMemory: false, reason: 'it has ended' } }));
  return {
    run: () => {},
    write: async (bytes) => void child.stdin.write(bytes),
    closeInput: () => void child.stdin.end(),
    signal: async (signal) => void child.kill(signal),
    copy: () => channelOf(args, listener),
    ended: ended.promise,
  };
}
