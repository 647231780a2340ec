import type { HostInfo, SandboxLimit } from '../host.ts';
import type { Client } from './client.ts';

/** What the engine's `/info` says, as far as it is used. */
interface EngineInfo {
  readonly Runtimes?: Readonly<Record<string, unknown>>;
  readonly DefaultRuntime?: string;
  readonly SecurityOptions?: readonly string[] | null;
  readonly CgroupVersion?: string;
  readonly OperatingSystem?: string;
  readonly MemoryLimit?: boolean;
  readonly SwapLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
  readonly PidsLimit?: boolean;
}

/** What the engine's `/version` says, as far as it is used. */
interface EngineVersion {
  readonly ApiVersion: string;
  readonly Version?: string;
  readonly Components?: readonly { readonly Name: string; readonly Version: string }[];
  readonly Platform?: { readonly Name?: string };
}

/** Asks the engine what it is. */
export async function hostInfo(client: Client, signal?: AbortSignal): Promise<HostInfo> {
  const address = await client.address(signal);
  const [info, version] = await Promise.all([
    client.call<EngineInfo>({ doing: 'tell what it is', signal, work: (docker) => docker.info() }),
    client.call<EngineVersion>({
      doing: 'tell its version',
      signal,
      work: (docker) => docker.version(),
    }),
  ]);
  return infoOf(address, info, version);
}

/** What both answers together say. */
export function infoOf(address: string, info: EngineInfo, version: EngineVersion): HostInfo {
  const components = version.Components ?? [];
  const podman = components.some(({ Name }) => Name === 'Podman Engine');
  const number = version.Version ?? 'of unknown version';
  const security = namesOf(info.SecurityOptions);
  return {
    name: `${podman ? 'Podman' : 'Docker Engine'} ${number} at ${address}`,
    version: number,
    apiVersion: version.ApiVersion,
    runtimes: Object.keys(info.Runtimes ?? {}),
    defaultRuntime: info.DefaultRuntime ?? 'runc',
    rootless: security.includes('name=rootless'),
    userNamespaces: mapsUsers(info.SecurityOptions),
    seccomp: security.includes('name=seccomp'),
    cgroupVersion: info.CgroupVersion ?? '1',
    operatingSystem: info.OperatingSystem ?? 'unknown',
    runcVersion: components.find(({ Name }) => Name === 'runc')?.Version ?? null,
    desktopVersion: desktopVersion(version.Platform?.Name ?? ''),
    missingLimits: missingLimits(info),
  };
}

/** Whether users of a container are other users outside it, as the security options of `/info` tell. */
export function mapsUsers(securityOptions: EngineInfo['SecurityOptions']): boolean {
  const names = namesOf(securityOptions);
  return names.includes('name=userns') || names.includes('name=rootless');
}

function namesOf(securityOptions: EngineInfo['SecurityOptions']): (string | undefined)[] {
  return (securityOptions ?? []).map((option) => option.split(',')[0]);
}

/** From `Docker Desktop 4.43.2 (199162)`. */
function desktopVersion(platform: string): string | null {
  return /^Docker Desktop (\d+\.\d+\.\d+)/.exec(platform)?.[1] ?? null;
}

function missingLimits({ MemoryLimit, SwapLimit, CpuCfsQuota, PidsLimit }: EngineInfo): SandboxLimit[] {
  const known: [SandboxLimit, boolean | undefined][] = [
    ['memory', MemoryLimit],
    ['swap', SwapLimit],
    ['CPU', CpuCfsQuota],
    ['processes', PidsLimit],
  ];
  // What an engine does not speak of is not held against it.
  return known.filter(([, can]) => can === false).map(([limit]) => limit);
}
