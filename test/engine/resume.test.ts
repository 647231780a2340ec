import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { textHash } from '../../src/base/textHash.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import { Options, type OptionsInput } from '../../src/engine/options.ts';
import type { Engine, RunOutput, SessionRecord, SessionStore } from '../../src/engine/types.ts';
import type { Host } from '../../src/host/host.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { FakeHost } from '../host/fakeHost.ts';
import { ManualClock } from '../host/manualClock.ts';
import { BOB, until } from './engineBench.ts';

const engines: Engine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.dispose()));
});

/** The same host for several engines, none of which ends it. */
function shared(host: FakeHost): Host {
  return {
    images: host.images,
    handshakeMs: host.handshakeMs,
    endsWithProcess: host.endsWithProcess,
    info: () => host.info(),
    runtimeProblem: (runtime) => host.runtimeProblem(runtime),
    create: (spec, signal) => host.create(spec, signal),
    attach: (id, labels) => host.attach(id, labels),
    list: (labels) => host.list(labels),
    remove: (id) => host.remove(id),
    removeUnusedVolumes: (labels) => host.removeUnusedVolumes(labels),
    dispose: async () => {},
  };
}

/** Records of sessions; `fail` makes each call reject. */
class Store implements SessionStore {
  readonly records = new Map<string, SessionRecord>();
  fail = false;

  async save(record: SessionRecord): Promise<void> {
    if (this.fail) throw new Error('the store is full');
    this.records.set(record.sessionId, record);
  }

  async remove(id: string): Promise<void> {
    this.records.delete(id);
  }
}

function start(host: FakeHost, options: OptionsInput = {}, store = new Store()) {
  const engine = createEngine({
    connect: () => shared(host),
    agent: Buffer.from('00000004pass'),
    options: Options.parse(options),
    clock: systemClock,
    log: silentLog,
    identity: { machine: 'test', owner: 'test' },
    languages: LANGUAGES,
    images: imageSources('/nowhere', async () => ({ buildArgs: {} })),
    sessionStore: store,
  });
  engines.push(engine);
  return { engine, store };
}

async function open(engine: Engine, store: Store): Promise<SessionRecord> {
  const opened = await engine.openSession('python', BOB);
  const record = opened.ok && store.records.get(opened.value.id);
  if (!record) throw new Error('there is no record');
  return record;
}

function run(engine: Engine, sessionId: string, code: string, rest: object = {}, onOutput?: (o: RunOutput) => void) {
  return engine.run({ language: 'python', owner: BOB, sessionId, code, ...rest }, onOutput);
}

async function begin(engine: Engine, sessionId: string, code: string, rest: object = {}) {
  let begun = false;
  const result = run(engine, sessionId, `print go\n${code}`, rest, () => {
    begun = true;
  });
  await until(() => begun);
  return { result };
}

