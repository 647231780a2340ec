import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { chosenHost } from '../../src/host/chosenHost.ts';
import type { Problem } from '../../src/host/problem.ts';
import { hostContract, ownSpec, problemOf } from '../contract/hostContract.ts';
import { FakeHost } from './fakeHost.ts';

const STOPPED: Problem = {
  kind: 'host_stopped',
  message: 'Docker is not running.',
  advice: 'Start it.',
  command: 'sudo systemctl start docker',
};
const FORBIDDEN: Problem = {
  kind: 'permission_denied',
  message: 'This machine lets no ordinary user make namespaces.',
  advice: 'Allow them.',
  command: 'sudo sysctl user.max_user_namespaces=10000',
};

function hosts() {
  const [preferred, other] = [new FakeHost(), new FakeHost()];
  return { preferred, other, host: chosenHost(preferred, other, silentLog) };
}

describe('a chosen host', () => {
  it('is the preferred one where that answers', async () => {
    const { preferred, other, host } = hosts();
    await host.create(ownSpec());
    expect([preferred.creations, other.creations]).toEqual([1, 0]);
    expect(await host.info()).toEqual(await preferred.info());
  });

  it('is the other one where the preferred does not answer, and says why', async () => {
    const { preferred, other, host } = hosts();
    preferred.faults.info = STOPPED;
    const spec = ownSpec();
    const { id } = await host.create(spec);
    expect([preferred.creations, other.creations]).toEqual([0, 1]);
    expect(await host.list(spec.labels)).toMatchObject([{ id }]);
    expect((await host.info()).reason).toBe('It is used because Docker is not running.');
  });

  it('says with what it lacks why the preferred one, which may have it, is not used', async () => {
    const { preferred, other, host } = hosts();
    preferred.faults.info = STOPPED;
    other.faults.create = { kind: 'image_missing', message: 'There is no image i.', advice: 'Build it.', command: 'b' };
    expect(await problemOf(host.create(ownSpec()))).toEqual({
      kind: 'image_missing',
      message: 'There is no image i. No container engine is used: Docker is not running.',
      advice: 'Build it.',
      command: 'b',
    });
    other.faults.create = { kind: 'needs_engine', message: 'Only an engine can build i.', advice: 'Start one.' };
    expect(await problemOf(host.create(ownSpec()))).toMatchObject({
      message: 'Only an engine can build i. No container engine is used: Docker is not running.',
    });
    other.faults.create = { kind: 'spec_refused', message: 'Too many CPUs.', advice: 'Ask for fewer.' };
    expect(await problemOf(host.create(ownSpec()))).toEqual(other.faults.create);
  });

  it('stays the same when the preferred one comes or goes', async () => {
    const { preferred, other, host } = hosts();
    preferred.faults.info = STOPPED;
    await host.create(ownSpec());
    preferred.faults.info = null;
    await host.create(ownSpec());
    expect([preferred.creations, other.creations]).toEqual([0, 2]);
  });

  it('reports both problems where neither works, and decides again', async () => {
    const { preferred, other, host } = hosts();
    preferred.faults.info = STOPPED;
    other.faults.info = FORBIDDEN;
    expect(await problemOf(host.create(ownSpec()))).toEqual({
      kind: 'host_stopped',
      message: 'Docker is not running. This machine lets no ordinary user make namespaces.',
      advice:
        'Start it. Or, without a container engine: allow them. Command: sudo sysctl user.max_user_namespaces=10000',
      command: 'sudo systemctl start docker',
    });
    preferred.faults.info = null;
    await host.create(ownSpec());
    expect([preferred.creations, other.creations]).toEqual([1, 0]);
  });
});

hostContract('a chosen host', () => hosts().host);
