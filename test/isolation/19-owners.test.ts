import { describe, expect, it } from 'vitest';
import type { Owner } from '../../src/engine/types.ts';
import { EngineBench } from '../engine/engineBench.ts';
import { connectEra, ERAS } from '../mcp/connect.ts';
import { serve } from './mcpServer.ts';

const RUNS = 1_000;
const OWNERS: readonly Owner[] = Array.from({ length: 10 }, (_, n) => ({
  id: `owner ${n}`,
  kind: 'mcp',
  label: 'one',
}));

/** The owners of each sandbox and how often it served, according to snapshots. */
class Witness {
  readonly owners = new Map<string, Set<string>>();
  mostUses = 0;
  readonly #bench: EngineBench;

  constructor(bench: EngineBench) {
    this.#bench = bench;
    bench.engine.onDidChange(() => this.look());
  }

  readonly look = (): void => {
    const [environment] = this.#bench.engine.snapshot().environments;
    for (const { id, owner, uses } of environment?.sandboxes ?? []) {
      this.mostUses = Math.max(this.mostUses, uses);
      if (owner) this.owners.set(id, (this.owners.get(id) ?? new Set()).add(owner.id));
    }
  };
}

describe('row 19: owners', () => {
  it(`never share a sandbox: ${RUNS} runs of ${OWNERS.length} owners, many at once`, async () => {
    const bench = new EngineBench({ pool: { size: 4 } });
    const witness = new Witness(bench);
    let left = RUNS;
    let answered = 0;
    const client = async (start: number) => {
      for (let turn = start; left > 0; turn += 1) {
        left -= 1;
        // Runs of the same owner in a row, so that sandboxes are used again.
        const owner = OWNERS[Math.floor(turn / 3) % OWNERS.length];
        if (!owner) throw new Error('there are ten');
        const request = { language: 'python', owner, code: `print ${owner.id}` } as const;
        const { status, stdout } = await bench.engine.run(request, witness.look);
        expect({ status, stdout }).toEqual({ status: 'ok', stdout: `${owner.id}\n` });
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => client(number * 5)));
    expect(answered).toBe(RUNS);
    expect([...witness.owners.values()].filter((owners) => owners.size > 1)).toEqual([]);
    expect(witness.owners.size).toBeGreaterThanOrEqual(OWNERS.length);
    expect(witness.mostUses).toBeGreaterThan(1);
    await bench.engine.dispose();
  });
});

describe('row 19: owners over MCP', () => {
  it('never share a sandbox: two tokens, and clients of both eras with one of them', async () => {
    const bench = new EngineBench({ pool: { size: 2 } });
    const witness = new Witness(bench);
    const servers = [await serve(bench.engine), await serve(bench.engine)];
    const connected = servers.flatMap(({ url, token }) => [...ERAS, ...ERAS].map((era) => connectEra(era, url, token)));
    const clients = await Promise.all(connected);
    for (let turn = 0; turn < 100; turn += 1) {
      const client = clients[Math.floor(turn / 3) % clients.length];
      if (!client) throw new Error('there are eight');
      const args = { language: 'python', code: `print ${turn}` };
      const onprogress = witness.look;
      await client.callTool({ name: 'run_code', arguments: args }, undefined, { onprogress });
    }
    const owners = new Set([...witness.owners.values()].flatMap((ids) => [...ids]));
    expect([...witness.owners.values()].filter((ids) => ids.size > 1)).toEqual([]);
    // All clients with one token are one owner.
    expect(owners.size).toBe(2);
    expect(witness.mostUses).toBeGreaterThan(1);
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(servers.map((server) => server.dispose()));
    await bench.engine.dispose();
  });
});
