import type { ContainerNetwork } from './network.ts';
import { proxyVariables } from './proxy/rules.ts';
import { SECCOMP_PROFILE } from './seccomp/profile.ts';

/** A mount that is empty at start and lives in memory. */
export interface TmpfsSpec {
  readonly path: string;
  readonly bytes: number;
  readonly inodes: number;
  /** Octal, for example `0700`. */
  readonly mode: string;
  readonly exec: boolean;
}

/** A folder on the host's disk. Only `Container.putArchive` adds to one that is not writable. */
export interface VolumeSpec {
  readonly path: string;
  /** It is kept under this name, and shared by all containers that name it; null: empty at start, and gone with them. */
  readonly name: string | null;
  /** Whether the container's user owns a folder `data` in it; all else in a volume belongs to root. */
  readonly isWritable: boolean;
}

/**
 * Everything that decides how a sandbox's container is made: plain data, the same for every host.
 */
export interface ContainerSpec {
  readonly image: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly workingDir: string;
  readonly memoryBytes: number;
  /** CPUs, fractions allowed. */
  readonly cpus: number;
  readonly pids: number;
  readonly network: ContainerNetwork;
  readonly readOnlyRoot: boolean;
  readonly tmpfs: readonly TmpfsSpec[];
  readonly volumes: readonly VolumeSpec[];
  /** Id of its user and group; null: the host chooses an unprivileged one that nothing else on the machine has. */
  readonly user: number | null;
  /** Bytes of /dev/shm. */
  readonly shmBytes: number;
  /** OCI runtime, or null for the host's default. */
  readonly runtime: string | null;
  /** Seccomp profile as JSON text. */
  readonly seccomp: string;
  /** Its programs reserve more writable memory than they use: a host limits what they use alone. */
  readonly reservesMemory?: boolean;
  /** Its stdin stays open when this process leaves it, so that another one can attach. */
  readonly isAttachable?: boolean;
}

/**
 * What isolates a sandbox. Each measure means the same on every host; a host reports which of them hold for the
 * containers that it makes.
 */
export interface Isolation {
  /** Memory, with what lies in tmpfs mounts, is limited to `memoryBytes`. */
  readonly memoryLimit: boolean;
  /** No swap is used beyond that. */
  readonly swapLimit: boolean;
  /** CPU time is limited to `cpus`. */
  readonly cpuLimit: boolean;
  /** Processes and threads are limited to `pids`. */
  readonly processLimit: boolean;
  /** Only the system calls that `seccomp` allows can be made. */
  readonly systemCallFilter: boolean;
  /** Without `network: 'bridge'` there is no interface but the sandbox's own loopback. */
  readonly networkIsolation: boolean;
  /** With `readOnlyRoot` nothing but the `tmpfs` mounts can be written. */
  readonly readOnlyRoot: boolean;
  /** Processes run as an unprivileged user of their own, without capabilities, and cannot gain any. */
  readonly unprivilegedUser: boolean;
  /** Users inside are other users outside, so that even root inside has no rights on the machine. */
  readonly userNamespace: boolean;
}

/** What a caller may choose; the rest of the spec is fixed by policy. */
export interface SandboxLimits {
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
  readonly workspaceBytes: number;
  readonly tmpBytes: number;
  readonly network: ContainerNetwork;
  readonly readOnlyRoot: boolean;
  readonly runtime: string | null;
}

/** What a spec may have beside its limits. */
export interface SpecExtras {
  /** Environment variables of the language, beside those that every sandbox has. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly volumes?: readonly VolumeSpec[];
  readonly user?: number;
  readonly reservesMemory?: boolean;
}

/**
 * Files of /proc and /sys that a sandbox does not need: those that Docker masks, which this list replaces, and those
 * that show the locks and interrupts of the whole machine.
 */
export const MASKED_PATHS = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/key-users',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/locks',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/sys/devices/virtual/powercap',
  '/sys/firmware',
];

/** Where a session's files live. */
const WORKSPACE = '/workspace';

/** Reads the agent's length-prefixed bundle from stdin byte-exactly and runs it; anything after it is frames. */
export const AGENT_LOADER = [
  'import os',
  'def take(n):',
  ' b=b""',
  ' while len(b)<n:',
  '  c=os.read(0,n-len(b))',
  '  if not c: os._exit(70)',
  '  b+=c',
  ' return b',
  'exec(compile(take(int(take(8))),"<hothouse>","exec"))',
].join('\n');

/**
 * Inodes of a mount of that size: one for every 16 KiB. They are memory too, beside the mount's own size, and a reset has
 * to remove every one of them in time.
 */
export function inodesOf(bytes: number): number {
  return Math.ceil(bytes / (16 * 1024));
}

/** Everything writable that lives in memory. A host's own /dev/shm may have no limit of inodes: a mount of ours replaces it. */
export function memoryMounts({ tmpfs, shmBytes }: ContainerSpec): TmpfsSpec[] {
  return [...tmpfs, { path: '/dev/shm', bytes: shmBytes, inodes: inodesOf(shmBytes), mode: '0700', exec: false }];
}

/** Limits of the kernel's `setrlimit` that every process of a sandbox has, soft and hard. */
export function resourceLimits({ pids }: Pick<ContainerSpec, 'pids'>) {
  return {
    // Of one byte no core file is written, and unlike 0 it also keeps the machine from starting the program that it may
    // have for core files.
    core: 1,
    // The open files of a full sandbox then are a twentieth of what an ordinary machine has.
    nofile: 1_024,
    // A recursion without end meets it before it has all the memory.
    stack: 8 * 1024 * 1024,
    // POSIX message queues are counted for each user id across all containers: one sandbox could starve the others.
    msgqueue: 0,
    // These the kernel counts for the user id as well, which is the sandbox's own.
    nproc: pids,
    sigpending: 4_096,
  };
}

/** The one builder of container specs. */
export function containerSpec(
  image: string,
  limits: SandboxLimits,
  labels: Readonly<Record<string, string>>,
  { variables = {}, volumes = [], user, reservesMemory = false }: SpecExtras = {},
): ContainerSpec {
  const mount = (path: string, bytes: number, exec: boolean): TmpfsSpec => ({
    path,
    bytes,
    inodes: inodesOf(bytes),
    mode: '0700',
    exec,
  });
  return {
    image,
    argv: ['python3', '-I', '-c', AGENT_LOADER],
    env: {
      ...variables,
      ...(typeof limits.network === 'object' && proxyVariables(limits.network)),
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: WORKSPACE,
      // Its id has no entry in the image's list of users.
      USER: 'sandbox',
      LOGNAME: 'sandbox',
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      XDG_CACHE_HOME: '/tmp/cache',
    },
    labels,
    // The agent enters the workspace only in processes of runs.
    workingDir: '/',
    memoryBytes: limits.memoryBytes,
    cpus: limits.cpus,
    pids: limits.pids,
    network: limits.network,
    readOnlyRoot: limits.readOnlyRoot,
    tmpfs: [mount(WORKSPACE, limits.workspaceBytes, true), mount('/tmp', limits.tmpBytes, true)],
    volumes,
    user: user ?? null,
    shmBytes: limits.tmpBytes,
    runtime: limits.runtime,
    seccomp: SECCOMP_PROFILE,
    ...(reservesMemory && { reservesMemory }),
  };
}
