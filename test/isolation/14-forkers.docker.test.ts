import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { once, realSandbox } from '../languages/python/harness.ts';
import { isolationEngine, look, PROCESSES, sandboxes } from './harness.ts';

const RESETS = 500;
const PRELOADED_RESETS = 100;

// Short-lived daemons: each forks its successor and ends, every time in a new session.
const RACE = `
import os
${PROCESSES}
def hop():
    while True:
        try:
            if os.fork(): os._exit(0)
            os.setsid()
        except OSError: pass
for _ in range(4):
    if os.fork() == 0: hop()`;

const isolated = fileFixture(() => isolationEngine({ pool: { maxUses: 2 * RESETS } }));

describe('row 14: daemons that race with the reset', () => {
  it(`have ended after each of ${RESETS} resets of the same sandbox`, async () => {
    const quiet = await look(isolated, PROCESSES);
    const first = sandboxes(isolated);
    for (let round = 0; round < RESETS; round += 1) expect(await look(isolated, RACE)).toBe(quiet);
    expect(await look(isolated, PROCESSES)).toBe(quiet);
    expect(sandboxes(isolated)).toEqual(first);
  });
});

// The name of a process stays with what it forks.
const NAMED = `
import glob, os, sys
preloaded = "wave" in sys.modules
seen = 0
for path in glob.glob("/proc/[0-9]*/comm"):
    try: seen += open(path).read() == "hop\\n"
    except OSError: pass`;
const NAMED_RACE = `${NAMED}
if os.fork() == 0:
    os.setsid()
    open("/proc/self/comm", "w").write("hop")
    while True:
        try:
            if os.fork(): os._exit(0)
            os.setsid()
        except OSError: pass`;

describe('row 14: daemons of runs that come from the process with the preloaded modules', () => {
  const sandbox = fileFixture(() => realSandbox());

  it(`have ended after each of ${PRELOADED_RESETS} resets of the same sandbox`, async () => {
    await sandbox.request({ op: 'preload', modules: ['wave'] });
    for (let round = 0; round < PRELOADED_RESETS; round += 1) {
      expect((await once(sandbox, NAMED_RACE, { state: {} })).state).toMatchObject({ seen: 0, preloaded: true });
      expect(await sandbox.reset(5_000)).toMatchObject({ clean: true });
    }
    expect((await once(sandbox, NAMED, { state: {} })).state).toMatchObject({ seen: 0 });
  });
});
