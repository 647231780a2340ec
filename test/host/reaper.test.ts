import { describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { LABEL } from '../../src/host/labels.ts';
import { startReaper, sweep } from '../../src/host/reaper.ts';
import { containerSpec } from '../../src/host/spec.ts';
import { LIMITS } from '../contract/hostContract.ts';
import { FakeHost } from './fakeHost.ts';
import { ManualClock } from './manualClock.ts';

const OURS = { [LABEL.managed]: 'true', [LABEL.machine]: 'here', [LABEL.owner]: '1:dead' };

function setUp() {
  const host = new FakeHost();
  const clock = new ManualClock();
  const add = (labels: Record<string, string>) =>
    host.create(containerSpec('hothouse/python:latest', LIMITS, labels)).then(({ id }) => id);
  const isAlive = async (owner: string) => owner !== '1:dead';
  return { host, clock, add, options: { host, clock, log: silentLog, machine: 'here', isAlive } };
}

describe('the reaper', () => {
  it('removes containers of this machine whose owner has ended, and no others', async () => {
    const { host, add, options } = setUp();
    const orphan = await add(OURS);
    const others = [
      await add({ ...OURS, [LABEL.owner]: '2:alive' }),
      await add({ ...OURS, [LABEL.machine]: 'elsewhere' }),
      await add({ [LABEL.managed]: 'true', [LABEL.machine]: 'here' }),
      await add({ [LABEL.machine]: 'here', [LABEL.owner]: '1:dead' }),
      await add({ 'com.example.other': 'true' }),
      await add({}),
    ];
    expect(await sweep(options)).toEqual([orphan]);
    expect([...host.containers.keys()]).toEqual(others);
  });

  it('removes volumes of this machine that no container has, and no others', async () => {
    const { host, options } = setUp();
    const others = [{ ...OURS, [LABEL.machine]: 'elsewhere' }, { [LABEL.machine]: 'here' }, {}];
    host.volumes = [OURS, ...others, { ...OURS, [LABEL.owner]: '2:alive' }];
    await sweep(options);
    expect(host.volumes).toEqual(others);
  });

  it('sweeps at once and every minute, until it is disposed', async () => {
    const { host, clock, add, options } = setUp();
    await add(OURS);
    const reaper = startReaper(options);
    await expect.poll(() => host.containers.size).toBe(0);
    await expect.poll(() => clock.pending).toBe(1);
    await add(OURS);
    clock.advance(59_000);
    await new Promise(setImmediate);
    expect(host.containers.size).toBe(1);
    clock.advance(1_000);
    await expect.poll(() => host.containers.size).toBe(0);
    await expect.poll(() => clock.pending).toBe(1);
    reaper.dispose();
    expect(clock.pending).toBe(0);
  });

  it('spares a container for as long as it was asked to, from when its owner was first found to have ended', async () => {
    const { host, clock, add, options } = setUp();
    const [spared, owned, stopped] = [await add(OURS), await add(OURS), await add(OURS)];
    await host.containers.get(spared)?.spare('1:dead', 600);
    await host.containers.get(owned)?.spare('2:alive', 600);
    const ended = host.containers.get(stopped);
    await ended?.spare('1:dead', 600);
    if (ended) ended.running = false;
    const sightings = new Map();
    expect(await sweep(options, sightings)).toEqual([stopped]);
    clock.advance(600_000);
    expect(await sweep(options, sightings)).toEqual([]);
    clock.advance(61_000);
    expect(await sweep(options, sightings)).toEqual([spared]);
    expect([...host.containers.keys()]).toEqual([owned]);
  });

  it('continues after a sweep that failed', async () => {
    const { host, clock, add, options } = setUp();
    const list = vi.spyOn(host, 'list').mockRejectedValueOnce(new Error('no engine'));
    const reaper = startReaper(options);
    await expect.poll(() => clock.pending).toBe(1);
    expect(list).toHaveBeenCalledOnce();
    await add(OURS);
    clock.advance(60_000);
    await expect.poll(() => host.containers.size).toBe(0);
    reaper.dispose();
  });
});
