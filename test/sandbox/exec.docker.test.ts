import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Start } from '../../src/protocol/messages.ts';
import type { Channel, ChannelEnd, Sandbox } from '../../src/sandbox/sandbox.ts';
import { realSandbox } from '../languages/python/harness.ts';
import { isOnLocalHost } from '../testHost.ts';

const OUTPUT_BYTES = 100_000;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await realSandbox(OUTPUT_BYTES, { memoryBytes: 128 << 20 });
});
afterAll(() => sandbox.dispose());

class Process {
  stdout = '';
  stderr = '';
  readonly channel: Channel;

  constructor(argv: readonly string[], rest: Partial<Extract<Start, { kind: 'exec' }>> = {}) {
    this.channel = sandbox.start(
      { kind: 'exec', argv: [...argv], cwd: '/workspace', env: {}, ...rest },
      {
        onStdout: (bytes) => {
          this.stdout += bytes.toString('latin1');
          this.onOutput();
        },
        onStderr: (bytes) => {
          this.stderr += bytes.toString('latin1');
        },
      },
    );
  }

  onOutput: () => void = () => {};

  says(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.onOutput = () => this.stdout.includes(text) && resolve();
      this.onOutput();
    });
  }
}

const exitOf = (end: ChannelEnd) => (end.kind === 'exit' ? end.exit : null);
const python = (code: string, rest = {}) => new Process(['python3', '-Ic', code], rest);

describe('a program', () => {
  it('runs while its stdin is open, and answers input', async () => {
    const cat = new Process(['cat']);
    for (const word of ['one', 'two']) {
      cat.channel.write(Buffer.from(`${word}\n`));
      await cat.says(`${word}\n`);
    }
    cat.channel.closeInput();
    expect(exitOf(await cat.channel.ended)).toMatchObject({ code: 0, signal: null, failure: null });
    expect(cat.stdout).toBe('one\ntwo\n');
  });

  it('is killed with every process that it started, also in sessions of their own', async () => {
    const { processes } = await sandbox.measure();
    const family = python(
      'import subprocess\nsubprocess.Popen(["sh", "-c", "sleep 1000; :"], start_new_session=True)\nprint("up", flush=True)\ninput()',
    );
    await family.says('up');
    await expect.poll(async () => (await sandbox.measure()).processes).toBe(processes + 3);
    await family.channel.signal('SIGKILL');
    await family.channel.ended;
    await expect.poll(async () => (await sandbox.measure()).processes).toBe(processes);
  });

  it('receives large input completely, also when it reads late', async () => {
    const counter = python('import sys, time; time.sleep(0.3); print(len(sys.stdin.buffer.read()))');
    counter.channel.write(Buffer.alloc(8 << 20, 'x'));
    counter.channel.closeInput();
    await counter.channel.ended;
    expect(counter.stdout).toBe(`${8 << 20}\n`);
  });

  it('that never reads stdin blocks no other program and can be killed', async () => {
    const deaf = python('import os; os.fork(); os.fork(); print("up", flush=True); import time; time.sleep(99)');
    deaf.channel.write(Buffer.alloc(4 << 20));
    await deaf.says('up\nup\nup\nup\n');
    const before = await sandbox.measure();
    await deaf.channel.signal('SIGKILL');
    expect(exitOf(await deaf.channel.ended)).toMatchObject({ code: null, signal: 9 });
    const after = python('print(1)');
    await after.channel.ended;
    expect(after.stdout).toBe('1\n');
    expect((await sandbox.measure()).processes).toBeLessThanOrEqual(before.processes - 4);
  });

  it('has its stdout cut at the limit of the sandbox or of its own start', async () => {
    const flood = 'print("x" * 300_000, end="")';
    const cut = python(flood);
    const whole = python(flood, { stdoutBytes: 1 << 30 });
    const short = python(flood, { stdoutBytes: 10 });
    const exits = await Promise.all([cut, whole, short].map(async ({ channel }) => exitOf(await channel.ended)));
    expect([cut, whole, short].map(({ stdout }) => stdout.length)).toEqual([OUTPUT_BYTES, 300_000, 10]);
    expect(exits.map((exit) => exit?.stdoutBytes)).toEqual([300_000, 300_000, 300_000]);
  });

  const failures: [string, () => Process, string][] = [
    ['is not there', () => new Process(['no-such-program']), 'no-such-program: No such file or directory'],
    ['may not be run', () => new Process(['/proc/version']), '/proc/version: Permission denied'],
    ['has no folder', () => new Process(['true'], { cwd: '/nowhere' }), '/nowhere: No such file or directory'],
  ];
  it.each(failures)('that %s fails with a message', async (_, start, failure) => {
    const program = start();
    expect(exitOf(await program.channel.ended)).toMatchObject({ code: 127, failure });
    expect(program.stderr).toBe('');
  });

  it('that reads late gets all of its input where another one has all the pages for pipes', async () => {
    const taker = python(`
import fcntl, os, time
ends, size = [], 1 << 20
while size > 8192:
    ends += os.pipe()
    try:
        fcntl.fcntl(ends[-1], 1031, 1 << 20)
    except PermissionError: pass
    size = fcntl.fcntl(ends[-1], 1032)
print("taken", flush=True)
time.sleep(60)`);
    await taker.says('taken');
    const reader = python('import sys, time\ntime.sleep(1)\nprint(len(sys.stdin.read()))');
    for (let piece = 0; piece < 5; piece += 1) await reader.channel.write(Buffer.alloc(30_000));
    reader.channel.closeInput();
    expect(exitOf(await reader.channel.ended)).toMatchObject({ code: 0 });
    expect(reader.stdout).toBe('150000\n');
    await taker.channel.signal('SIGKILL');
    await taker.channel.ended;
  });

  it('that exits with status 127 itself does not count as a failed start', async () => {
    const exit = exitOf(await new Process(['sh', '-c', 'exit 127']).channel.ended);
    expect(exit).toMatchObject({ code: 127, failure: null });
  });
});

describe('measure', () => {
  // Both come from the cgroup of the sandbox.
  it.skipIf(isOnLocalHost)('reports used CPU time and out-of-memory kills', async () => {
    const before = await sandbox.measure();
    await python('import time\nwhile time.process_time() < 0.5: pass').channel.ended;
    const busy = await sandbox.measure();
    expect(busy.cpuMs - before.cpuMs).toBeGreaterThan(450);
    await python('b = b"x" * (1 << 30)').channel.ended;
    expect((await sandbox.measure()).oomKills).toBe(before.oomKills + 1);
  });
});
