import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Milliseconds of a clock tick in `/proc/PID/stat`: Linux reports 100 a second on every architecture. */
const TICK_MS = 10;
const DAEMONS = ['dockerd', 'containerd'];
const SHIM = /^containerd-shim/;

/** CPU time that some processes have used so far, in milliseconds. */
export type CpuMeter = () => Promise<number>;

/** The sum of several meters. */
export function sumOf(...meters: readonly CpuMeter[]): CpuMeter {
  return async () => (await Promise.all(meters.map((meter) => meter()))).reduce((sum, ms) => sum + ms, 0);
}

/** This process, without its children. */
export const ownCpu: CpuMeter = async () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The children of this process that have ended. */
export const endedChildrenCpu: CpuMeter = async () => (await statOf('self')).children;

/** Every process that this one has started, with what those have started. */
export const descendantsCpu: CpuMeter = async () => {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(names.map((name) => statOf(name).catch(() => null)));
  const stats = new Map(names.map((name, at) => [Number(name), found[at] ?? null]));
  const isOurs = (pid: number): boolean => {
    const parent = stats.get(pid)?.parent ?? 0;
    return parent === process.pid || (parent > 1 && isOurs(parent));
  };
  const ours = [...stats].flatMap(([pid, stat]) => (stat && isOurs(pid) ? [stat.own + stat.children] : []));
  return ours.reduce((sum, ms) => sum + ms, await endedChildrenCpu());
};

/** A process and its children that have ended; 0 when it is gone. */
export function processCpu(pid: number | string): CpuMeter {
  return async () => {
    const { own, children } = await statOf(pid).catch(() => ({ own: 0, children: 0 }));
    return own + children;
  };
}

/** The Docker daemon, containerd and the shims of these containers, with what they have started. */
export async function dockerCpu(containers: readonly string[]): Promise<CpuMeter> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const chosen = await Promise.all(pids.map((pid) => servesDocker(pid, containers)));
  return sumOf(...pids.filter((_pid, at) => chosen[at]).map(processCpu));
}

/** The containers that `ids` returns, now and earlier. */
export function containersCpu(ids: () => Promise<readonly string[]>): CpuMeter {
  const meters = new Map<string, CpuMeter>();
  const used = new Map<string, number>();
  return async () => {
    for (const id of await ids()) {
      const meter = meters.get(id) ?? (await containerCpu(id).catch(() => null));
      if (meter) meters.set(id, meter);
    }
    // One that is gone keeps what it had.
    for (const [id, meter] of meters) used.set(id, await meter().catch(() => used.get(id) ?? 0));
    return [...used.values()].reduce((sum, ms) => sum + ms, 0);
  };
}

/** Every process in a container, those that have ended included. */
export async function containerCpu(id: string): Promise<CpuMeter> {
  const { stdout } = await execute('docker', ['inspect', '--format', '{{.State.Pid}}', id]);
  const cgroups = await readFile(`/proc/${stdout.trim()}/cgroup`, 'utf8');
  const accounting = /^\d+:(?:\w+,)*cpuacct(?:,\w+)*:(.*)$/m.exec(cgroups)?.[1];
  if (accounting !== undefined) {
    const file = path.join('/sys/fs/cgroup/cpuacct', accounting, 'cpuacct.usage');
    return async () => Number(await readFile(file, 'utf8')) / 1e6;
  }
  const unified = /^0::(.*)$/m.exec(cgroups)?.[1] ?? '';
  const file = path.join('/sys/fs/cgroup', unified, 'cpu.stat');
  return async () => Number(/^usage_usec (\d+)$/m.exec(await readFile(file, 'utf8'))?.[1]) / 1000;
}

async function servesDocker(pid: string, containers: readonly string[]): Promise<boolean> {
  try {
    const name = (await readFile(`/proc/${pid}/comm`, 'utf8')).trim();
    if (DAEMONS.includes(name)) return true;
    if (!SHIM.test(name)) return false;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    return containers.some((id) => command.includes(id));
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

async function statOf(pid: number | string): Promise<{ own: number; children: number; parent: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may contain spaces: state is the first field, utime the twelfth.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number);
  const parent = Number(fields[1]);
  return { own: (user + system) * TICK_MS, children: (childUser + childSystem) * TICK_MS, parent };
}
