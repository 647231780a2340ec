import { UsageError } from '../command.ts';

/** Where files are copied from or to. */
export type Place =
  | { readonly kind: 'local'; readonly path: string }
  /** A tar archive, or one file, on standard input or output. */
  | { readonly kind: 'stream' }
  | RemotePlace;

/** A path in the working folder of a session, or of a run whose files are kept. */
export interface RemotePlace {
  readonly kind: 'session' | 'run';
  readonly id: string;
  readonly path: string;
}

/**
 * `-`, `SESSION:PATH`, `RUN:PATH`, or a path of this machine. A path with a colon begins with `./` or `/`; one letter before
 * the colon is a drive.
 */
export function parsePlace(text: string): Place {
  if (text === '-') return { kind: 'stream' };
  const [, id, path] = /^([^./\\:][^/\\:]+):(.*)$/s.exec(text) ?? [];
  if (id === undefined || path === undefined) return { kind: 'local', path: text };
  return { kind: id.startsWith('run-') ? 'run' : 'session', id, path };
}

/** The remote one of two places, and what the other is. Throws `UsageError` unless there is exactly one. */
export function directionOf(
  source: Place,
  target: Place,
): { readonly direction: 'in' | 'out'; readonly remote: RemotePlace; readonly other: Exclude<Place, RemotePlace> } {
  if (isRemote(source) && !isRemote(target)) return { direction: 'out', remote: source, other: target };
  if (!isRemote(source) && isRemote(target)) {
    if (target.kind === 'run') throw new UsageError('a run has ended: files go into a session.');
    return { direction: 'in', remote: target, other: source };
  }
  throw new UsageError('one of SOURCE and TARGET must be SESSION:PATH, and the other a path of this machine or -.');
}

function isRemote(place: Place): place is RemotePlace {
  return place.kind === 'session' || place.kind === 'run';
}
