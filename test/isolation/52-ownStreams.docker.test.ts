import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look, run, sandboxes } from './harness.ts';

/**
 * A process that reads what its own run writes, before the agent can, while events have the agent read it first. Ends as
 * soon as an event waits for a second.
 */
const THIEF = `
import array, fcntl, os, sys, termios, time
stream = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
events = sys.modules["hothouse_agent.interpreter"]._interpreter._sequencer._order[2]
if os.fork() == 0:
    while True:
        try: os.read(stream, 1 << 16)
        except OSError: pass
def unread():
    count = array.array("i", [0])
    fcntl.ioctl(events, termios.FIONREAD, count)
    return count[0]
end = time.monotonic() + 8
while time.monotonic() < end:
    for _ in range(20):
        os.write(1, b"x" * 1000)
        os.write(events, b"\\nz\\n")
    waited = time.monotonic()
    while unread():
        assert time.monotonic() < waited + 1, "the events are not read"`;

/** Makes stdout a pipe of packets, and has the agent pass them on at every offset of what reads the sandbox's output. */
const PACKETS = `
import fcntl, os
fcntl.fcntl(1, fcntl.F_SETFL, os.O_DIRECT)
for i in range(40):
    os.write(2, b"e" * 2222)
    for _ in range(5):
        os.write(2, b"e" * 4096)
        os.write(1, b"x" * 4096)`;

const isolated = fileFixture(() => isolationEngine());

describe('row 52: a run that reads its own streams', () => {
  it('ends as every other run and keeps its sandbox', async () => {
    await look(isolated, 'seen = 1');
    const before = sandboxes(isolated);
    expect(await run(isolated, THIEF)).toMatchObject({ status: 'ok', error: null });
    expect(await run(isolated, 'print("served")')).toMatchObject({ status: 'ok', stdout: 'served\n' });
    expect(sandboxes(isolated)).toEqual(before);
  });

  it('loses none of the packets that it writes, and its bytes are never taken for frames', async () => {
    await look(isolated, 'seen = 1');
    const before = sandboxes(isolated);
    const { status, stdout, stderr } = await run(isolated, PACKETS);
    expect([status, stdout.length, stderr.length]).toEqual(['ok', 200 * 4096, 40 * 2222 + 200 * 4096]);
    expect(sandboxes(isolated)).toEqual(before);
  });
});
