import type { ContainerCreateOptions, HostConfig, MountSettings } from 'dockerode';
import { LABEL } from '../labels.ts';
import { LOOPBACK_ONLY } from '../network.ts';
import {
  type ContainerSpec,
  MASKED_PATHS,
  memoryMounts,
  resourceLimits,
  type TmpfsSpec,
  type VolumeSpec,
} from '../spec.ts';

/** In microseconds; the kernel's own. */
export const CPU_PERIOD = 100_000;

/**
 * The spec as options of the Engine API, for the user and group of this id. Everything about isolation that the spec
 * leaves open is closed here. `proxy` is the id of its proxy's container, where it has one.
 */
export function createOptions(spec: ContainerSpec, user: number, proxy?: string): ContainerCreateOptions {
  return {
    Image: spec.image,
    // As the entry point, so that the image's own does not run; its health check would be a foreign process.
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
    StdinOnce: !spec.isAttachable,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: hostConfig(spec, user, proxy),
  };
}

/** When the machine itself runs out of memory, sandboxes go first. */
export const OOM_SCORE = 500;

/** No terminals: the kernel limits them for the whole machine, not per sandbox. */
export const NO_TERMINALS = { path: '/dev/pts', options: 'ro,nosuid,nodev,noexec,size=4096,mode=0555' };

function hostConfig(spec: ContainerSpec, user: number, proxy: string | undefined): HostConfig {
  const isOpen = spec.network === 'bridge';
  return {
    AutoRemove: true,
    Init: false,
    Privileged: false,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges', `seccomp=${spec.seccomp}`],
    ReadonlyRootfs: spec.readOnlyRoot,
    NetworkMode: isOpen ? 'bridge' : 'none',
    Sysctls: isOpen ? {} : LOOPBACK_ONLY,
    // The folder with the proxy's socket.
    ...(proxy === undefined ? {} : { VolumesFrom: [`${proxy}:ro`] }),
    IpcMode: 'private',
    PidsLimit: spec.pids,
    Memory: spec.memoryBytes,
    // Equal to the memory means: no swap.
    MemorySwap: spec.memoryBytes,
    ...processorLimits(spec.cpus),
    OomScoreAdj: OOM_SCORE,
    Tmpfs: {
      ...Object.fromEntries(memoryMounts(spec).map((mount) => [mount.path, tmpfsOptions(mount, user)])),
      [NO_TERMINALS.path]: NO_TERMINALS.options,
    },
    Mounts: spec.volumes.map((volume) => volumeMount(volume, spec)),
    MaskedPaths: MASKED_PATHS,
    ShmSize: spec.shmBytes,
    Ulimits: Object.entries(resourceLimits(spec)).map(([Name, most]) => ({ Name, Soft: most, Hard: most })),
    LogConfig: { Type: 'none', Config: {} },
    ...(spec.runtime === null ? {} : { Runtime: spec.runtime }),
  };
}

/** The limit of CPU time. Not as NanoCpus, which Docker refuses when the machine has fewer. */
export function processorLimits(cpus: number): { readonly CpuPeriod: number; readonly CpuQuota: number } {
  return { CpuPeriod: CPU_PERIOD, CpuQuota: Math.round(cpus * CPU_PERIOD) };
}

/** Labels of a volume: one with a name outlives its container, so it has no owner. */
export function volumeLabels({ name }: VolumeSpec, { labels }: ContainerSpec): Record<string, string> {
  const { [LABEL.owner]: _, ...shared } = labels;
  return name === null ? { ...labels } : shared;
}

/** Docker removes a volume without a name with its container, unless that is removed by `docker rm` without `-v`. */
function volumeMount(volume: VolumeSpec, spec: ContainerSpec): MountSettings {
  const Labels = volumeLabels(volume, spec);
  const VolumeOptions = { NoCopy: true, Labels, DriverConfig: { Name: 'local', Options: {} } };
  return { Type: 'volume', Source: volume.name ?? '', Target: volume.path, VolumeOptions };
}

/** Options of the mount, as for `mount -o`, for the user and group of this id. */
export function tmpfsOptions({ bytes, inodes, mode, exec }: TmpfsSpec, user: number): string {
  const access = ['rw', 'nosuid', 'nodev', exec ? 'exec' : 'noexec'];
  return [...access, `size=${bytes}`, `nr_inodes=${inodes}`, `mode=${mode}`, `uid=${user}`, `gid=${user}`].join(',');
}
