import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { bootSandbox } from '../../src/sandbox/boot.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { exitOf, Interpreter } from '../contract/agent/harness.ts';
import { ownSpec } from '../contract/hostContract.ts';
import { testHost } from '../testHost.ts';
import { AGENT } from './harness.ts';

const LIMITS = { outputBytes: 1 << 20, eventBytes: 1 << 20, events: 1000 };
/** The driver's own function that gets the descriptors of copies, and the socket that it gets them from. */
const TAKE = `
import array, os, socket, struct, sys, time
duplicate = sys.modules["hothouse_agent.duplicate"]
def make(control, count):
    global given
    given = duplicate._receive(control, count)
    attack(given)
duplicate.make = make
def end(fds): return socket.socket(fileno=os.dup(fds[-1]))
def show(fds, pid):
    credentials = struct.pack("3i", pid, os.getuid(), os.getgid())
    try: end(fds).sendmsg([b"x"], [(socket.SOL_SOCKET, 2, credentials)])
    except OSError as error: print(error.strerror)
`;
/** What a session's code does in place of a copy; each ends the copy, or leaves it to be killed. */
const ATTACKS = {
  'closes its descriptors': 'for fds in given:\n        for fd in fds: os.close(fd)',
  'shows itself': 'end(given[0]).send(b"x")',
  'shows a child of its own': 'pid = os.fork()\n    if not pid: end(given[0]).send(b"x"); time.sleep(9); os._exit(0)',
  'claims to be the first process': 'show(given[0], 1); os.close(given[0].pop()); del given[0][:]',
  'claims to be a process that is not there': 'show(given[0], 4000); os.close(given[0].pop()); del given[0][:]',
  'sends descriptors': `
    rights = array.array("i", [0, 1, 2] * 10)
    end(given[0]).sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])`,
  'floods the socket': `
    one = end(given[0]); one.setblocking(False)
    try:
        while True: one.send(b"x" * 1000)
    except OSError: pass`,
} as const;

describe('code that gets the descriptors of copies', () => {
  const host = testHost();
  let agent: Buffer;
  let sandbox: Sandbox;
  beforeAll(async () => {
    agent = await loadAgent(AGENT);
    sandbox = await bootSandbox(host, { spec: ownSpec(), agent, ...LIMITS });
  });
  afterEach(async () => {
    expect(await sandbox.reset(10_000)).toMatchObject({ clean: true, leftovers: [] });
  });
  afterAll(async () => {
    await sandbox.dispose();
    await host.dispose();
  });

  it.each(Object.entries(ATTACKS))('and %s costs its own session a copy at most', async (_, attack) => {
    const before = (await sandbox.measure()).fds;
    const session = new Interpreter(sandbox);
    await session.run(`${TAKE}\ndef attack(given):\n    ${attack}`);
    const copy = new Interpreter(sandbox, false, session.channel);
    await session.copy(1);
    // Some attacks leave a copy that does not come; it ends when it is killed, as at its timeout.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await copy.channel.signal('SIGKILL');
    const end = exitOf(await copy.channel.ended);
    expect(end?.code).toBeNull();
    expect(end?.failure !== null || end.signal === 9).toBe(true);
    expect((await session.run('print("on")')).stdout).toBe('on\n');
    expect((await new Interpreter(sandbox).run('print("beside")')).stdout).toBe('beside\n');
    await session.channel.signal('SIGKILL');
    await session.channel.ended;
    // Those of the second process, which lives, and of a spare process that may be there or not.
    expect(Math.abs((await sandbox.measure()).fds - before)).toBeLessThan(16);
  });

  it('and never asks for one finds a socket that takes nothing', async () => {
    const code = `
import os, socket, stat
def attempt(fd):
    try: socket.socket(fileno=os.dup(fd)).send(b"x" * 1000); return "sent"
    except OSError as error: return error.strerror
sockets = [fd for fd in range(3, 64) if os.path.exists("/proc/self/fd/%d" % fd) and stat.S_ISSOCK(os.fstat(fd).st_mode)]
print([attempt(fd) for fd in sockets])
`;
    expect((await new Interpreter(sandbox).run(code)).stdout).toBe("['Broken pipe']\n");
  });

  it('and copies of copies reach neither the session nor each other', async ({ skip }) => {
    // Older kernels have no domains for signals.
    if (sandbox.ready.walls.signals.state !== 'holds') skip();
    const session = new Interpreter(sandbox);
    await session.run('import os, signal; first = os.getpid()');
    const [copy, other] = await session.copies(sandbox, 2);
    const kill = `
def attempt(pid):
    try: os.kill(pid, signal.SIGKILL); return "killed"
    except OSError as error: return error.strerror
print({attempt(int(pid)) for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid()})
`;
    expect((await copy?.run(kill))?.stdout).toBe("{'Operation not permitted'}\n");
    expect((await other?.run('print(first)'))?.stdout).toBe((await session.run('print(first)')).stdout);
  });
});
