import { afterEach, describe, expect, it } from 'vitest';
import type { CellOutput } from '../../src/languages/language.ts';
import { bootSandbox } from '../../src/sandbox/boot.ts';
import { ownSpec } from '../contract/hostContract.ts';
import { python } from '../languages/python/language.ts';
import { FakeHost, type FakeHostOptions } from './fakeHost.ts';

const AGENT = Buffer.from('00000004pass');

describe('the fake host with a real sandbox client', () => {
  const hosts: FakeHost[] = [];
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.dispose())));

  const boot = async (options: FakeHostOptions = {}) => {
    const host = new FakeHost(options);
    hosts.push(host);
    const sandbox = await bootSandbox(host, {
      spec: ownSpec(),
      agent: AGENT,
      outputBytes: 1 << 20,
      eventBytes: 1 << 20,
      events: 1000,
    });
    return { host, sandbox };
  };
  type Booted = Awaited<ReturnType<typeof boot>>['sandbox'];
  const start = (sandbox: Booted, once: boolean, code: string, state: Record<string, unknown> | null = null) => {
    const interpreter = python.open(sandbox, { once });
    const outputs: CellOutput[] = [];
    const run = (text: string) =>
      interpreter.run({ code: text, name: '<cell 1>', stdin: 'in', state }, (output) => outputs.push(output));
    return { interpreter, outputs, run, end: run(code) };
  };

  it('forwards all output of a program', async () => {
    const { sandbox } = await boot();
    const { outputs, end } = start(sandbox, true, 'print out\nwarn err\nshow it\nget x\nstdin', { x: 1 });
    expect(await end).toMatchObject({ status: 'ok', state: { x: 1 }, stdoutBytes: 6, stderrBytes: 4, alive: false });
    expect(outputs.map(({ kind }) => kind)).toEqual(['stdout', 'stderr', 'display', 'result', 'stdout']);
  });

  it('keeps the variables of a session', async () => {
    const { sandbox } = await boot();
    const { run, end, outputs } = start(sandbox, false, 'set x 41');
    expect(await end).toMatchObject({ status: 'ok', alive: true });
    expect(await run('get x')).toMatchObject({ status: 'ok' });
    expect(outputs).toEqual([{ kind: 'result', data: { 'text/plain': '41' } }]);
  });

  it('ends runs with errors, exits, interrupts and kills as Python does', async () => {
    const { sandbox } = await boot();
    const ended = (code: string) => start(sandbox, true, code).end;
    expect(await ended('error bad')).toMatchObject({ status: 'error', error: { message: 'bad' }, exitCode: 1 });
    expect(await ended('what')).toMatchObject({ error: { name: 'NameError' } });
    expect(await ended('exit 3')).toMatchObject({ status: 'error', exitCode: 3 });
    expect(await ended('oom')).toMatchObject({ status: 'out_of_memory' });
    const sleeper = start(sandbox, false, 'print on\nsleep 600000');
    await expect.poll(() => sleeper.outputs.length).toBe(1);
    sleeper.interpreter.interrupt();
    expect(await sleeper.end).toMatchObject({ status: 'interrupted', alive: true });
    const stubborn = start(sandbox, false, 'hang');
    stubborn.interpreter.interrupt();
    stubborn.interpreter.kill();
    expect(await stubborn.end).toMatchObject({ status: 'killed', alive: false });
  });

  it('sends no output of old processes after a reset, and starts new ones', async () => {
    const { sandbox } = await boot();
    const old = start(sandbox, true, 'sleep 50\nprint late');
    await new Promise(setImmediate);
    expect(await sandbox.reset(1_000)).toMatchObject({ clean: true, killed: 1 });
    expect(await start(sandbox, true, 'sleep 100').end).toMatchObject({ status: 'ok' });
    expect(old.outputs).toEqual([]);
  });

  it('simulates resets with leftovers, that fail and that never answer', async () => {
    const unclean = await boot({ faults: { uncleanReset: true } });
    expect(await unclean.sandbox.reset(1_000)).toMatchObject({ clean: false });
    const silent = await boot({ faults: { silentAt: 'reset' } });
    await expect(silent.sandbox.reset(50)).rejects.toThrow('50 ms');
    const deadly = await boot({ faults: { diesAt: 'reset' } });
    await expect(deadly.sandbox.reset(1_000)).rejects.toThrow('status 1');
  });

  it('loses the sandbox when the container dies in a run', async () => {
    const { host, sandbox } = await boot();
    expect(await start(sandbox, true, 'die').end).toMatchObject({ status: 'sandbox_lost' });
    expect(await sandbox.lost).toMatchObject({ outOfMemory: false });
    expect(host.containers.size).toBe(0);
  });

  it('survives stray bytes before the handshake', async () => {
    const { sandbox } = await boot({ faults: { strayBytes: Buffer.from('a warning of the runtime\n') } });
    expect(sandbox.ready).toMatchObject({ interpreter: '3.13.0' });
  });
});
