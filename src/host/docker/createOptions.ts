import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { ContainerSpec, TmpfsSpec } from '../spec.ts';

/** The spec as the Engine API wants it. Everything about isolation that the spec leaves open is closed here. */
export function createOptions(spec: ContainerSpec): ContainerCreateOptions {
  return {
    Image: spec.image,
    // As the entry point, so that the image's own cannot come between; its health check would be a stranger's process.
    Entrypoint: [...spec.argv],
    Cmd: [],
    Healthcheck: { Test: ['NONE'] },
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    Labels: { ...spec.labels },
    User: spec.user,
    WorkingDir: spec.workingDir,
    Hostname: 'sandbox',
    StopTimeout: 1,
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: hostConfig(spec),
  };
}

function hostConfig(spec: ContainerSpec): HostConfig {
  return {
    AutoRemove: true,
    Init: false,
    Privileged: false,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges', ...(spec.seccomp === null ? [] : [`seccomp=${spec.seccomp}`])],
    ReadonlyRootfs: spec.readOnlyRoot,
    NetworkMode: spec.network,
    IpcMode: 'private',
    PidsLimit: spec.pids,
    Memory: spec.memoryBytes,
    // Equal to the memory means: no swap.
    MemorySwap: spec.memoryBytes,
    NanoCpus: Math.round(spec.cpus * 1e9),
    // When the machine itself runs out of memory, sandboxes go first.
    OomScoreAdj: 500,
    Tmpfs: Object.fromEntries(
      [...spec.tmpfs, sharedMemory(spec)].map((mount) => [mount.path, tmpfs(mount, spec.user)]),
    ),
    ShmSize: spec.shmBytes,
    Ulimits: [
      { Name: 'core', Soft: 0, Hard: 0 },
      { Name: 'nofile', Soft: 4096, Hard: 4096 },
      // POSIX message queues are counted for each user id across all containers: one sandbox could starve the others.
      { Name: 'msgqueue', Soft: 0, Hard: 0 },
    ],
    LogConfig: { Type: 'none', Config: {} },
    ...(spec.runtime === null ? {} : { Runtime: spec.runtime }),
  };
}

/** The engine's own /dev/shm has no limit of inodes; a mount of ours takes its place. */
function sharedMemory({ shmBytes }: ContainerSpec): TmpfsSpec {
  return { path: '/dev/shm', bytes: shmBytes, inodes: Math.ceil(shmBytes / 4096), mode: '0700', exec: false };
}

function tmpfs({ bytes, inodes, mode, exec }: TmpfsSpec, user: string): string {
  const [uid, gid] = user.split(':');
  const access = ['rw', 'nosuid', 'nodev', exec ? 'exec' : 'noexec'];
  return [...access, `size=${bytes}`, `nr_inodes=${inodes}`, `mode=${mode}`, `uid=${uid}`, `gid=${gid}`].join(',');
}
