import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import { Options } from '../../src/engine/options.ts';
import type { ContinuedRun, Engine, Owner, RunOutput, RunResult, SessionRecord } from '../../src/engine/types.ts';
import { dockerHost } from '../../src/host/docker/dockerHost.ts';
import { machineId, thisOwner } from '../../src/host/identity.ts';
import { LABEL } from '../../src/host/labels.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { encodeFrame, FrameType } from '../../src/protocol/frames.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { askEngine } from '../faults/engineApi.ts';

const OWNER: Owner = { id: 'notebook', kind: 'notebook', label: 'a.ipynb' };
const OPTIONS = Options.parse({
  limits: { memoryMb: 256, outputKb: 8192, timeoutSeconds: 60 },
  pool: { size: 1 },
  python: { preload: [] },
  sessions: { keepSeconds: 30 },
});
const identity = { machine: '', owner: '' };
const host = dockerHost({ env: process.env, home: process.env.HOME ?? '/', log: silentLog });

beforeAll(async () => {
  identity.machine = `${await machineId()}-resume-test`;
  identity.owner = await thisOwner();
});

afterAll(async () => {
  for (const { id } of await host.list({ [LABEL.machine]: identity.machine })) await host.remove(id);
  await host.dispose();
});

/** An engine with the records of its sessions. */
async function start() {
  const records = new Map<string, SessionRecord>();
  const engine = createEngine({
    connect: () => dockerHost({ env: process.env, home: process.env.HOME ?? '/', log: silentLog }),
    agent: await loadAgent(path.resolve(import.meta.dirname, '../../images/agent')),
    languages: LANGUAGES,
    options: OPTIONS,
    clock: systemClock,
    log: silentLog,
    identity,
    images: imageSources('/nowhere', async () => ({ buildArgs: {} })),
    sessionStore: {
      save: async (record) => void records.set(record.sessionId, record),
      remove: async (id) => void records.delete(id),
    },
  });
  return { engine, records };
}

/** A session and its record. */
async function open({ engine, records }: Awaited<ReturnType<typeof start>>) {
  const opened = await engine.openSession('python', OWNER);
  if (!opened.ok) throw new Error(opened.error.message);
  const record = records.get(opened.value.id);
  if (!record) throw new Error('the session has no record');
  return record;
}

function run(engine: Engine, sessionId: string, code: string, rest: object = {}): Promise<RunResult> {
  return engine.run({ language: 'python', owner: OWNER, sessionId, code, ...rest });
}

/** Runs a cell and waits until it has printed. */
async function begin(engine: Engine, sessionId: string, code: string, rest: object = {}) {
  let printed = () => {};
  const begun = new Promise<void>((resolve) => {
    printed = resolve;
  });
  const request = { language: 'python', owner: OWNER, sessionId, code: `print("begun", flush=True)\n${code}`, ...rest };
  const result = engine.run(request, printed);
  await begun;
  return result.then((ended) => ({ ended }));
}

/** Resumes a session that must be there, with the output of its run. */
async function resume(engine: Engine, record: SessionRecord) {
  const outputs: RunOutput[] = [];
  const runs: ContinuedRun[] = [];
  const resumed = await engine.resumeSession(record, (continued) => {
    runs.push(continued);
    return { onOutput: (output) => outputs.push(output) };
  });
  if (!resumed.ok) throw new Error(`${resumed.error.message} ${resumed.error.advice}`);
  return { ...resumed.value, run: runs[0], outputs };
}

