import { expect, it } from 'vitest';
import { PROTOCOL_VERSION } from '../../../src/protocol/messages.ts';
import { putFile } from '../../../src/sandbox/files/sandboxFiles.ts';
import { type AgentCase, Interpreter, Program } from './harness.ts';

/** Resets, clean and unclean. */
export function resetCases(agent: AgentCase): void {
  const start = () => new Interpreter(agent.sandbox);
  const LOST = { kind: 'lost', loss: { outOfMemory: false, reason: 'the sandbox was reset' } };

  it('finds a new sandbox ready for its first run', () => {
    const { walls, ...ready } = agent.sandbox.ready;
    expect(walls.network).toEqual({ state: 'holds', detail: '' });
    expect(ready).toEqual({
      version: PROTOCOL_VERSION,
      interpreter: expect.stringMatching(/^3\.\d+\.\d+/),
    });
  });

  it('ends every process, reports how many, and the sandbox serves again', async () => {
    const { hang, print } = agent.code;
    const hanging = start();
    const program = new Program(agent.sandbox, ['cat']);
    const running = hanging.run(hang());
    await hanging.sent('begun');
    program.channel.write(Buffer.from('up'));
    await program.sent('up');
    expect(await agent.sandbox.reset(10_000)).toEqual({
      clean: true,
      leftovers: [],
      killed: 2,
      fds: expect.any(Number),
      memoryBytes: expect.any(Number),
      durationMs: expect.any(Number),
    });
    expect(await hanging.channel.ended).toEqual(LOST);
    expect(await program.channel.ended).toEqual(LOST);
    expect((await running).event('done')).toBeUndefined();
    expect((await agent.sandbox.measure()).processes).toBe(2);
    expect((await start().run(print('again'))).stdout).toBe('again\n');
  });

  it('removes files', async () => {
    await putFile(agent.sandbox, '/workspace/a.txt', 'one');
    await agent.sandbox.reset(10_000);
    const cell = await start().run(agent.code.readFile('/workspace/a.txt'));
    expect(cell.event('error')).toMatchObject({ name: 'FileNotFoundError' });
  });

  it('drops what a run still had to send', async () => {
    const { fill, print } = agent.code;
    const flooding = start();
    void flooding.run(Array(20).fill(fill(1_000)).join('\n'));
    await agent.sandbox.reset(10_000);
    expect((await start().run(print('only'))).order).toEqual(['begun', 'only\n', 'done']);
  });

  it('answers one after the other', async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(await agent.sandbox.reset(10_000)).toMatchObject({ clean: true, killed: 1 });
    }
  });

  it('names what it could not undo', async () => {
    await start().run(agent.code.taint());
    const report = await agent.sandbox.reset(10_000);
    expect(report).toMatchObject({ clean: false, leftovers: ['times of /dev/null'] });
  });
}
