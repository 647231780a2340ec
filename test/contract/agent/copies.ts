import { expect, it } from 'vitest';
import { type AgentCase, exitOf, Interpreter, Program } from './harness.ts';

/** Copies of a session's interpreter. */
export function copyCases(agent: AgentCase): void {
  const start = () => new Interpreter(agent.sandbox);
  const copiesOf = (session: Interpreter, count: number) => session.copies(agent.sandbox, count);
  const copyOf = async (session: Interpreter) => {
    const [copy] = await copiesOf(session, 1);
    if (!copy) throw new Error('there is no copy');
    return copy;
  };
  const numberIn = async (session: Interpreter, name: string) => {
    const result = (await session.run(agent.code.get(name))).event('result');
    return (result?.data as Record<string, string> | undefined)?.['text/plain'];
  };

  it('has the variables of the session, and changes none of them', async () => {
    const { set } = agent.code;
    const session = start();
    await session.run(set('x', 5));
    const copies = await copiesOf(session, 2);
    await Promise.all(copies.map((copy, index) => copy.run(set('x', index))));
    expect(await Promise.all([...copies, session].map((one) => numberIn(one, 'x')))).toEqual(['0', '1', '5']);
  });

  it('takes a request that came before it was there', async () => {
    const { get, set } = agent.code;
    const session = start();
    await session.run(set('x', 5));
    const early = new Interpreter(agent.sandbox, false, session.channel);
    const cell = early.run(get('x'));
    await session.copy(1);
    expect((await cell).event('result')).toMatchObject({ data: { 'text/plain': '5' } });
  });

  it('runs beside others, and its output is its own', async () => {
    const { hang, print } = agent.code;
    const session = start();
    const [first, second] = await copiesOf(session, 2);
    void first?.run(hang());
    await first?.sent('begun');
    expect((await second?.run(print('two')))?.stdout).toBe('two\n');
    expect((await session.run(print('one'))).order).toEqual(['begun', 'one\n', 'done']);
  });

  it('can be interrupted, completes names, and outlives the session', async () => {
    const { set, sleep } = agent.code;
    const session = start();
    await session.run(set('value_of_session', 5));
    const copy = await copyOf(session);
    await session.channel.signal('SIGKILL');
    await session.channel.ended;
    const cell = copy.run(sleep(30_000));
    await copy.sent('begun');
    await copy.channel.signal('SIGINT');
    expect((await cell).event('done')).toMatchObject({ status: 'interrupted' });
    expect((await copy.complete('value_of_')).event('completions')?.matches).toContain('value_of_session');
  });

  it('can be copied', async () => {
    const { set } = agent.code;
    const session = start();
    await session.run(set('x', 1));
    const copy = await copyOf(session);
    await copy.run(set('x', 2));
    const second = await copyOf(copy);
    await copy.run(set('x', 3));
    expect(await Promise.all([session, copy, second].map((one) => numberIn(one, 'x')))).toEqual(['1', '3', '2']);
  });

  it('reports how its process ended', async () => {
    const { exitLater, sleep } = agent.code;
    const copy = await copyOf(start());
    await copy.run(exitLater(0, 7));
    await copy.run(sleep(5_000));
    expect(exitOf(await copy.channel.ended)).toMatchObject({ code: 7, signal: null, failure: null });
  });

  it('without memory is killed for it, and the session lives on', async () => {
    const { outOfMemory, print } = agent.code;
    const session = start();
    const [first, second] = await copiesOf(session, 2);
    await first?.run(outOfMemory());
    const end = first && exitOf(await first.channel.ended);
    expect(end).toMatchObject({ code: null, signal: 9 });
    expect(end?.oomKills).toBeGreaterThan(0);
    expect((await second?.run(print('two')))?.stdout).toBe('two\n');
    expect((await session.run(print('one'))).stdout).toBe('one\n');
  });

  it('that the session is never asked for ends when it is killed', async () => {
    const copy = new Interpreter(agent.sandbox, false, start().channel);
    await copy.channel.signal('SIGKILL');
    expect(exitOf(await copy.channel.ended)).toMatchObject({ signal: 9 });
  });

  it('of a program fails, and so does one of a process that has ended', async () => {
    const program = new Program(agent.sandbox, ['sh', '-c', 'sleep 9']);
    const session = start();
    await session.channel.signal('SIGKILL');
    await session.channel.ended;
    for (const { channel } of [program, session]) {
      const end = exitOf(await new Interpreter(agent.sandbox, false, channel).channel.ended);
      expect(end?.failure).toContain('copied');
    }
  });

  it('is ended by a reset, also before it is there', async () => {
    const { hang } = agent.code;
    const session = start();
    const copy = await copyOf(session);
    void copy.run(hang());
    await copy.sent('begun');
    new Interpreter(agent.sandbox, false, session.channel);
    expect(await agent.sandbox.reset(10_000)).toMatchObject({ clean: true, leftovers: [] });
  });
}
