import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Emitter } from '../../../src/base/event.ts';
import { type ContainerStatus, watchExit } from '../../../src/host/docker/containerExit.ts';
import type { DockerEvent } from '../../../src/host/docker/dockerEvents.ts';
import type { ContainerEnd } from '../../../src/host/host.ts';
import { ManualClock } from '../manualClock.ts';

const SECOND = 1_000_000_000n;

function setUp(status: ContainerStatus = { kind: 'unknown' }) {
  const clock = new ManualClock();
  const events = new Emitter<DockerEvent>();
  const stream = new PassThrough();
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return status;
  };
  const ended = watchExit({ id: 'me', stream, events: events.event, clock, ask });
  const emit = (action: DockerEvent['action'], exitCode: number | null = null, at = SECOND, id = 'me') =>
    events.fire({ id, action, exitCode, at });
  const close = async () => {
    stream.destroy();
    await new Promise(setImmediate);
  };
  const state = () => Promise.race([ended, new Promise<null>((resolve) => setImmediate(() => resolve(null)))]);
  return { clock, emit, close, state, ended, asked: () => asked };
}

describe('the end of a container', () => {
  it('waits for the remaining output after the exit', async () => {
    const { emit, close, state } = setUp();
    emit('die', 3);
    expect(await state()).toBeNull();
    await close();
    expect(await state()).toEqual<ContainerEnd>({
      exitCode: 3,
      oomKilled: false,
      reason: 'its first process ended with status 3',
    });
  });

  it('waits only briefly when the remaining output is not read', async () => {
    const { clock, emit, state } = setUp();
    emit('die', 0);
    clock.advance(2_000);
    expect(await state()).toMatchObject({ exitCode: 0 });
  });

  it('takes the status from the event when the stream ends first, without inspecting the container', async () => {
    const { clock, emit, close, state, asked } = setUp();
    await close();
    expect(await state()).toBeNull();
    emit('die', 1);
    expect(await state()).toMatchObject({ exitCode: 1 });
    clock.advance(5_000);
    expect(asked()).toBe(0);
  });

  it.each<[ContainerStatus, Partial<ContainerEnd>]>([
    [{ kind: 'removed' }, { exitCode: null, reason: 'it was removed' }],
    [{ kind: 'exited', exitCode: 7 }, { exitCode: 7 }],
    [{ kind: 'running' }, { exitCode: null, reason: 'the connection to the Docker Engine was lost' }],
    [{ kind: 'unknown' }, { exitCode: null, reason: 'the connection to the Docker Engine was lost' }],
  ])('inspects the container when the stream ends without an event: %j', async (status, end) => {
    const { clock, close, ended } = setUp(status);
    await close();
    clock.advance(500);
    expect(await ended).toMatchObject({ oomKilled: false, ...end });
  });

  it('ignores other containers', async () => {
    const { clock, emit, state } = setUp();
    emit('die', 0, SECOND, 'another');
    clock.advance(5_000);
    expect(await state()).toBeNull();
  });

  it.each([
    ['the kernel killed its first process', 137, 1, [], true],
    ['only a child was killed for memory', 0, 1, [], false],
    ['a child was killed for memory long before', 137, 60, [], false],
    ['another program killed it', 137, 1, ['kill'], false],
  ] as const)('is out of memory when the kernel killed it: %s', async (_, exitCode, after, before, oomKilled) => {
    const { emit, close, ended } = setUp();
    emit('oom');
    for (const action of before) emit(action);
    emit('die', exitCode, SECOND + BigInt(after) * SECOND);
    await close();
    expect((await ended).oomKilled).toBe(oomKilled);
  });
});
