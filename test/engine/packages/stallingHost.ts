import { type Readable, Transform } from 'node:stream';
import type { Container, Host } from '../../../src/host/host.ts';

/** A host whose copies into containers stop after so many bytes and never end; `onStall` is called then. */
export function stallingHost(host: Host, afterBytes: number, onStall: () => void): Host {
  return replacing(host, {
    create: async (spec, signal) => {
      const container = await host.create(spec, signal);
      return replacing<Container>(container, {
        putArchive: (path, archive, options) =>
          container.putArchive(path, stalled(archive, afterBytes, onStall), options),
      });
    },
  });
}

function stalled(archive: Readable, afterBytes: number, onStall: () => void): Readable {
  let sent = 0;
  const transform = (chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void) => {
    const rest = afterBytes - sent;
    sent += chunk.length;
    if (sent <= afterBytes) return done(null, chunk);
    stream.push(chunk.subarray(0, rest));
    onStall();
  };
  const stream = new Transform({ transform });
  return archive.pipe(stream);
}

/** The object with other methods, also where it has private fields. */
function replacing<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      const value: unknown = Reflect.get(key in methods ? methods : target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
