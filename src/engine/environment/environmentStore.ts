/** Where the environments of a user are kept; other processes may change it at any time. */
export interface EnvironmentStore {
  /** Every environment as it was put; what was edited since may be of any form. */
  list(): Promise<readonly unknown[]>;
  /** Null when there is none of that name. */
  read(name: string): Promise<unknown>;
  /** Replaces the environment of that name. */
  put(name: string, environment: object): Promise<void>;
  remove(name: string): Promise<void>;
}

/** A store that ends with its process. */
export function memoryStore(): EnvironmentStore {
  const kept = new Map<string, object>();
  return {
    list: async () => [...kept.values()],
    read: async (name) => kept.get(name) ?? null,
    put: async (name, environment) => void kept.set(name, environment),
    remove: async (name) => void kept.delete(name),
  };
}
