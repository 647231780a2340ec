import { expect, it } from 'vitest';
import { type AgentCase, CAPS, Interpreter } from './harness.ts';

/** What is passed on of a run, and what is counted instead. */
export function capCases(agent: AgentCase): void {
  const start = () => new Interpreter(agent.sandbox);
  const shown = (order: readonly string[]) => order.filter((entry) => entry.startsWith('display'));

  it('cuts a stream, counts all of it and lets everything else pass', async () => {
    const { fill, print, show, warn } = agent.code;
    const cell = await start().run([fill(3 * CAPS.outputBytes), show('a'), warn('w'), print('late')].join('\n'));
    expect(cell.stdout).toBe('x'.repeat(CAPS.outputBytes));
    expect([cell.stderr, shown(cell.order)]).toEqual(['w\n', ['display a']]);
    expect(cell.entries.at(-1)).toMatchObject({ stdoutBytes: 3 * CAPS.outputBytes + 5, stderrBytes: 2 });
  });

  it('of events drops what is beyond their number, and counts it', async () => {
    const cell = await start().run(agent.code.showMany(CAPS.events + 5));
    expect(shown(cell.order)).toHaveLength(CAPS.events);
    expect(cell.event('done')).toMatchObject({ status: 'ok', dropped: 5 });
  });

  it('of events drops one that has too many bytes, and lets smaller ones pass', async () => {
    const { show } = agent.code;
    const large = 'x'.repeat(Math.ceil(0.7 * CAPS.eventBytes));
    const cell = await start().run([show(large), show(large), show('small')].join('\n'));
    expect(shown(cell.order)).toEqual([`display ${large}`, 'display small']);
    expect(cell.event('done')).toMatchObject({ dropped: 1 });
  });

  it('is for one run: the next has all of it again', async () => {
    const { fill, showMany } = agent.code;
    const session = start();
    for (let run = 0; run < 2; run += 1) {
      const cell = await session.run([fill(CAPS.outputBytes), showMany(CAPS.events)].join('\n'));
      expect([cell.stdout.length, shown(cell.order).length]).toEqual([CAPS.outputBytes, CAPS.events]);
      expect(cell.event('done')).toMatchObject({ dropped: 0 });
      expect(cell.entries.at(-1)).toMatchObject({ stdoutBytes: CAPS.outputBytes });
    }
  });
}
