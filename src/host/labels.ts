/** Labels of every container we make; reaping goes by them. */
export const LABEL = {
  /** On every container of ours. */
  managed: 'dev.hothouse.managed',
  /** Identifies this machine and user, so that a shared engine's other users are left alone. */
  machine: 'dev.hothouse.machine',
  /** `<pid>:<start time>` of the process that owns it. */
  owner: 'dev.hothouse.owner',
  /** The environment it runs. */
  environment: 'dev.hothouse.environment',
} as const;
