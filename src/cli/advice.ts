import type { HostInfo } from '../host/host.ts';

/** What makes a host's walls weaker than they could be, one sentence each with the next step. */
export function hostAdvice(host: HostInfo): string[] {
  return [runcAdvice, desktopAdvice, seccompAdvice, rootAdvice, limitsAdvice].flatMap((look) => look(host) ?? []);
}

/** The first runc whose masked paths and consoles are no way out of a container, and the first of each later line. */
const MENDED_RUNC = '1.2.8';
const MENDED_LATER = ['1.3.3', '1.4.0-rc.3'];
/** Before it, containers reached the engine of Docker Desktop by its internal network. */
const MENDED_DESKTOP = '4.44.3';

function runcAdvice({ runcVersion }: HostInfo): string | null {
  if (runcVersion === null || !isOutdatedRunc(runcVersion)) return null;
  return `runc ${runcVersion} is older than ${[MENDED_RUNC, ...MENDED_LATER].join(', ')}, which close ways out of a container; update it, or see whether your distribution has mended its own version.`;
}

function desktopAdvice({ desktopVersion }: HostInfo): string | null {
  if (desktopVersion === null || !isBefore(desktopVersion, MENDED_DESKTOP)) return null;
  return `Docker Desktop ${desktopVersion} is older than ${MENDED_DESKTOP}, before which a container could reach the engine itself; update it.`;
}

function seccompAdvice({ seccomp }: HostInfo): string | null {
  if (seccomp) return null;
  return 'The engine has no seccomp, which keeps sandboxes from most of the kernel; use a kernel and an engine that have it.';
}

function rootAdvice({ rootless, userNamespaces }: HostInfo): string | null {
  if (rootless || userNamespaces) return null;
  return 'The engine runs as root; rootless mode or user namespaces (userns-remap) would be a further wall.';
}

function limitsAdvice({ cgroupVersion, rootless, missingLimits }: HostInfo): string | null {
  // Without root only cgroup v2 lets an engine set limits, whatever it says.
  const missing = rootless && cgroupVersion === '1' ? ['any'] : missingLimits;
  if (missing.length === 0) return null;
  return `The engine cannot set these limits of sandboxes: ${missing.join(', ')}; boot with cgroup v2 and all its controllers, and delegate them to a rootless engine.`;
}

function isOutdatedRunc(version: string): boolean {
  const line = version.split('.').slice(0, 2).join('.');
  return isBefore(version, MENDED_LATER.find((mended) => mended.startsWith(`${line}.`)) ?? MENDED_RUNC);
}

/** Compares number by number; a release candidate comes before its release. What is no version is before nothing. */
function isBefore(version: string, other: string): boolean {
  const [one, two] = [numbersOf(version), numbersOf(other)];
  const at = one.findIndex((number, index) => number !== two[index]);
  return at >= 0 && (one[at] ?? 0) < (two[at] ?? 0);
}

function numbersOf(version: string): number[] {
  const [, major, minor, patch, candidate] = /^v?(\d+)\.(\d+)\.(\d+)(?:[-~]rc\.?(\d+))?/.exec(version) ?? [];
  return major === undefined ? [] : [major, minor, patch, candidate ?? Number.POSITIVE_INFINITY].map(Number);
}
