import type { HostInfo } from '../host/host.ts';

/** What makes a host's walls weaker than they could be, one sentence each with the next step. */
export function hostAdvice(host: HostInfo): string[] {
  const advice: string[] = [];
  if (isOutdatedRunc(host.runcVersion)) {
    advice.push(
      `runc ${host.runcVersion} is older than 1.2.8 or 1.3.3, which close ways out of a container; update it, or see whether your distribution has mended its own version.`,
    );
  }
  if (!host.seccomp) {
    advice.push(
      'The engine has no seccomp, so sandboxes reach more of the kernel; use a kernel and an engine that have it.',
    );
  }
  if (!host.rootless) {
    advice.push('The engine runs as root; rootless mode or user namespaces (userns-remap) would be a further wall.');
  }
  if (!hasLimits(host)) {
    advice.push(
      'The engine cannot limit memory, CPU and processes of sandboxes; boot with cgroup v2 and delegate its controllers.',
    );
  }
  return advice;
}

function isOutdatedRunc(version: string | null): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version ?? '');
  if (!parts) return false;
  const [major = 0, minor = 0, patch = 0] = parts.slice(1).map(Number);
  if (major !== 1) return major < 1;
  return minor < 2 || (minor === 2 && patch < 8) || (minor === 3 && patch < 3);
}

// Without root only cgroup v2 lets an engine set limits.
function hasLimits({ cgroupVersion, rootless }: HostInfo): boolean {
  return cgroupVersion === '2' || (cgroupVersion === '1' && !rootless);
}
