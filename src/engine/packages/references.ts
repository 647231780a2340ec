import type { EnvironmentLock } from '../environment/definition.ts';
import { packageName } from './packageName.ts';

/** What a session has of NuGet, as far as no installer has to be asked. */
export interface KnownPackages {
  /** Of the session's environment; null for that of a language. */
  readonly lock: EnvironmentLock | null;
  /** Normal name → what was installed into the session, which comes before what the environment has. */
  readonly added: ReadonlyMap<string, { readonly version: string }> | undefined;
}

/**
 * Whether a package of NuGet is there in the version that an entry such as `Name@1.0` names, or in any where it names none.
 * False also where only an installer can tell, as for a range.
 */
export function isThere(entry: string, { lock, added }: KnownPackages): boolean {
  const name = packageName('nuget', entry);
  const version = added?.get(name)?.version ?? lockedVersion(lock?.nuget ?? '', name);
  const wanted = entry.slice(name.length + 1);
  return version !== null && (wanted === '' || plain(wanted) === plain(version));
}

function lockedVersion(lock: string, name: string): string | null {
  const found = lock.split('\n').find((line) => line.toLowerCase().startsWith(`${name}@`));
  return found ? found.slice(name.length + 1, found.indexOf(' ')) : null;
}

/** Versions that differ in zeros at their end or in build metadata are one. */
function plain(version: string): string {
  return version
    .toLowerCase()
    .replace(/\+.*$/, '')
    .replace(/^([0-9.]+?)(?:\.0+)+(?=-|$)/, '$1');
}
