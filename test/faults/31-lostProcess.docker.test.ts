import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, describe, it } from 'vitest';
import type { OptionsInput } from '../../src/engine/options.ts';
import { thisOwner } from '../../src/host/identity.ts';
import { LABEL } from '../../src/host/labels.ts';
import { deadOwner } from '../host/deadOwner.ts';
import { askEngine, labelled, labelledVolumes, removeCompletely } from './engineApi.ts';
import { EngineChild } from './engineChild.ts';
import { dice, faultBench, pause } from './harness.ts';

const PAIRS = 4;

/** Row 42: leaves the agent as little CPU as possible. */
const CROWDED = `
import os
for pid in set(map(int, filter(str.isdigit, os.listdir("/proc")))) - {os.getpid()}:
    try: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
    except OSError: pass
for _ in range(110):
    try:
        if os.fork() == 0: break
    except OSError: break
while True: pass`;

const docker = promisify(execFile);
const foreign: string[] = [];
const children: EngineChild[] = [];
const machines = new Set<string>();
afterAll(async () => {
  await Promise.all(children.map((child) => child.kill()));
  // Containers of a failed test: nothing else removes them here.
  const left = await Promise.all([...machines].map((machine) => labelled(LABEL.machine, machine)));
  await Promise.all([...foreign, ...left.flat()].map(removeCompletely));
});

/** A container without an agent, which ends only when it is killed. */
async function addForeign(labels: Readonly<Record<string, string>>): Promise<string> {
  const flags = Object.entries(labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]);
  const image = ['hothouse/python:latest', 'sleep', '600'];
  const { stdout } = await docker('docker', ['run', '--detach', '--network=none', ...flags, ...image]);
  foreign.push(stdout.trim());
  return stdout.trim();
}

function engineChild(machine: string, options: OptionsInput = {}): EngineChild {
  const child = new EngineChild(machine, options);
  machines.add(machine);
  children.push(child);
  return child;
}

describe.concurrent('when the process of an engine', () => {
  it('row 31: is killed, its proxies and all volumes are gone after 75 s', async ({ expect }) => {
    const machine = `proxies-${randomBytes(6).toString('hex')}`;
    const network = { policy: 'allow' as const, allow: ['example.org'] };
    const roll = dice(60);
    const atWork = engineChild(machine, { network });
    await atWork.starting();
    atWork.ask({ code: 'while True: pass', rest: { sessionId: await atWork.ready() } });
    const early = [1, 2, 3].map(async () => {
      const child = engineChild(machine, { network });
      await child.starting();
      await pause(roll(1_500));
      await child.kill();
    });
    await Promise.all(early);
    const proxies = async () => {
      const all = await labelled(LABEL.proxy, 'true');
      return (await labelled(LABEL.machine, machine)).filter((id) => all.includes(id));
    };
    expect((await proxies()).length).toBeGreaterThan(0);
    await atWork.kill();
    // Those that run end by themselves; the next engine removes those that were not started yet.
    const next = await faultBench({}, '', machine);
    await next.warm();
    const left = async () => [await proxies(), (await next.containers()).sort()];
    await expect.poll(left, { timeout: 75_000 }).toEqual([[], [...next.slots('idle')].sort()]);
    await next.engine.dispose();
    await expect.poll(() => labelledVolumes(LABEL.machine, machine)).toEqual([]);
  }, 180_000);

  it('row 31: is killed, its containers are gone after 45 s, and those of others stay', async ({ expect }) => {
    const machine = `killed-${randomBytes(6).toString('hex')}`;
    const roll = dice(31);
    const killOneEarly = async () => {
      const child = engineChild(machine);
      await child.starting();
      await pause(roll(1_200));
      await child.kill();
    };
    const killOneAtWork = async (code: string) => {
      const child = engineChild(machine);
      await child.starting();
      child.ask({ code, rest: { sessionId: await child.ready() } });
      await pause(500);
      await child.kill();
    };
    for (let pair = 0; pair < PAIRS; pair += 1) {
      await Promise.all([killOneEarly(), killOneAtWork(pair === 0 ? CROWDED : 'while True: pass')]);
    }

    const next = await faultBench({}, '', machine);
    const dead = await deadOwner();
    const ours = { [LABEL.managed]: 'true', [LABEL.machine]: next.machine };
    const kept = [
      await addForeign({ ...ours, [LABEL.owner]: await thisOwner() }),
      await addForeign({ ...ours, [LABEL.machine]: 'elsewhere', [LABEL.owner]: dead }),
      await addForeign({ 'com.example.other': 'true' }),
    ];
    // It cannot notice that its engine has ended: the next engine's reaper removes it.
    await addForeign({ ...ours, [LABEL.owner]: dead });
    await next.warm();
    const [living] = kept;
    const expected = () => [...next.slots('idle'), living].sort();
    await expect.poll(async () => (await next.containers()).sort(), { timeout: 45_000 }).toEqual(expected());
    const running = await Promise.all(kept.map((id) => askEngine('GET', `/containers/${id}/json`)));
    expect(running.map(({ body }) => JSON.parse(body).State.Running)).toEqual(kept.map(() => true));
    // Those that ended by themselves took their volumes along; each has one for packages and one for a view.
    expect((await labelledVolumes(LABEL.machine, machine)).length).toBe(2 * next.slots('idle').length);
    await next.engine.dispose();
    expect(await labelledVolumes(LABEL.machine, machine)).toEqual([]);
  });
});
