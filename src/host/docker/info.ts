import type { DockerVersion } from 'dockerode';
import type { HostInfo } from '../host.ts';
import type { Client } from './client.ts';

/** What the engine's `/info` says, as far as it is used. */
interface EngineInfo {
  readonly Runtimes?: Readonly<Record<string, unknown>>;
  readonly DefaultRuntime?: string;
  readonly SecurityOptions?: readonly string[] | null;
  readonly CgroupVersion?: string;
  readonly OperatingSystem?: string;
}

/** Asks the engine what it is. */
export async function hostInfo(client: Client, signal?: AbortSignal): Promise<HostInfo> {
  const address = await client.address(signal);
  const [info, version] = await Promise.all([
    client.call<EngineInfo>({ doing: 'tell what it is', signal, work: (docker) => docker.info() }),
    client.call<DockerVersion & { Version?: string }>({
      doing: 'tell its version',
      signal,
      work: (docker) => docker.version(),
    }),
  ]);
  return describe(address, info, version);
}

function describe(address: string, info: EngineInfo, version: DockerVersion & { Version?: string }): HostInfo {
  const components = version.Components ?? [];
  const podman = components.some(({ Name }) => Name === 'Podman Engine');
  const number = version.Version ?? 'of unknown version';
  const security = (info.SecurityOptions ?? []).map((option) => option.split(',')[0]);
  return {
    name: `${podman ? 'Podman' : 'Docker Engine'} ${number} at ${address}`,
    version: number,
    apiVersion: version.ApiVersion,
    runtimes: Object.keys(info.Runtimes ?? {}),
    defaultRuntime: info.DefaultRuntime ?? 'runc',
    rootless: security.includes('name=rootless'),
    seccomp: security.includes('name=seccomp'),
    cgroupVersion: info.CgroupVersion ?? '1',
    operatingSystem: info.OperatingSystem ?? 'unknown',
    runcVersion: components.find(({ Name }) => Name === 'runc')?.Version ?? null,
  };
}
