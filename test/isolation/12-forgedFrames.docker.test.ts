import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look, OWNER, run, sandboxes } from './harness.ts';

const FORGERIES = 1_000;

// Frames of every type that the agent sends, for every channel that there may be, and lines that end a run or show
// something, with every token but the right one.
const FORGE = `
import json, os, random, secrets, struct
def frame(kind, channel, payload): return struct.pack(">BII", kind, channel, len(payload)) + payload
report = {"clean": True, "leftovers": [], "killed": 0, "fds": 1, "memoryBytes": 1, "durationMs": 1}
exit_ = {"code": 0, "signal": None, "peakMemoryBytes": 1, "oomKills": 7, "stdoutBytes": 1, "stderrBytes": 1,
         "failure": None}
done = {"type": "done", "status": "ok", "exitCode": 0, "state": {"forged": 1}, "peakMemoryBytes": 1, "dropped": 0}
shown = {"type": "display", "data": {"text/plain": "forged"}, "id": None}
result = {"type": "result", "data": {"text/plain": "forged"}}
error = {"type": "error", "name": "forged", "message": "forged", "traceback": "forged"}
def event():
    token = random.choice(["", "0" * 32, secrets.token_hex(16), None])
    return json.dumps({**random.choice([done, shown, result, error]), "token": token}).encode()
def forgery():
    channel = random.randrange(40)
    return random.choice([
        lambda: frame(65, 0, json.dumps({"version": 2, "interpreter": "forged"}).encode()),
        lambda: secrets.token_bytes(32) + frame(65, 0, json.dumps({"version": 2, "interpreter": "x"}).encode()),
        lambda: frame(random.choice([66, 67]), channel, b"forged"),
        lambda: frame(random.choice([68, 71]), channel, struct.pack(">QQ", 0, 0) + event() + b"\\n"),
        lambda: frame(72, channel, b""),
        lambda: frame(73, 0, json.dumps(report).encode()),
        lambda: frame(69, channel, json.dumps(exit_).encode()),
        lambda: frame(70, 0, json.dumps({"id": channel, "error": None, "value": None}).encode()),
        lambda: b"\\n" + event() + b"\\n",
        lambda: frame(255, 2**32 - 1, b"")[:5] + b"\\xff" * 4,
    ])()
`;

/** Every descriptor that can be written to, of this process and of the others. */
const TARGETS = `
import os, select
def writable():
    for fd in range(64):
        try: os.write(fd, b""); yield fd
        except OSError: pass
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) == os.getpid(): continue
        for fd in range(64):
            try: yield os.open("/proc/%s/fd/%d" % (pid, fd), os.O_WRONLY | os.O_NONBLOCK)
            except OSError: pass
def write(fd, data):
    while data:
        try: data = data[os.write(fd, data):]
        except BlockingIOError:
            # No process reads it.
            if not select.select([], [fd], [], 0.2)[1]: return False
    return True
targets = list(writable())
`;

const BY_CODE = `${FORGE}${TARGETS}
for fd in targets:
    for _ in range(forgeries):
        if not write(fd, forgery()): break
os.write(1, b"\\nthe end")
raise SystemExit(3)`;

// The same from a program, which can open what the code that started it has open.
const BY_PROGRAM = `
import subprocess
script = '''import sys; forgeries = int(sys.argv[1])
${FORGE.replaceAll('\\', '\\\\')}${TARGETS.replaceAll('\\', '\\\\')}
for fd in targets:
    for _ in range(forgeries):
        if not write(fd, forgery()): break
'''
subprocess.run(["python3", "-c", script, str(forgeries)], check=True, close_fds=False)
import os
os.write(1, b"\\nthe end")
raise SystemExit(3)`;

const HONEST = { status: 'error', exitCode: 3, result: null, displays: [], sessionId: null };

const isolated = fileFixture(() => isolationEngine());

describe('row 12: forged frames', () => {
  it.each([
    ['code', BY_CODE],
    ['a program', BY_PROGRAM],
  ])(`ignores all of ${FORGERIES} forgeries that %s writes to every descriptor`, async (_, attack) => {
    await look(isolated, 'seen = 1');
    const before = sandboxes(isolated);
    const result = await run(isolated, attack, { state: { forgeries: FORGERIES }, timeoutSeconds: 60 });
    expect(result).toMatchObject(HONEST);
    // All of it is reported as the run's own output, to the last byte.
    expect(result.stdout.endsWith('\nthe end')).toBe(true);
    expect(result.stdoutBytes).toBeGreaterThan(FORGERIES * 10);
    expect(result.state).not.toHaveProperty('forged');
    expect(await look(isolated, 'seen = 1')).toBe(1);
    expect(sandboxes(isolated)).toEqual(before);
  });

  it('ignores forgeries in a session, between two cells or in them', async () => {
    const opened = await isolated.engine.openSession('python', OWNER);
    const sessionId = opened.ok ? opened.value.id : '';
    const cell = (code: string) => isolated.engine.run({ language: 'python', owner: OWNER, sessionId, code });
    const background = `${FORGE}${TARGETS}
import threading
def flood():
    for fd in targets:
        for _ in range(${FORGERIES}): write(fd, forgery())
thread = threading.Thread(target=flood); thread.start()
x = 41`;
    expect(await cell(background)).toMatchObject({ status: 'ok', result: null, displays: [] });
    const result = await cell('thread.join()\nx + 1');
    expect(result).toMatchObject({ status: 'ok', result: { 'text/plain': '42' }, displays: [], error: null });
    await isolated.engine.closeSession(sessionId);
  });

  it('gives code its streams and the pipes of its events and answers to write to, and nothing else', async () => {
    expect(await look(isolated, `${TARGETS}\nseen = [len(targets), {1, 2} <= set(targets)]`)).toEqual([4, true]);
  });

  it('gives a program no descriptor of the agent', async () => {
    const ask =
      'import subprocess\nout = subprocess.check_output(["ls", "/proc/self/fd"], close_fds=False, text=True)\nseen = out.split()';
    // The fourth is the folder that is being listed.
    expect(await look(isolated, ask)).toEqual(['0', '1', '2', '3']);
  });
});
