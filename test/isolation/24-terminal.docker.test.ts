import { describe, expect, it } from 'vitest';
import { changedAgent } from './changedAgent.ts';
import { isolationEngine, look, run } from './harness.ts';
import { CONTROL, TERMINAL_CORPUS } from './terminalCorpus.ts';

describe('row 24: control sequences in file names', () => {
  it('reach no log, also when a reset reports them as leftovers', async () => {
    const lines: string[] = [];
    const take = (line: string) => lines.push(line);
    const log = { debug: take, info: take, warn: take, error: take };
    const names = TERMINAL_CORPUS.filter((text, index) => index % 9 === 0 && !/[\0/]/.test(text));
    const agent = await changedAgent('Mount.empty = lambda self: None');
    const isolated = await isolationEngine({}, { agent, log });
    for (let first = 0; first < names.length; first += 20) {
      const code = 'for name in names: open("/tmp/a" + name, "w").close()\nprint("".join(names))\n1/0';
      expect((await run(isolated, code, { state: { names: names.slice(first, first + 20) } })).status).toBe('error');
    }
    expect(await look(isolated, 'seen = 1')).toBe(1);
    await isolated.dispose();
    expect(lines.filter((line) => line.includes('/tmp/a')).length).toBeGreaterThan(3);
    expect(lines.filter((line) => CONTROL.test(line))).toEqual([]);
  });
});
