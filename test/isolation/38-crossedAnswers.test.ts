import { describe, expect, it } from 'vitest';
import type { Engine, RunRequest } from '../../src/engine/types.ts';
import { crossfire } from './crossfire.ts';
import { engineInMemory, serve } from './mcpServer.ts';

const CLIENTS = 100;
const CALLS = 100;
/** An odd number, so that clients of both revisions have each of them. */
const TOKENS = Array.from({ length: 11 }, (_, number) => `token-${number}-`.padEnd(32, 'x'));

describe('row 38: crossed answers', () => {
  // Ten thousand calls in one process: only what hangs takes so long, however slow the machine.
  it(`${CLIENTS} clients of both revisions with ${CALLS} calls each get their own results and progress`, {
    timeout: 600_000,
  }, async () => {
    const engine = engineInMemory({ pool: { size: 100, maxWaiting: 10_000 } });
    const owners = new Map<string, Set<string>>();
    const served = await serve(
      watched(engine, ({ owner, code }) => {
        const client = code.split(' ')[1]?.split('.')[0] ?? '';
        owners.set(client, (owners.get(client) ?? new Set()).add(owner.id));
      }),
      { findToken: (token) => (TOKENS.includes(token) ? { ok: true, id: token } : null) },
    );
    const { foreign, answered } = await crossfire(
      { ...served, tokens: TOKENS },
      { clients: CLIENTS, calls: CALLS, atOnce: 4 },
      (mark) => `print ${mark}`,
    );
    await served.dispose();
    await engine.dispose();
    expect(foreign).toEqual([]);
    expect(answered).toBe(CLIENTS * CALLS);
    expect([...owners.values()].map((ids) => ids.size)).toEqual(Array.from({ length: CLIENTS }, () => 1));
    // The token decides, not the connection.
    expect(new Set([...owners.values()].flatMap((ids) => [...ids])).size).toBe(TOKENS.length);
  });
});

/** The engine, with every request shown to `look` first. */
function watched(engine: Engine, look: (request: RunRequest) => void): Engine {
  return new Proxy(engine, {
    get(target, name) {
      if (name === 'asOwner') return (id: string) => watched(target.asOwner(id), look);
      if (name === 'run') {
        return (...args: Parameters<Engine['run']>) => {
          look(args[0]);
          return target.run(...args);
        };
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
