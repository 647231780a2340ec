import { access, readFile } from 'node:fs/promises';
import type { Problem } from '../problem.ts';

type Reason = Pick<Problem, 'message' | 'advice'> & { readonly command?: string };

const KINDS = ['user', 'pid', 'mnt', 'net', 'ipc', 'uts'];
const NAMESPACES = 10_000;

/** The kernel, AppArmor or a container lets no ordinary user make namespaces: which of them does, and what allows it. */
export async function forbidden(said: string): Promise<Problem> {
  const reason = (await byKernel()) ?? (await byAppArmor()) ?? (await byContainer(said)) ?? unknown(said);
  return { kind: 'permission_denied', ...reason };
}

async function byKernel(): Promise<Reason | null> {
  if ((await numberIn('/proc/sys/kernel/unprivileged_userns_clone')) === 0) {
    return bySetting('kernel.unprivileged_userns_clone', 0, 1);
  }
  for (const kind of KINDS) {
    const setting = `user.max_${kind}_namespaces`;
    if ((await numberIn(`/proc/sys/${setting.replace('.', '/')}`)) === 0) return bySetting(setting, 0, NAMESPACES);
  }
  return null;
}

async function byAppArmor(): Promise<Reason | null> {
  const setting = 'kernel.apparmor_restrict_unprivileged_userns';
  const isOn = (await numberIn(`/proc/sys/${setting.replace('.', '/')}`)) === 1;
  return isOn ? bySetting(setting, 1, 0) : null;
}

function bySetting(setting: string, found: number, wanted: number): Reason {
  return {
    message: `This machine lets no ordinary user make namespaces: ${setting} is ${found}.`,
    advice: `Set ${setting} to ${wanted}, also in /etc/sysctl.d to keep it, or set the option host.kind to docker.`,
    command: `sudo sysctl ${setting}=${wanted}`,
  };
}

/** Docker's and Podman's own filters and masked files of /proc keep bubblewrap from working in a container. */
async function byContainer(said: string): Promise<Reason | null> {
  const isContainer = (await exists('/.dockerenv')) || (await exists('/run/.containerenv'));
  if (!isContainer) return null;
  return {
    message: `This container lets its users make no namespaces: ${said}`,
    advice:
      'Start the container with --security-opt seccomp=unconfined --security-opt systempaths=unconfined (in devcontainer.json: runArgs), or set the option host.kind to docker.',
  };
}

function unknown(said: string): Reason {
  return {
    message: `This machine lets no ordinary user make namespaces: ${said}`,
    advice: 'Allow user namespaces in the settings of its kernel, or set the option host.kind to docker.',
  };
}

/** Null when there is no such file. */
async function numberIn(path: string): Promise<number | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text === null ? null : Number(text);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
