import type { Container, Host } from '../../src/host/host.ts';

/** How many sandboxes a host has made, and how many of them have ended. */
export interface Counts {
  made: number;
  destroyed: number;
}

/** The same host, counting. */
export function countingHost(host: Host, counts: Counts): Host {
  const create: Host['create'] = async (spec, signal): Promise<Container> => {
    const container = await host.create(spec, signal);
    counts.made += 1;
    void container.ended.then(() => {
      counts.destroyed += 1;
    });
    return container;
  };
  return new Proxy(host, {
    get: (target, name) => {
      if (name === 'create') return create;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
