import type { HostInfo } from '../host.ts';
import type { Isolation } from '../spec.ts';
import type { Client } from './client.ts';
import { warningsAbout } from './warnings.ts';

/** The fields of Docker's `/info` that are used. */
export interface DockerInfo {
  readonly Runtimes?: Readonly<Record<string, unknown>>;
  readonly DefaultRuntime?: string;
  readonly SecurityOptions?: readonly string[] | null;
  readonly CgroupVersion?: string;
  /** The storage driver. */
  readonly Driver?: string;
  readonly MemoryLimit?: boolean;
  readonly SwapLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
  readonly PidsLimit?: boolean;
  /** Podman's, which does not list it among the security options. */
  readonly Rootless?: boolean;
}

/** The fields of Docker's `/version` that are used. */
export interface DockerVersion {
  readonly ApiVersion: string;
  readonly Version?: string;
  readonly Components?: readonly { readonly Name: string; readonly Version: string }[];
  readonly Platform?: { readonly Name?: string };
}

/** Describes the Docker Engine. */
export async function hostInfo(client: Client, signal?: AbortSignal): Promise<HostInfo> {
  const address = await client.address(signal);
  const [info, version] = await Promise.all([
    dockerInfo(client, signal),
    client.call<DockerVersion>({ doing: 'report its version', signal, work: (docker) => docker.version() }),
  ]);
  return describeHost(address, info, version);
}

/** Docker's `/info`. */
export function dockerInfo(client: Client, signal?: AbortSignal): Promise<DockerInfo> {
  return client.call({ doing: 'describe itself', signal, work: (docker) => docker.info() });
}

/** The description from both answers. */
export function describeHost(address: string, info: DockerInfo, version: DockerVersion): HostInfo {
  const components = version.Components ?? [];
  const podman = isPodman(version);
  const rootless = isRootless(info);
  const isolation = isolationOf(info, rootless);
  return {
    name: `${podman ? 'Podman' : 'Docker Engine'} ${version.Version ?? 'of unknown version'} at ${address}`,
    details: [`API ${version.ApiVersion}`, rootless ? 'rootless' : 'rootful'],
    defaultRuntime: info.DefaultRuntime ?? 'runc',
    isolation,
    warnings: warningsAbout({
      engine: podman ? 'Podman' : 'Docker',
      isolation,
      runcVersion: components.find(({ Name }) => Name === 'runc')?.Version ?? null,
      desktopVersion: desktopVersion(version.Platform?.Name ?? ''),
      storage: info.Driver ?? null,
    }),
  };
}

/** Whether it is Podman that answered. */
export function isPodman({ Components: components = [] }: DockerVersion): boolean {
  return components.some(({ Name }) => Name === 'Podman Engine');
}

/** Whether users of a container are other users outside it. */
export function mapsUsers(info: DockerInfo): boolean {
  return securityNames(info).includes('name=userns') || isRootless(info);
}

function isRootless(info: DockerInfo): boolean {
  return info.Rootless === true || securityNames(info).includes('name=rootless');
}

function isolationOf(info: DockerInfo, rootless: boolean): Isolation {
  // Without root Docker can set limits only with cgroup v2, whatever it reports. Unknown fields do not count as
  // missing.
  const limits = !(rootless && (info.CgroupVersion ?? '1') === '1');
  return {
    memoryLimit: limits && info.MemoryLimit !== false,
    swapLimit: limits && info.SwapLimit !== false,
    cpuLimit: limits && info.CpuCfsQuota !== false,
    processLimit: limits && info.PidsLimit !== false,
    systemCallFilter: securityNames(info).includes('name=seccomp'),
    networkIsolation: true,
    readOnlyRoot: true,
    unprivilegedUser: true,
    userNamespace: mapsUsers(info),
  };
}

function securityNames({ SecurityOptions: options }: DockerInfo): (string | undefined)[] {
  return (options ?? []).map((option) => option.split(',')[0]);
}

/** From `Docker Desktop 4.43.2 (199162)`. */
function desktopVersion(platform: string): string | null {
  return /^Docker Desktop (\d+\.\d+\.\d+)/.exec(platform)?.[1] ?? null;
}
