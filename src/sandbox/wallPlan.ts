import { seccompFilter } from '../host/seccomp/filter.ts';
import { type ContainerSpec, resourceLimits } from '../host/spec.ts';

/** Digits of the length in front of the agent's program; see `loadAgent`. */
const LENGTH_DIGITS = 8;

/** An agent from `loadAgent`, as a container of this spec gets it: with the walls that it is to build before it serves. */
export function withWalls(agent: Buffer, spec: ContainerSpec): Buffer {
  // With these names JSON is Python. It has no characters beyond ASCII.
  const text = `null, true, false = None, True, False\nWALLS = ${JSON.stringify(wallPlan(spec))}\n`;
  // More than the program may follow.
  const length = text.length + Number(agent.subarray(0, LENGTH_DIGITS));
  const start = `${String(length).padStart(LENGTH_DIGITS, '0')}${text}`;
  return Buffer.concat([Buffer.from(start), agent.subarray(LENGTH_DIGITS)]);
}

/** `images/agent/hothouse_agent/walls.py` reads it. */
function wallPlan({ network, readOnlyRoot, tmpfs, volumes, memoryBytes, pids, seccomp }: ContainerSpec) {
  return {
    network: networkOf(network),
    readOnlyRoot,
    folders: [
      ...tmpfs.map(({ path }) => path),
      ...volumes.flatMap(({ path, isWritable }) => (isWritable ? [path] : [])),
      '/dev/shm',
    ],
    memoryBytes,
    pids,
    limits: resourceLimits({ pids }),
    filters: filtersOf(seccomp),
  };
}

/** `none`, `proxy` or `full`. */
function networkOf(network: ContainerSpec['network']): string {
  if (network === 'bridge') return 'full';
  return network === 'none' ? 'none' : 'proxy';
}

/** Machine → filter; null for a profile that allows everything. */
function filtersOf(profile: string) {
  const [x86, arm] = [seccompFilter(profile, 'x86_64'), seccompFilter(profile, 'aarch64')];
  return x86 && arm ? { x86_64: x86.toString('base64'), aarch64: arm.toString('base64') } : null;
}
