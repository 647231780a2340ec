import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Surroundings } from './candidates.ts';

/** What the advice about a missing engine depends on. */
export interface MachineFacts {
  readonly platform: NodeJS.Platform;
  /** The engine's program is there, whether or not it runs. */
  readonly installed: boolean;
  /** Packages come by apt. */
  readonly apt: boolean;
  readonly systemd: boolean;
  /** This process runs as root. */
  readonly root: boolean;
}

/** Looks at this machine. */
export async function machineFacts({ env, platform }: Pick<Surroundings, 'env' | 'platform'>): Promise<MachineFacts> {
  const folders = [...(env.PATH ?? '').split(':').filter(Boolean), '/usr/sbin', '/usr/local/bin'];
  const [apt, systemd, ...programs] = await Promise.all(
    ['/etc/debian_version', '/run/systemd/system', ...folders.map((folder) => join(folder, 'dockerd'))].map(exists),
  );
  return {
    platform,
    installed: programs.includes(true),
    apt: apt === true,
    systemd: systemd === true,
    root: process.getuid?.() === 0,
  };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
