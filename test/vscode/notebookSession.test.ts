import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../src/base/deferred.ts';
import type { Engine, RunResult, SessionRecord } from '../../src/engine/types.ts';
import { EngineHandle } from '../../src/vscode/engineHandle.ts';
import { NotebookSession, type PrepareSession } from '../../src/vscode/notebook/notebookSession.ts';
import { BOB, EngineBench, until } from '../engine/engineBench.ts';

const handles: EngineHandle[] = [];
afterEach(() => Promise.all(handles.splice(0).map((handle) => handle.dispose())));
const { signal } = new AbortController();

function setUp() {
  const bench = new EngineBench();
  const handle = new EngineHandle(async () => bench.engine);
  handles.push(handle);
  return { bench, session: new NotebookSession(handle, 'python', BOB) };
}

async function opened(session: NotebookSession): Promise<{ id: string; lost: string | null }> {
  const result = await session.open(signal);
  if (!result.ok) throw new Error(result.error.message);
  return result;
}

function run(session: NotebookSession, id: string, code: string): Promise<RunResult> {
  return session.run(id, { name: 'cell', code }, { onOutput: () => {}, onInput: async () => 'typed' }, signal);
}

describe('NotebookSession', () => {
  it('opens a session for the first cell and keeps it', async () => {
    const { session } = setUp();
    expect(session.info).toBeUndefined();
    const { id } = await opened(session);
    expect(await opened(session)).toEqual({ ok: true, id, lost: null });
    expect((await run(session, id, 'print hello')).stdout).toContain('hello');
  });

  it('answers questions of a cell', async () => {
    const { session } = setUp();
    const { id } = await opened(session);
    expect((await run(session, id, 'ask Name?')).stdout).toBe('typed\n');
  });

  it('restarts the session after its sandbox was lost, with the reason and execution order 1', async () => {
    const { bench, session } = setUp();
    const { id } = await opened(session);
    session.nextOrder();
    await bench.engine.stopSandbox(bench.session(id)?.sandboxId ?? '');
    await until(() => session.info?.state === 'ended');
    const lost = expect.stringMatching(/^its sandbox was lost \(.+\)$/);
    expect(session.loss).toEqual(lost);
    expect(await opened(session)).toEqual({ ok: true, id, lost });
    expect(session.loss).toBeNull();
    expect(await opened(session)).toEqual({ ok: true, id, lost: null });
    expect(session.nextOrder()).toBe(1);
    expect((await run(session, id, 'print again')).status).toBe('ok');
  });

  it('opens another session after a close and reports the close', async () => {
    const { bench, session } = setUp();
    const { id } = await opened(session);
    await bench.engine.closeSession(id);
    const next = await opened(session);
    expect(next.lost).toBe('it was closed');
    expect(next.id).not.toBe(id);
  });

  it('does not report a loss that a cell has shown', async () => {
    const { session } = setUp();
    const { id } = await opened(session);
    expect((await run(session, id, 'oom')).sessionLost).toBe(true);
    expect(session.loss).toBeNull();
    expect(await opened(session)).toEqual({ ok: true, id, lost: null });
  });

  it('interrupts the code of another owner too', async () => {
    const { bench, session } = setUp();
    const { id } = await opened(session);
    const { result } = await bench.begin('sleep 100000', { sessionId: id });
    await session.interrupt();
    expect((await result).status).toBe('interrupted');
  });

  it('restarts with execution order 1', async () => {
    const { session } = setUp();
    expect(await session.restart()).toBeNull();
    const { id } = await opened(session);
    session.nextOrder();
    expect(await session.restart()).toMatchObject({ ok: true, value: { id } });
    expect(session.nextOrder()).toBe(1);
  });

  it('runs an empty cell in the engine', async () => {
    const { session } = setUp();
    const { id } = await opened(session);
    expect((await run(session, id, ' \n')).status).not.toBe('rejected');
  });

  it('closes the session', async () => {
    const { bench, session } = setUp();
    await opened(session);
    await session.close();
    expect(bench.engine.snapshot().sessions).toEqual([]);
    expect(session.info).toBeUndefined();
  });
});

const LEFT = {
  record: {
    version: 1,
    sessionId: 'py-left',
    language: 'python',
    environment: 'python',
    owner: BOB,
    sandboxId: 'gone',
    secret: '0'.repeat(64),
    openedAt: 1,
  } satisfies SessionRecord,
  order: 3,
  onRun: () => ({ onOutput: () => {}, onInput: async () => null }),
};

/** A session whose engine answers `resumeSession` by `resume`. */
function resuming(resume: (engine: Engine) => ReturnType<Engine['resumeSession']>, prepare?: PrepareSession) {
  const { engine } = new EngineBench();
  const handle = new EngineHandle(async () => {
    return Object.assign(engine, { resumeSession: () => resume(engine) });
  });
  handles.push(handle);
  return { engine, session: new NotebookSession(handle, 'python', BOB, prepare) };
}

describe('a session that an earlier window has left', () => {
  it('is the session of the next cell, with the next execution order', async () => {
    const { session } = resuming(async (engine) => {
      const result = await engine.openSession('python', BOB);
      return result.ok ? { ok: true, value: { info: result.value, result: null } } : result;
    });
    const resumed = session.resume(LEFT);
    const { id, lost } = await opened(session);
    expect(await resumed).toBeNull();
    expect(lost).toBeNull();
    expect(session.info?.id).toBe(id);
    expect(session.nextOrder()).toBe(4);
  });

  it('is prepared at once, while its cell runs, and not as a new one', async () => {
    const prepared: { id: string; isNew: boolean }[] = [];
    const ended = deferred<RunResult>();
    const { session } = resuming(
      async (engine) => {
        const result = await engine.openSession('python', BOB);
        return result.ok ? { ok: true, value: { info: result.value, result: ended.promise } } : result;
      },
      async ({ id, isNew }) => void prepared.push({ id, isNew }),
    );
    const resumed = session.resume(LEFT);
    await until(() => prepared.length === 1);
    expect(prepared).toEqual([{ id: session.info?.id, isNew: false }]);
    ended.reject(new Error('it ended with the test'));
    await expect(resumed).rejects.toThrow('it ended with the test');
  });

  it.each<[string, () => ReturnType<Engine['resumeSession']>]>([
    ['is gone', async () => ({ ok: false, error: { kind: 'unknown_session', message: 'It is gone.', advice: '' } })],
    ['cannot be asked for', () => Promise.reject(new Error('It is gone.'))],
  ])('and that %s is reported once, by the next cell in a new session', async (_, resume) => {
    const { session } = resuming(resume);
    expect(await session.resume(LEFT)).toBeNull();
    expect(session.loss).toBe('it could not be continued in this window: It is gone');
    expect((await opened(session)).lost).toBe('it could not be continued in this window: It is gone');
    expect(session.loss).toBeNull();
    expect(session.nextOrder()).toBe(1);
    expect((await opened(session)).lost).toBeNull();
  });
});
