import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { type ContainerSpec, inodesOf, type TmpfsSpec } from '../spec.ts';

/** In microseconds; the kernel's own. */
const CPU_PERIOD = 100_000;
const STACK_BYTES = 8 * 1024 * 1024;

/** Signals and timers under way that a sandbox's processes may have together. */
const PENDING_SIGNALS = 4_096;

/**
 * The spec as the Engine API wants it, for the user and group of this id. Everything about isolation that the spec
 * leaves open is closed here.
 */
export function createOptions(spec: ContainerSpec, user: number): ContainerCreateOptions {
  return {
    Image: spec.image,
    // As the entry point, so that the image's own cannot come between; its health check would be a stranger's process.
    Entrypoint: [...spec.argv],
    Cmd: [],
    Healthcheck: { Test: ['NONE'] },
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    Labels: { ...spec.labels },
    User: `${user}:${user}`,
    WorkingDir: spec.workingDir,
    Hostname: 'sandbox',
    StopTimeout: 1,
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: hostConfig(spec, user),
  };
}

function hostConfig(spec: ContainerSpec, user: number): HostConfig {
  return {
    AutoRemove: true,
    Init: false,
    Privileged: false,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges', `seccomp=${spec.seccomp}`],
    ReadonlyRootfs: spec.readOnlyRoot,
    NetworkMode: spec.network,
    IpcMode: 'private',
    PidsLimit: spec.pids,
    Memory: spec.memoryBytes,
    // Equal to the memory means: no swap.
    MemorySwap: spec.memoryBytes,
    // Not as NanoCpus, which the engine refuses when the machine has fewer.
    CpuPeriod: CPU_PERIOD,
    CpuQuota: Math.round(spec.cpus * CPU_PERIOD),
    // When the machine itself runs out of memory, sandboxes go first.
    OomScoreAdj: 500,
    Tmpfs: Object.fromEntries([...spec.tmpfs, sharedMemory(spec)].map((mount) => [mount.path, tmpfs(mount, user)])),
    ShmSize: spec.shmBytes,
    Ulimits: [
      { Name: 'core', Soft: 0, Hard: 0 },
      { Name: 'nofile', Soft: 4096, Hard: 4096 },
      // A recursion without end meets it before it has all the memory.
      { Name: 'stack', Soft: STACK_BYTES, Hard: STACK_BYTES },
      // POSIX message queues are counted for each user id across all containers: one sandbox could starve the others.
      { Name: 'msgqueue', Soft: 0, Hard: 0 },
      // These the kernel counts for the user id as well, which is the sandbox's own.
      { Name: 'nproc', Soft: spec.pids, Hard: spec.pids },
      { Name: 'sigpending', Soft: PENDING_SIGNALS, Hard: PENDING_SIGNALS },
    ],
    LogConfig: { Type: 'none', Config: {} },
    ...(spec.runtime === null ? {} : { Runtime: spec.runtime }),
  };
}

/** The engine's own /dev/shm has no limit of inodes; a mount of ours takes its place. */
function sharedMemory({ shmBytes }: ContainerSpec): TmpfsSpec {
  return { path: '/dev/shm', bytes: shmBytes, inodes: inodesOf(shmBytes), mode: '0700', exec: false };
}

function tmpfs({ bytes, inodes, mode, exec }: TmpfsSpec, user: number): string {
  const access = ['rw', 'nosuid', 'nodev', exec ? 'exec' : 'noexec'];
  return [...access, `size=${bytes}`, `nr_inodes=${inodes}`, `mode=${mode}`, `uid=${user}`, `gid=${user}`].join(',');
}
