import { randomBytes } from 'node:crypto';

/** A new session's id, short enough to be read and typed: `py-3f9a2c81`. */
export function newSessionId(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`;
}

/** A new run's id: `run-9b1c04d27a5e`. */
export function newRunId(): string {
  return `run-${randomBytes(6).toString('hex')}`;
}
