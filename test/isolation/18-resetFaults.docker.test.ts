import { describe, expect, it } from 'vitest';
import { changedAgent } from './changedAgent.ts';
import { type Isolated, isolationEngine, look, lookAfter, run, sandboxes } from './harness.ts';

const PLACES = ['/workspace', '/tmp', '/dev/shm'];
/** A process, files and IPC objects, so that each step of a reset has something to do. */
const plant = (places: readonly string[]) => `
import ctypes, os, time
libc = ctypes.CDLL(None)
assert libc.shmget(0, 4096, 0o1600) >= 0
for base in ${JSON.stringify(places)}: open(base + "/secret", "w").close()
if os.fork() == 0: time.sleep(1000)`;
/** What runs leave: the agent resets unasked only after a run that has left nothing in the workspace. */
const PLANTS: Readonly<Record<string, string>> = {
  'the engine asks for it': plant(PLACES),
  'the agent does it unasked': plant(PLACES.slice(1)),
};
/** The faults, as Python at the end of the agent's module `wipe`, which keeps its other functions. */
const FAULTS: Readonly<Record<string, string>> = {
  'no process is killed': 'def kill_all(): return 0',
  'killing fails': 'def kill_all(): raise OSError(1, "")',
  'no place is emptied': 'Mount.empty = lambda self: None',
  'emptying fails half way': 'def _empty(root, all=_empty): root == "/tmp" or all(root); raise OSError(5, "")',
  'IPC objects are not removed': 'kernel.remove_sysv = lambda *_: None',
  'IPC objects cannot be listed': 'def _listed(): raise OSError(5, "")\nkernel.sysv_objects = _listed',
  'the check cannot look': 'def _check(*_): raise OSError(5, "")',
  'a descriptor stays open': 'def _check(*_): return [] if os.open("/dev/null", 0) else []',
  'memory cannot be measured': `
def wipe(*given, all=wipe):
    from . import memory
    def fail(*_): raise OSError(5, "")
    memory.MemoryUse.used = memory.MemoryUse.bound = fail
    return all(*given)`,
  'memory stays in use': `
def wipe(*given, all=wipe):
    global held
    held = bytearray(64 << 20)
    held[::4096] = bytes(len(held) // 4096) .replace(b"\\0", b"x")
    return all(*given)`,
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
      for (const code of Object.values(PLANTS)) expect(await lookAfter(isolated, code, 'seen = 1')).toBe(1);
    });
  });

  const faults = Object.entries(FAULTS).flatMap(([name, fault]) =>
    Object.entries(PLANTS).map(([way, code]) => [name, way, fault, code] as const),
  );

  it.each(faults)('destroys the sandbox when %s, and %s', async (_, __, fault, code) => {
    await withFault(fault, async (isolated) => {
      expect((await run(isolated, code)).status).toBe('ok');
      const [spoilt = ''] = sandboxes(isolated);
      const left = `import os\nseen = [os.listdir(path) for path in ${JSON.stringify(PLACES)}]`;
      expect(await look(isolated, left)).toEqual([[], [], []]);
      expect(sandboxes(isolated)).not.toContain(spoilt);
      await expect.poll(isolated.containers, { timeout: 10_000 }).not.toContain(spoilt);
    });
  });
});
