import { expect, it } from 'vitest';
import { putFile } from '../../../src/sandbox/files/sandboxFiles.ts';
import { type AgentCase, CAPS, exitOf, Program } from './harness.ts';

/** Exec channels. */
export function programCases(agent: AgentCase): void {
  const start = (argv: string[], rest = {}) => new Program(agent.sandbox, argv, rest);
  const output = async (argv: string[], rest = {}) => {
    const program = start(argv, rest);
    await program.channel.ended;
    return program.output.stdout;
  };

  it('answers its stdin and ends when it is closed', async () => {
    const program = start(['cat']);
    for (const text of ['one\n', 'two\n']) {
      program.channel.write(Buffer.from(text));
      await program.sent(text);
    }
    program.channel.closeInput();
    expect(exitOf(await program.channel.ended)).toEqual({
      code: 0,
      signal: null,
      peakMemoryBytes: expect.any(Number),
      oomKills: 0,
      stdoutBytes: 8,
      stderrBytes: 0,
      failure: null,
    });
    expect(program.output.stdout).toBe('one\ntwo\n');
  });

  it('runs in its folder with its variables', async () => {
    expect(await output(['pwd'], { cwd: '/tmp' })).toBe('/tmp\n');
    expect(await output(['printenv', 'GREETING'], { env: { GREETING: 'hello' } })).toBe('hello\n');
  });

  it('reads the files that were put', async () => {
    await putFile(agent.sandbox, '/workspace/a.txt', 'text');
    expect(await output(['cat', 'a.txt'])).toBe('text');
  });

  it('keeps its own exit status', async () => {
    expect(exitOf(await start(['false']).channel.ended)).toMatchObject({ code: 1, failure: null });
  });

  it.each([
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGKILL', 9],
  ] as const)('ends by %s', async (signal, number) => {
    const program = start(['cat']);
    program.channel.write(Buffer.from('up'));
    await program.sent('up');
    await program.channel.signal(signal);
    expect(exitOf(await program.channel.ended)).toMatchObject({ code: null, signal: number });
  });

  it.each([
    ['the sandbox', undefined, CAPS.outputBytes],
    ['its start', 10, 10],
  ])('has its stdout cut where %s says', async (_, stdoutBytes, passed) => {
    const program = start(['head', '-c', '5000', '/dev/zero'], stdoutBytes === undefined ? {} : { stdoutBytes });
    expect(exitOf(await program.channel.ended)).toMatchObject({ code: 0, stdoutBytes: 5000 });
    expect(program.output.stdout).toHaveLength(passed);
  });

  it.each([
    ['there is no such program', ['no-such-program'], {}, 'no-such-program: No such file or directory'],
    ['there is no such folder', ['true'], { cwd: '/nowhere' }, '/nowhere: No such file or directory'],
  ])('fails to start when %s', async (_, argv, rest, failure) => {
    const program = start(argv, rest);
    expect(exitOf(await program.channel.ended)).toMatchObject({ code: 127, failure });
    expect(program.output.entries).toEqual([]);
  });

  it('ignores input after its end', async () => {
    const program = start(['false']);
    await program.channel.ended;
    program.channel.write(Buffer.from('late'));
    program.channel.closeInput();
    await program.channel.signal('SIGKILL');
    expect(await output(['pwd'])).toBe('/workspace\n');
  });
}
