import lt from 'semver/functions/lt.js';
import satisfies from 'semver/functions/satisfies.js';
import type { Isolation } from '../spec.ts';

/** What warnings depend on. */
export interface DockerFacts {
  readonly engine: 'Docker' | 'Podman';
  readonly isolation: Isolation;
  /** Null when Docker does not report it. */
  readonly runcVersion: string | null;
  /** Version of Docker Desktop, or null when Docker is no part of one. */
  readonly desktopVersion: string | null;
  /** Name of the storage driver; null when it is not reported. */
  readonly storage: string | null;
}

const WARNINGS = [
  runcWarning,
  desktopWarning,
  seccompWarning,
  rootWarning,
  limitsWarning,
  storageWarning,
  resumeWarning,
];

/** What makes isolation weaker than it could be, and what Podman cannot do; one sentence each with the next step. */
export function warningsAbout(facts: DockerFacts): string[] {
  return WARNINGS.flatMap((look) => look(facts) ?? []);
}

/** Versions of runc whose masked paths and consoles are ways out of a container. */
const UNSAFE_RUNC = '<1.2.8 || >=1.3.0-0 <1.3.3 || >=1.4.0-0 <1.4.0-rc.3';
const SAFE_RUNC = '1.2.8, 1.3.3, 1.4.0-rc.3';
/** Before this version, containers could reach Docker Desktop's own Docker Engine over its internal network. */
const SAFE_DESKTOP = '4.44.3';

function runcWarning({ runcVersion }: DockerFacts): string | null {
  // Debian writes the candidates of a release with a tilde.
  const version = runcVersion?.replace('~', '-') ?? '';
  if (!satisfies(version, UNSAFE_RUNC, { includePrerelease: true, loose: true })) return null;
  return `runc ${runcVersion} is older than ${SAFE_RUNC}, which close ways out of a container; update it, or check whether your distribution has patched its own version.`;
}

function desktopWarning({ desktopVersion }: DockerFacts): string | null {
  if (desktopVersion === null || !lt(desktopVersion, SAFE_DESKTOP)) return null;
  return `Docker Desktop ${desktopVersion} is older than ${SAFE_DESKTOP}, before which a container could reach the Docker Engine itself; update it.`;
}

function seccompWarning({ engine, isolation }: DockerFacts): string | null {
  if (isolation.systemCallFilter) return null;
  return `${engine} has no seccomp, which keeps sandboxes from most of the kernel; use a kernel and a version of ${engine} that have it.`;
}

function rootWarning({ engine, isolation }: DockerFacts): string | null {
  if (isolation.userNamespace) return null;
  if (engine === 'Podman')
    return 'Podman runs as root; the Podman of a user without root would isolate sandboxes further.';
  return 'Docker runs as root; rootless mode or user namespaces (userns-remap) would isolate sandboxes further.';
}

function limitsWarning({ engine, isolation }: DockerFacts): string | null {
  const limits = {
    memory: isolation.memoryLimit,
    swap: isolation.swapLimit,
    CPU: isolation.cpuLimit,
    processes: isolation.processLimit,
  };
  const names = Object.keys(limits);
  const missing = Object.entries(limits).flatMap(([name, holds]) => (holds ? [] : [name]));
  if (missing.length === 0) return null;
  const which = missing.length === names.length ? 'any' : missing.join(', ');
  return `${engine} cannot set these limits of sandboxes: ${which}; boot with cgroup v2 and all its controllers, and delegate them to a rootless ${engine}.`;
}

function storageWarning({ engine, storage }: DockerFacts): string | null {
  if (engine !== 'Podman' || storage !== 'vfs') return null;
  return 'Podman copies the whole image for each sandbox, because its storage driver is vfs; set driver to overlay in storage.conf.';
}

function resumeWarning({ engine }: DockerFacts): string | null {
  if (engine !== 'Podman') return null;
  return 'Podman ends a sandbox when the window or process that uses it ends; use Docker for sessions that continue after a reload.';
}