describe('resumeSession', () => {
  it('continues with the variables, the counts and the cell that runs', async () => {
    const clock = new ManualClock();
    const host = new FakeHost({ clock });
    const { engine, store } = start(host);
    const record = await open(engine, store);
    await run(engine, record.sessionId, 'set x 7');
    const { result: left } = await begin(engine, record.sessionId, 'sleep 300\nprint end', { cell: 'a' });
    await engine.detach();
    const { status, runId } = await left;
    expect(status).toBe('sandbox_lost');
    const next = start(host);
    const shown: string[] = [];
    const resumed = await next.engine.resumeSession(record, (run) => {
      expect(run).toMatchObject({
        runId,
        cell: 'a',
        codeHash: textHash('print go\nsleep 300\nprint end'),
        isWhole: true,
      });
      return { onOutput: (output) => output.kind === 'stdout' && shown.push(output.text) };
    });
    if (!resumed.ok) throw new Error(resumed.error.message);
    expect(resumed.value.info).toMatchObject({ id: record.sessionId, state: 'busy', owner: BOB, runs: 1 });
    clock.advance(300);
    expect(await resumed.value.result).toMatchObject({ runId, status: 'ok', stdout: 'go\nend\n' });
    expect(shown.join('')).toBe('go\nend\n');
    expect(await run(next.engine, record.sessionId, 'get x')).toMatchObject({ result: { 'text/plain': '7' } });
    expect(next.engine.snapshot().sessions[0]).toMatchObject({ state: 'idle', runs: 3 });
  });

  it('returns no answer that the earlier engine has returned', async () => {
    const host = new FakeHost();
    const { engine, store } = start(host);
    const record = await open(engine, store);
    expect((await run(engine, record.sessionId, 'print once')).stdout).toBe('once\n');
    await engine.detach();
    const next = start(host);
    expect(await next.engine.resumeSession(record)).toMatchObject({ ok: true, value: { result: null } });
    expect((await run(next.engine, record.sessionId, 'print twice')).stdout).toBe('twice\n');
  });

  it('removes the record when the session ends, and keeps it while another engine has the session', async () => {
    const host = new FakeHost();
    const { engine, store } = start(host);
    const record = await open(engine, store);
    await run(engine, record.sessionId, 'print x');
    const next = start(host, {}, store);
    expect(await next.engine.resumeSession(record)).toMatchObject({ ok: true });
    await until(() => engine.snapshot().sessions[0]?.state === 'ended');
    await engine.dispose();
    expect(store.records.size).toBe(1);
    expect(host.containers.has(record.sandboxId)).toBe(true);
    await next.engine.closeSession(record.sessionId);
    await until(() => store.records.size === 0 && !host.containers.has(record.sandboxId));
  });

  it('saves another record when the session is restarted', async () => {
    const host = new FakeHost();
    const { engine, store } = start(host);
    const record = await open(engine, store);
    await engine.restartSession(record.sessionId);
    const other = store.records.get(record.sessionId);
    expect(other).toMatchObject({ sessionId: record.sessionId, openedAt: record.openedAt });
    expect(other?.secret).not.toBe(record.secret);
    expect(other?.sandboxId).not.toBe(record.sandboxId);
  });

  it('refuses a session that is open here, one too many, and records of something else', async () => {
    const host = new FakeHost();
    const { engine, store } = start(host, { sessions: { max: 1 } });
    const record = await open(engine, store);
    const full = { ...record, sessionId: 'py-0' };
    expect(await engine.resumeSession(full)).toMatchObject({ error: { kind: 'session_limit' } });
    const next = start(host);
    const problemOf = async (given: object) => {
      const resumed = await next.engine.resumeSession({ ...record, ...given });
      return resumed.ok ? null : resumed.error.message;
    };
    const cannot = `Session ${record.sessionId} cannot be resumed`;
    expect(await problemOf({ version: 2 })).toBe(`${cannot}: its record is not one of this version.`);
    expect(await problemOf({ sandboxId: '0'.repeat(64) })).toBe(`${cannot}: its sandbox is gone.`);
    host.endsWithProcess = true;
    const later = await start(host).engine.resumeSession({ ...record, sandboxId: '0'.repeat(64) });
    expect(later).toMatchObject({
      error: { message: `${cannot}: without a container engine a sandbox ends with the program that started it.` },
    });
    host.endsWithProcess = false;
    expect(await problemOf({ secret: '0'.repeat(64) })).toBe(`${cannot}: its secret is another one.`);
    expect(await problemOf({ language: 'ruby', environment: 'ruby' })).toContain('There is no language "ruby"');
    expect(await problemOf({ language: 'lean', environment: 'lean' })).toBe(
      `${cannot}: sessions of Lean end with the process that opened them.`,
    );
    const [one, two] = await Promise.all([problemOf({}), problemOf({})]);
    expect([one, two]).toEqual([null, `Session ${record.sessionId} is open here already.`]);
  });

  it('says so when the interpreter has ended meanwhile, and removes the sandbox', async () => {
    const host = new FakeHost();
    const { engine, store } = start(host);
    const record = await open(engine, store);
    await run(engine, record.sessionId, 'leave 30');
    await engine.detach();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const next = start(host);
    const resumed = await next.engine.resumeSession(record);
    if (!resumed.ok) expect(resumed.error.message).toContain('its interpreter has ended');
    await until(() => next.engine.snapshot().sessions.every(({ state }) => state === 'ended'));
  });

  it('leaves no sandbox whose record could not be saved', async () => {
    const host = new FakeHost();
    const { engine, store } = start(host);
    store.fail = true;
    const opened = await engine.openSession('python', BOB);
    if (!opened.ok) throw new Error(opened.error.message);
    expect(await run(engine, opened.value.id, 'print works')).toMatchObject({ status: 'ok' });
    await engine.detach();
    expect(host.containers.size).toBe(0);
  });

  it('is refused by an engine that has ended', async () => {
    const host = new FakeHost();
    const { engine, store } = start(host);
    const record = await open(engine, store);
    await engine.detach();
    expect(await engine.resumeSession(record)).toMatchObject({ error: { kind: 'engine_closed' } });
  });
});
