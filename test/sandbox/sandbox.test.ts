import { describe, expect, it } from 'vitest';
import { HostError } from '../../src/host/host.ts';
import { containerSpec } from '../../src/host/spec.ts';
import { MAX_STRAY_BYTES } from '../../src/protocol/frames.ts';
import { type BootOptions, bootSandbox } from '../../src/sandbox/boot.ts';
import { FakeHost, type Faults } from '../host/fakeHost.ts';
import { HOLDING_WALLS } from '../host/holdingWalls.ts';
import { LIMITS, runCell } from '../languages/python/harness.ts';
import { python } from '../languages/python/language.ts';

const IMAGE = 'hothouse/python:latest';
const AGENT = Buffer.from('00000004pass');

async function boot(faults: Partial<Faults> = {}, options: Partial<BootOptions> = {}, signal?: AbortSignal) {
  return bootOn(new FakeHost({ faults }), options, signal);
}

async function bootOn(host: FakeHost, options: Partial<BootOptions> = {}, signal?: AbortSignal) {
  const spec = containerSpec(IMAGE, LIMITS, {});
  const booting = bootSandbox(
    host,
    { spec, agent: AGENT, outputBytes: 1000, eventBytes: 10_000, events: 1000, ...options },
    signal,
  );
  return { host, booting, sandbox: await booting.catch((error: unknown) => error as HostError) };
}

async function live(faults: Partial<Faults> = {}) {
  const { host, sandbox } = await boot(faults);
  if (sandbox instanceof HostError) throw sandbox;
  return { host, sandbox };
}

describe('booting', () => {
  it('survives stray bytes before the handshake', async () => {
    const { sandbox } = await live({ strayBytes: Buffer.from('WARNING: something\n\u0000\u0001') });
    expect(await runCell(python.open(sandbox, { once: true }), 'print hi')).toMatchObject({
      status: 'ok',
      stdout: 'hi\n',
    });
  });

  it.each([
    ['dies', { diesAt: 'hello' }, {}],
    ['says nothing', { silentAt: 'hello' }, { handshakeMs: 20 }],
    ['babbles', { strayBytes: Buffer.alloc(2 * MAX_STRAY_BYTES) }, {}],
  ] as const)('fails and leaves no container when the agent %s', async (_, faults, options) => {
    const { host, sandbox } = await boot(faults, options);
    expect(sandbox).toBeInstanceOf(HostError);
    expect(sandbox).toMatchObject({ problem: { kind: 'image_unusable' } });
    expect(host.containers.size).toBe(0);
  });

  it('refuses a sandbox that reaches a network although it should not', async () => {
    const network = { state: 'missing', detail: 'eth0' } as const;
    const { host, sandbox } = await boot({ walls: { ...HOLDING_WALLS, network } });
    expect(sandbox).toMatchObject({
      problem: { kind: 'network_reachable', message: expect.stringContaining('(eth0)') },
    });
    expect(host.containers.size).toBe(0);
  });

  it('accepts a sandbox with a network that an option allows', async () => {
    const network = { state: 'off', detail: 'network.policy' } as const;
    const spec = containerSpec(IMAGE, { ...LIMITS, network: 'bridge' }, {});
    const { sandbox } = await boot({ walls: { ...HOLDING_WALLS, network } }, { spec });
    expect(sandbox).toMatchObject({ ready: { walls: { network } } });
  });

  it('refuses a sandbox whose agent says that the network is allowed although it is not', async () => {
    const network = { state: 'off', detail: 'network.policy' } as const;
    const { sandbox } = await boot({ walls: { ...HOLDING_WALLS, network } });
    expect(sandbox).toMatchObject({ problem: { kind: 'network_reachable' } });
  });

  it('refuses a sandbox without a wall that its host requires, and accepts it elsewhere', async () => {
    const systemCalls = { state: 'missing', detail: 'no filter for riscv64' } as const;
    const faults = { walls: { ...HOLDING_WALLS, systemCalls } };
    const host = new FakeHost({ faults });
    host.requiredWalls = ['systemCalls', 'privileges'];
    const { sandbox } = await bootOn(host);
    expect(sandbox).toMatchObject({
      problem: { kind: 'permission_denied', message: expect.stringContaining('(no filter for riscv64)') },
    });
    expect(host.containers.size).toBe(0);
    expect((await boot(faults)).sandbox).toMatchObject({ ready: { walls: { systemCalls } } });
  });

  it('refuses an agent that does not report its walls', async () => {
    const { sandbox } = await boot({ walls: JSON.parse('{}') });
    expect(sandbox).toMatchObject({ problem: { kind: 'image_unusable' } });
  });

  it('can be cancelled', async () => {
    const { host, sandbox } = await boot({ silentAt: 'hello' }, {}, AbortSignal.timeout(20));
    expect(sandbox).toMatchObject({ problem: { kind: 'cancelled' } });
    expect(host.containers.size).toBe(0);
  });
});

describe('a live sandbox', () => {
  it('reports its loss to every run and starts no other', async () => {
    const { host, sandbox } = await live();
    const hanging = runCell(python.open(sandbox, { once: true }), 'hang');
    await host.remove(sandbox.id);
    expect(await hanging).toMatchObject({ status: 'sandbox_lost', alive: false });
    expect(await runCell(python.open(sandbox, { once: true }), 'print x')).toMatchObject({ status: 'sandbox_lost' });
    await expect(sandbox.request({ op: 'measure' })).rejects.toThrow();
    await expect(sandbox.reset(100)).rejects.toThrow();
  });

  it('ends its runs on a reset and serves again', async () => {
    const { sandbox } = await live();
    const hanging = runCell(python.open(sandbox, { once: true }), 'hang');
    expect(await sandbox.reset(1000)).toMatchObject({ clean: true });
    expect(await hanging).toMatchObject({ status: 'sandbox_lost' });
    expect(await runCell(python.open(sandbox, { once: true }), 'print again')).toMatchObject({ stdout: 'again\n' });
  });

  it('returns the leftovers of a reset', async () => {
    const { sandbox } = await live({ uncleanReset: true });
    expect(await sandbox.reset(1000)).toMatchObject({ clean: false });
  });

  it('is lost when a reset takes too long', async () => {
    const { sandbox } = await live({ silentAt: 'reset' });
    await expect(sandbox.reset(20)).rejects.toThrow('its reset took over 20 ms');
    expect(await sandbox.lost).toMatchObject({ outOfMemory: false });
  });

  it('is lost when its container ends during a reset or a run', async () => {
    const { sandbox } = await live({ diesAt: 'reset' });
    await expect(sandbox.reset(1000)).rejects.toThrow();
    const other = await live({ diesAt: 'run' });
    expect(await runCell(python.open(other.sandbox, { once: true }), 'print x')).toMatchObject({
      status: 'sandbox_lost',
    });
  });
});
