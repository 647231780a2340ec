import { deferred } from '../../../../src/base/deferred.ts';
import { PROTOCOL_VERSION } from '../../../../src/protocol/messages.ts';
import type { Channel, ChannelEnd, Sandbox, SandboxLoss } from '../../../../src/sandbox/sandbox.ts';
import { HOLDING_WALLS } from '../../../host/holdingWalls.ts';
import { type RecordedCell, recordedCells } from './recordedCells.ts';
import { RecordedServer, type ServerVariant } from './recordedServer.ts';

const NAMES = [
  '01-cells',
  '02-errors',
  '04-rollback-and-upstream-edit',
  '05-endless-eval-then-edit',
  '06-worker-crash',
];
const CELLS: readonly RecordedCell[] = NAMES.flatMap(recordedCells);

/** The measurements of the sandbox; a test changes them. */
export interface Measured {
  memoryBytes: number;
  cpuMs: number;
  oomKills: number;
  /** A thread of Lean wants a CPU. */
  isRunnable: boolean;
  /** So many starts of a server fail. */
  failingStarts: number;
}

/** A sandbox in which each start of Lean is one of a recorded server. */
export interface RecordedSandbox {
  readonly sandbox: Sandbox;
  /** Every server that was started, the last one last. */
  readonly servers: readonly RecordedServer[];
  readonly measured: Measured;
  readonly lose: (loss: SandboxLoss) => void;
  /** The arguments of each server that did not exit at once. */
  readonly options: readonly (readonly string[])[];
}

/** The first server has this variant; those after it end no more by themselves. */
export function recordedSandbox(variant: ServerVariant): RecordedSandbox {
  const servers: RecordedServer[] = [];
  const measured = { memoryBytes: 0, cpuMs: 0, oomKills: 0, isRunnable: false, failingStarts: 0 };
  const lost = deferred<SandboxLoss>();
  const options: string[][] = [];
  const sandbox: Sandbox = {
    id: 'recorded',
    ready: { version: PROTOCOL_VERSION, interpreter: '3', walls: HOLDING_WALLS },
    start(start, listener) {
      if (start.kind !== 'exec' || !start.argv.includes('--server')) {
        if (measured.isRunnable) listener.onStdout(Buffer.from('R\n'));
        return endedChannel(0);
      }
      if (measured.failingStarts > 0) {
        measured.failingStarts -= 1;
        return endedChannel(1);
      }
      const given = start.argv.slice(start.argv.indexOf('--server') + 1);
      // As a real one does: it knows no such option.
      if (variant.kind === 'old' && given.length > 0) return endedChannel(1);
      options.push(given);
      const { endAfter: _, ...lasting } = variant;
      const server = new RecordedServer(CELLS, servers.length === 0 ? variant : lasting, (bytes) =>
        listener.onStdout(bytes),
      );
      servers.push(server);
      return channelOf(server, lost.promise);
    },
    reset: () => Promise.reject(new Error('a session is never reset')),
    measure: async () => {
      const { memoryBytes, cpuMs, oomKills } = measured;
      return { memoryBytes, cpuMs, oomKills, processes: 3, fds: 10 };
    },
    request: () => Promise.reject(new Error('nothing is asked of the agent')),
    putArchive: () => Promise.reject(new Error('nothing is unpacked')),
    getArchive: () => Promise.reject(new Error('nothing is packed')),
    lost: lost.promise,
    dispose: async () => lost.resolve({ outOfMemory: false, reason: 'it was removed' }),
  };
  return { sandbox, servers, measured, options, lose: (loss) => lost.resolve(loss) };
}

const EXIT = {
  code: 0,
  signal: null,
  peakMemoryBytes: 0,
  oomKills: 0,
  stdoutBytes: 0,
  stderrBytes: 0,
  failure: null,
};

function channelOf(server: RecordedServer, lost: Promise<SandboxLoss>): Channel {
  const left = server.ended.then((): ChannelEnd => ({ kind: 'exit', exit: EXIT, eventsDropped: 0 }));
  return {
    run: () => {},
    write: async (bytes) => server.write(bytes),
    closeInput: () => {},
    signal: async () => server.end(),
    copy: () => endedChannel(1),
    ended: Promise.race([left, lost.then((loss): ChannelEnd => ({ kind: 'lost', loss }))]),
  };
}

function endedChannel(code: number): Channel {
  const nothing = () => {};
  return {
    run: nothing,
    write: async () => {},
    closeInput: nothing,
    signal: async () => {},
    copy: () => endedChannel(code),
    ended: Promise.resolve({ kind: 'exit', exit: { ...EXIT, code }, eventsDropped: 0 }),
  };
}
