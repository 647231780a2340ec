import { expect, it } from 'vitest';
import { type AgentCase, exitOf, Interpreter } from './harness.ts';

/** Runs of code, in sessions and as programs. */
export function cellCases(agent: AgentCase): void {
  const start = () => new Interpreter(agent.sandbox);
  const lines = (...code: string[]) => code.join('\n');

  it('sends begun, then what it prints and shows in the order of writing, then done', async () => {
    const { print, show, warn } = agent.code;
    const cell = await start().run(lines(print('one'), show('two'), warn('three'), show('four'), print('five')));
    expect(cell.order).toEqual(['begun', 'one\n', 'display two', 'three\n', 'display four', 'five\n', 'done']);
  });

  it('sends each event with the bytes of both streams before it', async () => {
    const { print, show, warn } = agent.code;
    const { entries } = await start().run(lines(print('one'), show('a'), warn('three'), show('b'), print('five')));
    const counts = entries.flatMap((entry) => (entry.kind === 'event' ? [[entry.stdoutBytes, entry.stderrBytes]] : []));
    expect(counts).toEqual([
      [0, 0],
      [4, 0],
      [4, 6],
      [9, 6],
    ]);
  });

  it('reports how it went and the memory it took', async () => {
    expect((await start().run(agent.code.print('x'))).event('done')).toEqual({
      type: 'done',
      token: expect.any(String),
      status: 'ok',
      exitCode: null,
      peakMemoryBytes: expect.any(Number),
      dropped: 0,
    });
  });

  it('keeps its variables for the next cell of the session', async () => {
    const { get, set } = agent.code;
    const session = start();
    await session.run(set('x', 5));
    expect((await session.run(get('x'))).event('result')).toMatchObject({ data: { 'text/plain': '5' } });
  });

  it('shares no variable with another process', async () => {
    const { get, set } = agent.code;
    await start().run(set('x', 5));
    expect((await start().run(get('x'))).event('error')).toMatchObject({ name: 'NameError' });
  });

  it('runs while another process runs', async () => {
    const { hang, print } = agent.code;
    const hanging = start();
    void hanging.run(hang());
    await hanging.sent('begun');
    expect((await start().run(print('two'))).stdout).toBe('two\n');
  });

  it('that raises sends the error before done, and leaves the session usable', async () => {
    const { fail, print } = agent.code;
    const session = start();
    const cell = await session.run(lines(print('before'), fail('broken'), print('after')));
    expect(cell.order).toEqual(['begun', 'before\n', 'error', 'done']);
    expect(cell.event('error')).toMatchObject({ name: 'RuntimeError', message: 'broken' });
    expect(cell.event('error')?.traceback).toContain('RuntimeError: broken');
    expect(cell.event('done')).toMatchObject({ status: 'error', exitCode: null });
    expect((await session.run(print('again'))).stdout).toBe('again\n');
  });

  it.each([
    [0, 'ok', []],
    [3, 'error', [{ name: 'SystemExit', message: '3', traceback: '' }]],
  ] as const)('that calls exit(%i) ends with status %s, and its session lives on', async (status, outcome, errors) => {
    const { exit, print } = agent.code;
    const session = start();
    const cell = await session.run(lines(exit(status), print('after')));
    expect(cell.stdout).toBe('');
    expect(cell.event('done')).toMatchObject({ status: outcome, exitCode: status });
    expect(cell.events.filter(({ type }) => type === 'error')).toMatchObject(errors);
    expect((await session.run(print('again'))).stdout).toBe('again\n');
  });

  it.each([
    ['ends well', () => agent.code.print('x'), 0],
    ['raises', () => agent.code.fail('broken'), 1],
    ['calls exit(7)', () => agent.code.exit(7), 7],
  ])('that is a program and %s ends its process', async (_, code, status) => {
    const program = start();
    const cell = await program.run(code(), { once: true });
    expect(cell.event('begun')).toBeUndefined();
    expect(cell.events.at(-1)).toMatchObject({ type: 'done' });
    expect(exitOf(await program.channel.ended)).toMatchObject({
      code: status,
      signal: null,
      failure: null,
      stdoutBytes: cell.stdout.length,
    });
  });

  it('reads the whole of its stdin', async () => {
    expect((await start().run(agent.code.copyStdin(), { stdin: 'one\nzwei ä\n' })).stdout).toBe('one\nzwei ä\n');
    expect((await start().run(agent.code.copyStdin())).stdout).toBe('');
  });

  it('gets variables and gives them back before done, also when it raises', async () => {
    const { fail, get, set } = agent.code;
    const session = start();
    const first = await session.run(get('x'), { state: { x: 5 } });
    expect(first.order).toEqual(['begun', 'result 5', 'state', 'done']);
    expect(first.event('state')).toMatchObject({ state: { x: 5 }, leftOut: [] });
    const second = await session.run(lines(set('y', 1), fail('broken')), { state: { x: 6 } });
    expect(second.order).toEqual(['begun', 'error', 'state', 'done']);
    expect(second.event('state')).toMatchObject({ state: { x: 6, y: expect.anything() } });
    expect((await session.run(get('x'))).event('state')).toBeUndefined();
  });

  it('ends with status interrupted after SIGINT, and its session lives on', async () => {
    const { get, set, sleep } = agent.code;
    const session = start();
    await session.run(set('x', 5));
    const running = session.run(sleep(60_000));
    await session.sent('begun');
    await session.channel.signal('SIGINT');
    const cell = await running;
    expect(cell.event('error')).toMatchObject({ name: 'KeyboardInterrupt' });
    expect(cell.event('done')).toMatchObject({ status: 'interrupted', exitCode: null });
    expect((await session.run(get('x'))).event('result')).toMatchObject({ data: { 'text/plain': '5' } });
  });

  it('is not interrupted by a SIGINT that came before it', async () => {
    const { print, sleep } = agent.code;
    const session = start();
    await session.run(print('one'));
    await session.channel.signal('SIGINT');
    const cell = await session.run(lines(sleep(10), print('two')));
    expect([cell.stdout, cell.event('done')]).toMatchObject(['two\n', { status: 'ok' }]);
  });

  it.each([
    ['SIGTERM', 15],
    ['SIGKILL', 9],
  ] as const)('that ignores SIGINT ends by %s, without done', async (signal, number) => {
    const session = start();
    const running = session.run(agent.code.hang());
    await session.sent('stdout');
    await session.channel.signal('SIGINT');
    await session.channel.signal(signal);
    expect((await running).event('done')).toBeUndefined();
    expect(exitOf(await session.channel.ended)).toMatchObject({ code: null, signal: number, oomKills: 0 });
  });

  it('whose process leaves by itself ends without done, with the status', async () => {
    const { exitLater, print, sleep } = agent.code;
    const session = start();
    const cell = await session.run(lines(print('one'), exitLater(50, 4), sleep(60_000)));
    expect([cell.stdout, cell.event('done')]).toEqual(['one\n', undefined]);
    expect(exitOf(await session.channel.ended)).toMatchObject({ code: 4, signal: null, stdoutBytes: 4 });
  });

  it('that takes too much memory is killed alone', async () => {
    const { outOfMemory, print } = agent.code;
    const session = start();
    expect((await session.run(outOfMemory())).event('done')).toBeUndefined();
    expect(exitOf(await session.channel.ended)).toMatchObject({ code: null, signal: 9, oomKills: 1 });
    expect((await agent.sandbox.measure()).oomKills).toBeGreaterThan(0);
    expect((await start().run(print('again'))).stdout).toBe('again\n');
  });

  it('that kills every other process that it can goes on, and so does the agent', async () => {
    const session = start();
    const cell = await session.run(lines(agent.code.killOthers(), agent.code.print('alive')));
    expect(cell.stdout).toBe('alive\n');
    expect((await start().run(agent.code.print('again'))).stdout).toBe('again\n');
    expect(await agent.sandbox.reset(10_000)).toMatchObject({ clean: true });
  });

  it('is completed from the variables of its session', async () => {
    const { set } = agent.code;
    const session = start();
    await session.run(set('some_long_name', 5));
    const code = 'y = some_lon';
    expect((await session.complete(code)).events).toEqual([
      { type: 'completions', token: expect.any(String), start: 4, end: 12, matches: ['some_long_name'] },
    ]);
    expect((await session.complete('no_such_name')).event('completions')).toMatchObject({ end: 12, matches: [] });
  });

  it('ends its process when the request is malformed, and no other', async () => {
    const { print } = agent.code;
    const [broken, other] = [start(), start()];
    broken.channel.run('{');
    expect(exitOf(await broken.channel.ended)).toMatchObject({ code: 127, signal: null });
    expect((await other.run(print('two'))).stdout).toBe('two\n');
  });
}
