import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look, OWNER, PROCESSES, run, sandboxes } from './harness.ts';

// Ignore every signal, in sessions of their own: computing, sleeping, stopped, in threads, and one that respawns.
const DEAF = `
import os, signal, threading, time
for number in range(1, signal.NSIG):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
def compute():
    while True: pass
def respawn():
    while True:
        if os.fork(): os.wait()
        time.sleep(0.001)
def threads():
    for _ in range(4): threading.Thread(target=compute).start()
for life in (compute, respawn, threads, lambda: time.sleep(1000), lambda: os.kill(os.getpid(), signal.SIGSTOP)):
    if os.fork() == 0:
        os.setsid()
        life()
        time.sleep(1000)
print("deaf")
compute()`;

const isolated = fileFixture(() => isolationEngine());

// Measures a machine that others use too.
describe('row 10: code that ignores signals', { retry: 2 }, () => {
  it('ends within a second after its timeout, with every process that it started', async () => {
    const quiet = await look(isolated, PROCESSES);
    const before = sandboxes(isolated);
    const { status, stdout, durationMs } = await run(isolated, DEAF, { timeoutSeconds: 1 });
    expect({ status, stdout }).toEqual({ status: 'timeout', stdout: 'deaf\n' });
    expect(durationMs).toBeLessThan(2_000);
    expect(await look(isolated, PROCESSES)).toBe(quiet);
    expect(sandboxes(isolated)).toEqual(before);
  });

  it('ends when its caller aborts', async () => {
    const abort = new AbortController();
    const request = { language: 'python', code: DEAF, owner: OWNER };
    let started = Number.POSITIVE_INFINITY;
    const onOutput = () => {
      started = performance.now();
      abort.abort();
    };
    expect((await isolated.engine.run(request, onOutput, abort.signal)).status).toBe('interrupted');
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
