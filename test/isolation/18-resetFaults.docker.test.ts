import { describe, expect, it } from 'vitest';
import { changedAgent } from './changedAgent.ts';
import { type Isolated, isolationEngine, look, lookAfter, run, sandboxes } from './harness.ts';

// A process, files and IPC objects, so that each step of a reset has something to do.
const PLANT = `
import ctypes, os, time
libc = ctypes.CDLL(None)
assert libc.shmget(0, 4096, 0o1600) >= 0
for base in ("/workspace", "/tmp", "/dev/shm"): open(base + "/secret", "w").close()
if os.fork() == 0: time.sleep(1000)`;
/** The faults, as Python at the end of the agent's module `wipe`, which keeps its other functions. */
const FAULTS: Readonly<Record<string, string>> = {
  'no process is killed': 'def kill_all(): return 0',
  'killing fails': 'def kill_all(): raise OSError(1, "")',
  'no place is emptied': 'Mount.empty = lambda self: None',
  'emptying fails half way': 'def _empty(root, all=_empty): root == "/tmp" or all(root); raise OSError(5, "")',
  'IPC objects are not removed': 'kernel.remove_sysv = lambda *_: None',
  'IPC objects cannot be listed': 'def _listed(): raise OSError(5, "")\nkernel.sysv_objects = _listed',
  'the check cannot look': 'def _check(mounts): raise OSError(5, "")',
  'a descriptor stays open': 'def _check(mounts): return [] if os.open("/dev/null", 0) else []',
  'memory cannot be measured': `
def wipe(mounts, baseline, all=wipe):
    kernel.memory_used = lambda: None
    return all(mounts, baseline)`,
  'memory stays in use': `
def wipe(mounts, baseline, all=wipe):
    global held
    held = bytearray(64 << 20)
    held[::4096] = bytes(len(held) // 4096) .replace(b"\\0", b"x")
    return all(mounts, baseline)`,
  'it breaks off': 'def wipe(*_): raise RuntimeError',
  'it ends init': 'def wipe(*_): os._exit(0)',
  'it never comes to an end': 'def wipe(*_): time.sleep(1000)',
  'its report is not of the protocol': 'def wipe(*_): return {"clean": True}',
  'there is no report': 'def wipe(*_): return None',
};

async function withFault(fault: string, use: (isolated: Isolated) => Promise<void>): Promise<void> {
  const options = { pool: { resetDeadlineMs: 1_000 } };
  const isolated = await isolationEngine(options, { agent: await changedAgent(fault) });
  try {
    await use(isolated);
  } finally {
    await isolated.dispose();
  }
}

describe('row 18: a reset that fails', () => {
  it('does not occur without a fault: the same agent serves again', async () => {
    await withFault('', async (isolated) => {
      expect(await lookAfter(isolated, PLANT, 'seen = 1')).toBe(1);
    });
  });

  it.each(Object.entries(FAULTS))('destroys the sandbox when %s', async (_, fault) => {
    await withFault(fault, async (isolated) => {
      expect((await run(isolated, PLANT)).status).toBe('ok');
      const [spoilt = ''] = sandboxes(isolated);
      expect(await look(isolated, 'import os\nseen = os.listdir("/workspace")')).toEqual([]);
      expect(sandboxes(isolated)).not.toContain(spoilt);
      await expect.poll(isolated.containers, { timeout: 10_000 }).not.toContain(spoilt);
    });
  });
});