describe('a session', () => {
  it('continues in another engine with its variables and files after the first one has detached', async () => {
    const first = await start();
    const record = await open(first);
    await run(first.engine, record.sessionId, 'x = 41\nopen("f.txt", "w").write("kept")');
    await first.engine.detach();
    const second = await start();
    const { info, result } = await resume(second.engine, record);
    expect(info).toMatchObject({
      id: record.sessionId,
      state: 'idle',
      owner: OWNER,
      runs: 1,
      sandboxId: record.sandboxId,
    });
    expect(result).toBeNull();
    expect(await run(second.engine, record.sessionId, 'print(x + 1, open("f.txt").read())')).toMatchObject({
      status: 'ok',
      stdout: '42 kept\n',
    });
    const matches = async () => {
      const completed = await second.engine.complete(record.sessionId, 'x.bit_len', 9);
      return completed.ok && completed.value.matches;
    };
    // The first one of a sandbox takes some seconds.
    await expect.poll(matches, { timeout: 20_000 }).toEqual(['bit_length']);
    await second.engine.dispose();
    expect((await host.list({ [LABEL.machine]: identity.machine })).map(({ id }) => id)).not.toContain(
      record.sandboxId,
    );
  });

  it('returns the result of a cell that ran through the change of engines, with its whole output', async () => {
    const first = await start();
    const record = await open(first);
    const cell = 'import time\nfor i in range(20):\n  print(i, flush=True); time.sleep(0.1)\n"done"';
    const left = begin(first.engine, record.sessionId, cell, { cell: 'cell-7', timeoutSeconds: 30 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    await first.engine.detach();
    expect((await left).ended).toMatchObject({ status: 'sandbox_lost' });
    const second = await start();
    const { info, run: continued, result, outputs } = await resume(second.engine, record);
    expect(info.state).toBe('busy');
    expect(continued).toMatchObject({ runId: (await left).ended.runId, cell: 'cell-7', isWhole: true });
    const numbers = Array.from({ length: 20 }, (_, i) => `${i}\n`).join('');
    expect(await result).toMatchObject({
      status: 'ok',
      stdout: `begun\n${numbers}`,
      result: { 'text/plain': "'done'" },
      sessionId: record.sessionId,
    });
    expect(outputs.flatMap((output) => (output.kind === 'stdout' ? [output.text] : [])).join('')).toBe(
      `begun\n${numbers}`,
    );
    expect(await run(second.engine, record.sessionId, 'i')).toMatchObject({ result: { 'text/plain': '19' } });
    await second.engine.dispose();
  });

  it('keeps 10 MB that a cell prints while no engine listens, and runs on when one does', async () => {
    const first = await start();
    const record = await open(first);
    const cell = `
import sys, time
time.sleep(1)
for i in range(5 << 4):
    sys.stdout.write("o" * 65535 + "\\n"); sys.stderr.write("e" * 65535 + "\\n")
"done"`;
    void begin(first.engine, record.sessionId, cell);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await first.engine.detach();
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const second = await start();
    const { result } = await resume(second.engine, record);
    const ended = await result;
    expect(ended).toMatchObject({ status: 'ok', result: { 'text/plain': "'done'" }, outputCut: false });
    expect(ended?.stdout.length).toBe((5 << 20) + 'begun\n'.length);
    expect(ended?.stderr).toBe(`${'e'.repeat(65535)}\n`.repeat(5 << 4));
    await second.engine.dispose();
  });

  it('is refused to an engine with another secret, and the engine that has it keeps it', async () => {
    const first = await start();
    const record = await open(first);
    await run(first.engine, record.sessionId, 'x = 1');
    const second = await start();
    const refused = await second.engine.resumeSession({ ...record, secret: '0'.repeat(64) });
    expect(refused).toMatchObject({
      ok: false,
      error: {
        kind: 'unknown_session',
        message: `Session ${record.sessionId} cannot be resumed: its secret is another one.`,
      },
    });
    expect(await run(first.engine, record.sessionId, 'print(x)')).toMatchObject({ status: 'ok', stdout: '1\n' });
    await second.engine.dispose();
    expect(await run(first.engine, record.sessionId, 'print(x)')).toMatchObject({ status: 'ok', stdout: '1\n' });
    await first.engine.dispose();
    const third = await start();
    expect(await third.engine.resumeSession(record)).toMatchObject({
      error: { message: `Session ${record.sessionId} cannot be resumed: its sandbox is gone.` },
    });
    await third.engine.dispose();
  });

  it('goes to the engine that comes last, and the other one loses it without harm to the sandbox', async () => {
    const [first, second] = [await start(), await start()];
    const record = await open(first);
    await run(first.engine, record.sessionId, 'x = 5');
    const cell = begin(first.engine, record.sessionId, 'import time; time.sleep(2); x += 1');
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { result } = await resume(second.engine, record);
    expect((await cell).ended).toMatchObject({ status: 'sandbox_lost', sessionLost: true });
    expect(first.engine.snapshot().sessions[0]).toMatchObject({
      state: 'ended',
      endReason: 'another window or process has taken it over',
    });
    await first.engine.dispose();
    expect(first.records.has(record.sessionId)).toBe(true);
    expect(await result).toMatchObject({ status: 'ok', stdout: 'begun\n' });
    expect(await run(second.engine, record.sessionId, 'print(x)')).toMatchObject({ stdout: '6\n' });
    await second.engine.dispose();
  });

  it('keeps the time limit of a running cell', async () => {
    const first = await start();
    const record = await open(first);
    void begin(first.engine, record.sessionId, 'import time; time.sleep(60)', { timeoutSeconds: 4 });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await first.engine.detach();
    const second = await start();
    const { result } = await resume(second.engine, record);
    const ended = await result;
    expect(ended).toMatchObject({ status: 'timeout', sessionLost: false });
    expect(ended?.durationMs).toBeGreaterThan(3_900);
    expect(ended?.durationMs).toBeLessThan(6_500);
    expect(await run(second.engine, record.sessionId, 'print(1)')).toMatchObject({ status: 'ok' });
    await second.engine.dispose();
  });

  it('can be interrupted in the engine that has resumed it', async () => {
    const first = await start();
    const record = await open(first);
    void begin(first.engine, record.sessionId, 'import time; time.sleep(60)');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await first.engine.detach();
    const second = await start();
    const { result } = await resume(second.engine, record);
    await second.engine.interruptSession(record.sessionId);
    expect(await result).toMatchObject({ status: 'interrupted', sessionLost: false });
    await second.engine.dispose();
  });

  it('ends with its sandbox when no engine comes', async () => {
    const first = await start();
    const record = await open(first);
    await first.engine.detach();
    expect((await host.list({ [LABEL.machine]: identity.machine })).map(({ id }) => id)).toEqual([record.sandboxId]);
    const gone = async () => (await host.list({ [LABEL.machine]: identity.machine })).length === 0;
    await expect.poll(gone, { timeout: 40_000, interval: 500 }).toBe(true);
  });

  // A frame's header, its length, its payload, its end, and what follows it: an engine can end within any of them.
  const frame = encodeFrame(FrameType.run, 1, `{"op": "run", "code": "${'#'.repeat(500)}"}\n`);
  const request = encodeFrame(FrameType.request, 0, JSON.stringify({ id: 9_000, op: 'measure' }));
  it.each([
    ['the type', frame.subarray(0, 1)],
    ['the channel', frame.subarray(0, 3)],
    ['the length', frame.subarray(0, 7)],
    ['the header', frame.subarray(0, 9)],
    ['the payload', frame.subarray(0, 300)],
    ['the payload and before the end', frame.subarray(0, -1)],
    ['the header of an order', request.subarray(0, 8)],
    ['an order', request.subarray(0, 20)],
    ['an order and before its end', request.subarray(0, -1)],
    ['nothing', Buffer.alloc(0)],
  ])('continues after an engine that ended after %s of a frame', async (_, bytes) => {
    const first = await start();
    const record = await open(first);
    await run(first.engine, record.sessionId, 'x = 1');
    await first.engine.detach();
    await write(record.sandboxId, bytes);
    const second = await start();
    await resume(second.engine, record);
    expect(await run(second.engine, record.sessionId, 'print(x)')).toMatchObject({ status: 'ok', stdout: '1\n' });
    await second.engine.dispose();
  });
});

/** Writes bytes to a container's stdin as an engine that ends then. */
async function write(id: string, bytes: Buffer): Promise<void> {
  const container = await host.attach(id, { [LABEL.machine]: identity.machine });
  container?.stdin.write(bytes);
  await container?.detach();
  expect((await askEngine('GET', `/containers/${id}/json`)).status).toBe(200);
}
