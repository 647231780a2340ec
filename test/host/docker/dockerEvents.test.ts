import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { DockerEvents, parseEvent } from '../../../src/host/docker/dockerEvents.ts';
import { ManualClock } from '../manualClock.ts';

const line = (id: string, timeNano: string, action = 'die') =>
  `{"Type":"container","Action":"${action}","Actor":{"ID":"${id}","Attributes":{"exitCode":"3"}},"time":1,"timeNano":${timeNano}}\n`;

describe('parseEvent', () => {
  it('keeps the full precision of the time', () => {
    const event = parseEvent(line('me', '1795240535000000001'));
    expect(event).toEqual({ id: 'me', action: 'die', exitCode: 3, at: 1795240535000000001n });
  });

  it("understands Podman's name for the removal of a container", () => {
    expect(parseEvent(line('me', '1', 'remove'))).toMatchObject({ id: 'me', action: 'destroy' });
  });

  it('ignores unknown events', () => {
    expect(parseEvent(line('me', '1', 'exec_start: ls'))).toBeNull();
    expect(parseEvent('{"Action":"die"}')).toBeNull();
  });
});

describe('DockerEvents', () => {
  function setUp() {
    const clock = new ManualClock();
    const streams: PassThrough[] = [];
    const open = vi.fn(async (_since: number | null) => {
      const stream = new PassThrough();
      streams.push(stream);
      return stream;
    });
    const events = new DockerEvents(open, clock, silentLog);
    const seen: string[] = [];
    events.event(({ id }) => seen.push(id));
    return { clock, streams, open, events, seen };
  }
  const settle = () => new Promise(setImmediate);

  it('opens one stream for all subscribers', async () => {
    const { events, open } = setUp();
    await Promise.all([events.ensureOpen(), events.ensureOpen()]);
    await events.ensureOpen();
    expect(open.mock.calls).toEqual([[null]]);
  });

  it('reopens the stream after a break and reports missed events once', async () => {
    const { clock, events, open, seen, streams } = setUp();
    await events.ensureOpen();
    streams[0]?.write(line('one', '5000000001'));
    await settle();
    streams[0]?.destroy(new Error('broken'));
    await settle();
    clock.advance(1_000);
    await settle();
    expect(open.mock.calls).toEqual([[null], [5]]);
    streams[1]?.write(line('one', '5000000001') + line('two', '5000000002') + line('three', '5000000002'));
    await settle();
    expect(seen).toEqual(['one', 'two', 'three']);
  });

  it('keeps events that arrive out of order', async () => {
    const { events, seen, streams } = setUp();
    await events.ensureOpen();
    streams[0]?.write(line('late', '7') + line('early', '6'));
    await settle();
    expect(seen).toEqual(['late', 'early']);
  });

  it('reports a stream that cannot be opened, and retries', async () => {
    const { clock, events, open } = setUp();
    open.mockRejectedValueOnce(new Error('no engine'));
    await expect(events.ensureOpen()).rejects.toThrow('no engine');
    clock.advance(1_000);
    await settle();
    expect(open).toHaveBeenCalledTimes(2);
  });

  it('stops when it is disposed', async () => {
    const { clock, events, open, streams } = setUp();
    await events.ensureOpen();
    events.dispose();
    await settle();
    clock.advance(10_000);
    expect(streams[0]?.destroyed).toBe(true);
    expect(open).toHaveBeenCalledOnce();
    expect(clock.pending).toBe(0);
  });
});
