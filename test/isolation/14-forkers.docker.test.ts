import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look, PROCESSES, sandboxes } from './harness.ts';

const RESETS = 500;

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
