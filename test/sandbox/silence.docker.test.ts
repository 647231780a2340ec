import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { machineId, thisOwner } from '../../src/host/identity.ts';
import { LABEL } from '../../src/host/labels.ts';
import { containerSpec } from '../../src/host/spec.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { bootSandbox } from '../../src/sandbox/boot.ts';
import { IMAGE, LIMITS } from '../languages/python/harness.ts';
import { testHost } from '../testHost.ts';

const host = testHost();
const machine = `${await machineId()}-silence-test`;
const labels = { [LABEL.managed]: 'true', [LABEL.machine]: machine, [LABEL.owner]: await thisOwner() };

async function boot(silenceMs: number, heartbeatMs: number) {
  const agent = await loadAgent(path.resolve(import.meta.dirname, '../../images/agent'));
  const spec = containerSpec(IMAGE, LIMITS, labels);
  return bootSandbox(host, { spec, agent, outputBytes: 1000, eventBytes: 1000, events: 100, silenceMs, heartbeatMs });
}

describe('an agent without a heartbeat', () => {
  it('exits, and its container removes itself', async () => {
    const sandbox = await boot(500, 60_000);
    await sandbox.lost;
    await expect.poll(() => host.list(labels)).toEqual([]);
  });

  it('stays while the heartbeat continues', async () => {
    const sandbox = await boot(2_000, 100);
    const gone = sandbox.lost.then(() => 'lost');
    const still = new Promise((resolve) => setTimeout(resolve, 5_000, 'alive'));
    expect(await Promise.race([gone, still])).toBe('alive');
    await sandbox.dispose();
    expect(await host.list(labels)).toEqual([]);
  });
});
