import { expect, it } from 'vitest';
import type { RequestBody } from '../../../src/sandbox/sandbox.ts';
import { type AgentCase, Interpreter } from './harness.ts';

/** Questions to the agent itself; `discard` gives a case a sandbox in which nothing has ever run. */
export function requestCases(agent: AgentCase, discard: () => Promise<void>): void {
  const start = () => new Interpreter(agent.sandbox);
  /** A request that no engine of this version sends. */
  const ask = (request: object) => agent.sandbox.request(request as RequestBody);

  it('to measure counts the processes of the sandbox', async () => {
    expect(await agent.sandbox.measure()).toEqual({
      memoryBytes: expect.any(Number),
      processes: 2,
      fds: expect.any(Number),
      cpuMs: expect.any(Number),
      oomKills: expect.any(Number),
    });
    // The agent, and a process that waits for the first run.
    const [first, second] = [start(), start()];
    await first.run(agent.code.print('up'));
    await second.run(agent.code.print('up'));
    expect((await agent.sandbox.measure()).processes).toBe(3);
    await second.channel.signal('SIGKILL');
    await second.channel.ended;
    expect((await agent.sandbox.measure()).processes).toBe(2);
  });

  it('to measure says that CPU time goes by', async () => {
    const before = await agent.sandbox.measure();
    await start().run(agent.code.print('x'));
    expect((await agent.sandbox.measure()).cpuMs).toBeGreaterThan(before.cpuMs);
  });

  it('to signal a channel that is not there is answered', async () => {
    expect(await ask({ op: 'signal', channel: 4_000, signal: 'SIGKILL' })).toBeNull();
  });

  it('to preload names the modules that could be imported and those that could not', async () => {
    const loaded = await ask({ op: 'preload', modules: ['json', 'no_such_module'] });
    expect(loaded).toEqual({ loaded: ['json'], failed: ['no_such_module'] });
    expect((await start().run(agent.code.print('ready'))).stdout).toBe('ready\n');
    await discard();
  });

  it('to preload after a run is refused until a reset', async () => {
    const preload = () => ask({ op: 'preload', modules: ['json', 'csv'] });
    await start().run(agent.code.print('x'));
    await expect(preload()).rejects.toThrow('a run came first; ask again after a reset');
    await agent.sandbox.reset(10_000);
    expect(await preload()).toEqual({ loaded: ['json', 'csv'], failed: [] });
    await start().run(agent.code.print('x'));
    expect(await preload()).toEqual({ loaded: ['json', 'csv'], failed: [] });
    await discard();
  });

  it('that the agent does not know is refused, and the next is answered', async () => {
    await expect(ask({ op: 'dance' })).rejects.toThrow('unknown request');
    expect(await agent.sandbox.measure()).toMatchObject({ processes: 2 });
  });

  it.each([
    ['lacks a field', { op: 'signal' }],
    ['names no signal', { op: 'signal', channel: 1, signal: 'SIGNONE' }],
  ])('that %s ends the sandbox: the engine would never send it', async (_, request) => {
    const answer = ask(request);
    await expect(answer).rejects.toThrow('its first process ended with status');
    await agent.sandbox.lost;
  });

  it('to start something of an unknown kind ends the sandbox', async () => {
    const channel = agent.sandbox.start({ kind: 'ruby' } as never, { onStdout: () => {}, onStderr: () => {} });
    expect(await channel.ended).toMatchObject({ kind: 'lost' });
  });
}
