import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ResumedSandbox } from '../../../src/sandbox/sandbox.ts';
import { type AgentCase, type AgentUnderTest, Interpreter } from './harness.ts';

/** Another engine that takes a session over; `discard` ends the sandbox, which serves no other case. */
export function resumptionCases(agent: AgentCase, discard: () => Promise<void>, take: AgentUnderTest['resume']): void {
  const secret = randomBytes(32).toString('hex');
  const retain = { secretHash: createHash('sha256').update(secret).digest('hex'), silenceMs: 20_000 };
  const note = '{"a": "note"}';
  /** A session's interpreter with a note, in a sandbox that keeps its frames. */
  const open = async () => {
    await agent.sandbox.retention?.start(retain);
    return new Interpreter(agent.sandbox);
  };
  /** The interpreter of a sandbox that another engine had. */
  const adopted = (resumed: ResumedSandbox) => {
    const [kept] = resumed.kept.channels;
    if (!kept) throw new Error('no process lives');
    return { kept, interpreter: new Interpreter(resumed.sandbox, false, (listener) => resumed.adopt(kept, listener)) };
  };
  const end = async (resumed: ResumedSandbox) => {
    await resumed.sandbox.dispose();
    await discard();
  };

  it('gets the processes with their notes, and what was not acknowledged', async () => {
    const first = await open();
    await first.run(agent.code.print('acknowledged'));
    agent.sandbox.retention?.settle();
    await agent.sandbox.measure();
    first.channel.note?.(note);
    await first.run(agent.code.print('not acknowledged'));
    const resumed = await take(agent.sandbox.id, secret);
    const { kept, interpreter } = adopted(resumed);
    expect(kept).toMatchObject({ runs: 2, note, inputBytes: expect.any(Number) });
    expect(resumed.kept.acknowledged).toBeGreaterThan(0);
    expect(kept.runAt).toBeGreaterThanOrEqual(resumed.kept.acknowledged);
    resumed.resume();
    await interpreter.sent('done');
    expect(interpreter.take().stdout).toBe('not acknowledged\n');
    expect((await interpreter.run(agent.code.print('next'))).stdout).toBe('next\n');
    await end(resumed);
  });

  it('gets the end of a process that the first one has not acknowledged', async () => {
    const first = await open();
    await first.run(agent.code.print('x'));
    await first.channel.signal('SIGKILL');
    await first.channel.ended;
    const resumed = await take(agent.sandbox.id, secret);
    const { interpreter } = adopted(resumed);
    resumed.resume();
    expect(await interpreter.channel.ended).toMatchObject({ kind: 'exit', exit: { signal: 9 } });
    await end(resumed);
  });

  it('ends the connection of the first one, whose sandbox lives on', async () => {
    await open();
    const { lost } = agent.sandbox;
    const resumed = await take(agent.sandbox.id, secret);
    expect(await lost).toMatchObject({ isElsewhere: true, reason: 'another window or process has taken it over' });
    await agent.sandbox.dispose();
    resumed.resume();
    expect(await resumed.sandbox.measure()).toMatchObject({ fds: expect.any(Number) });
    await end(resumed);
  });

  it('is refused without the secret, and the first one notices nothing', async () => {
    const first = await open();
    const wrong = randomBytes(32).toString('hex');
    await expect(take(agent.sandbox.id, wrong)).rejects.toThrow('its secret is another one');
    expect((await first.run(agent.code.print('here'))).stdout).toBe('here\n');
    await discard();
  });

  it('is refused where the first one has not allowed it', async () => {
    const first = new Interpreter(agent.sandbox);
    await expect(take(agent.sandbox.id, secret)).rejects.toThrow('its secret is another one');
    expect((await first.run(agent.code.print('here'))).stdout).toBe('here\n');
    expect((await agent.sandbox.reset(10_000)).clean).toBe(true);
  });

  it('gets answers to its own requests only, and numbers of its own for processes', async () => {
    await open();
    await agent.sandbox.measure();
    const resumed = await take(agent.sandbox.id, secret);
    adopted(resumed);
    resumed.resume();
    expect(await resumed.sandbox.measure()).toMatchObject({ fds: expect.any(Number) });
    const second = new Interpreter(resumed.sandbox);
    expect((await second.run(agent.code.print('second'))).stdout).toBe('second\n');
    await end(resumed);
  });

  it('can be followed by a third one', async () => {
    const first = await open();
    await first.run(agent.code.print('one'));
    const second = await take(agent.sandbox.id, secret);
    const third = await take(agent.sandbox.id, secret);
    expect(await second.sandbox.lost).toMatchObject({ isElsewhere: true });
    const { interpreter } = adopted(third);
    third.resume();
    await interpreter.sent('done');
    expect(interpreter.take().stdout).toBe('one\n');
    expect((await interpreter.run(agent.code.print('three'))).stdout).toBe('three\n');
    await end(third);
  });
}
