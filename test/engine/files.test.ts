import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ChangedFiles } from '../../src/engine/files/types.ts';
import { SandboxFiles } from '../../src/sandbox/files/sandboxFiles.ts';
import { EngineBench, until } from './engineBench.ts';

const benches: EngineBench[] = [];
afterEach(() => Promise.all(benches.splice(0).map(({ engine }) => engine.dispose())));

function newBench(): EngineBench {
  const bench = new EngineBench({ pool: { size: 1 } });
  benches.push(bench);
  return bench;
}

async function sessionFiles() {
  const bench = newBench();
  const sessionId = await bench.open();
  return { bench, sessionId, files: bench.engine.files(sessionId) };
}

const names = (files: ChangedFiles | null) => files?.files.map(({ path }) => path);

describe('the files of a session', () => {
  it('are put, listed, read and removed', async () => {
    const { files } = await sessionFiles();
    expect(await files.put('data/a.csv', 'x,y')).toMatchObject({ ok: true, value: { size: 3, replaced: false } });
    expect(await files.list('')).toMatchObject({ ok: true, value: { entries: [{ path: 'data' }], folders: 1 } });
    expect(await files.stat('/workspace/data')).toMatchObject({
      ok: true,
      value: { contents: { files: 1, bytes: 3 } },
    });
    const opened = await files.get('./data//a.csv', { offset: 1 });
    if (!opened.ok) throw new Error(opened.error.message);
    expect(opened.value).toMatchObject({ size: 3, length: 2, mediaType: 'text/csv' });
    expect(Buffer.concat(await opened.value.content.toArray()).toString()).toBe(',y');
    expect(await files.makeFolder('b/c')).toMatchObject({ ok: true, value: { made: 2 } });
    expect(await files.remove('data', { recursive: true })).toMatchObject({
      ok: true,
      value: { files: 1, folders: 1 },
    });
  });

  it.each([
    ['../etc/passwd', 'outside_workspace'],
    ['/etc/passwd', 'outside_workspace'],
    ['/workspace/../etc/passwd', 'outside_workspace'],
    ['/workspaces/a', 'outside_workspace'],
    ['a\0b', 'invalid_path'],
    ['ä'.repeat(128), 'invalid_path'],
    ['a/'.repeat(129), 'invalid_path'],
    ['x'.repeat(250).concat('/').repeat(17), 'invalid_path'],
    ['nothing', 'not_found'],
    ['', 'not_a_file'],
  ])('at %j are rejected with %s', async (path, kind) => {
    const { files } = await sessionFiles();
    expect(await files.get(path)).toMatchObject({ ok: false, error: { kind, advice: expect.any(String) } });
  });

  it('accept a name of 255 bytes that are not UTF-8', async () => {
    const { files } = await sessionFiles();
    expect(await files.put('\udcff'.repeat(255), 'x')).toMatchObject({ ok: true });
    expect(await files.put('\udcff'.repeat(256), 'x')).toMatchObject({ ok: false, error: { kind: 'invalid_path' } });
  });

  it('of a session that is not open are rejected', async () => {
    const { bench, sessionId, files } = await sessionFiles();
    expect(await bench.engine.files('py-0').stat('')).toMatchObject({ ok: false, error: { kind: 'unknown_session' } });
    await bench.engine.closeSession(sessionId);
    expect(await files.stat('')).toMatchObject({ ok: false, error: { kind: 'unknown_session' } });
  });

  it('are rejected while too many are open', async () => {
    const { files } = await sessionFiles();
    await files.put('a', 'text');
    const opened = await Promise.all(Array.from({ length: 8 }, () => files.get('a')));
    expect(opened.map(({ ok }) => ok)).toEqual(Array(8).fill(true));
    expect(await files.stat('a')).toMatchObject({ ok: false, error: { kind: 'overloaded' } });
    for (const one of opened) if (one.ok) one.value.content.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await files.stat('a')).toMatchObject({ ok: true });
  });

  it('end with their request when it is aborted', async () => {
    const { files } = await sessionFiles();
    const abort = new AbortController();
    async function* endless() {
      yield Buffer.alloc(1_000_000);
      abort.abort();
      await new Promise(() => {});
    }
    const putting = files.put('a', endless(), {}, abort.signal);
    expect(await putting).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
    expect(await files.stat('a')).toMatchObject({ ok: false, error: { kind: 'not_found' } });
    await files.put('b', 'text');
    const reading = new AbortController();
    const opened = await files.get('b', {}, reading.signal);
    if (!opened.ok) throw new Error(opened.error.message);
    reading.abort();
    await new Promise((resolve) => setImmediate(resolve));
    await expect(opened.value.content.toArray()).rejects.toThrow('cancelled');
  });

  it('return the error of a source that fails', async () => {
    const { files } = await sessionFiles();
    // biome-ignore lint/correctness/useYield: it fails before it has anything.
    async function* broken(): AsyncGenerator<Buffer> {
      throw new Error('the disk is gone');
    }
    const error = { kind: 'file_failed', message: expect.stringContaining('the disk is gone') };
    expect(await files.put('a', broken())).toMatchObject({ ok: false, error });
  });

  it('are put together, and none of them without room for all', async () => {
    const { files } = await sessionFiles();
    const pieces = async function* () {
      yield Buffer.from('b,');
      yield Buffer.from('c');
    };
    const put: string[] = [];
    const both = [
      { path: 'a', content: 'x' },
      { path: 'data/b', content: pieces, size: 3 },
    ];
    const done = await files.putAll(both, { onPut: ({ path }) => put.push(path) });
    expect([done, put]).toEqual([{ ok: true, value: { files: 2, bytes: 4 } }, ['a', 'data/b']]);
    expect(await files.room()).toEqual({ ok: true, value: 2 ** 30 });
    const tooLarge = await files.putAll([
      { path: 'c', content: 'x' },
      { path: 'd', content: pieces, size: 2 ** 30 },
    ]);
    const message = expect.stringContaining(`${2 ** 30 + 1} bytes together`);
    expect(tooLarge).toMatchObject({ ok: false, error: { kind: 'no_space', message } });
    expect(await files.stat('c')).toMatchObject({ ok: false, error: { kind: 'not_found' } });
  });

  it('are appended to in pieces', async () => {
    const { files } = await sessionFiles();
    await files.put('a', 'one', { offset: 0 });
    expect(await files.put('a', 'two', { offset: 3 })).toMatchObject({ ok: true, value: { size: 6 } });
    expect(await files.put('a', 'two', { offset: 3 })).toMatchObject({ ok: false, error: { kind: 'conflict' } });
  });

  it('are served while a cell runs', async () => {
    const { bench, sessionId, files } = await sessionFiles();
    const slow = await bench.begin('sleep 1000\nread /workspace/a', { sessionId });
    await files.put('a', 'in time');
    bench.clock.advance(1_000);
    expect((await slow.result).stdout).toBe('go\nin time');
  });
});

describe('the report of a run', () => {
  it('is returned 30 s after the run although its reader still reads, and answers no further request', async () => {
    const bench = newBench();
    const late: Promise<unknown>[] = [];
    const run = await bench.begin('write /workspace/a x\nprint go', {
      reportFiles: true,
      onFiles: async (_, workspace) => {
        late.push(new Promise((resolve) => setImmediate(resolve)).then(() => bench.clock.advance(30_000)));
        await late[0];
        await new Promise((resolve) => setImmediate(resolve));
        late.push(workspace.stat('a'));
        await new Promise(() => {});
      },
    });
    expect((await run.result).files).toMatchObject({ count: 1 });
    await until(() => late.length === 2);
    expect(await late[1]).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
  });

  it('is omitted unless it is requested', async () => {
    expect((await newBench().run('write /workspace/a x')).files).toBeNull();
  });

  it('names the files that a one-shot run has created, and starts no process when there are none', async () => {
    const bench = newBench();
    const run = await bench.run('write /workspace/b.csv x\nwrite /workspace/a xy', { reportFiles: true });
    expect(run.files).toMatchObject({ count: 2, bytes: 3, skipped: 0 });
    expect(names(run.files)).toEqual(['a', 'b.csv']);
    const asked = vi.spyOn(SandboxFiles.prototype, 'changes');
    expect((await bench.run('print 1', { reportFiles: true })).files).toEqual({
      files: [],
      count: 0,
      bytes: 0,
      skipped: 0,
    });
    expect(asked).not.toHaveBeenCalled();
  });

  it('omits the inputs of the run', async () => {
    const inputs = [
      { path: 'a', content: 'one' },
      {
        path: 'b/c',
        content: async function* () {
          yield Buffer.from('two');
        },
      },
    ];
    const run = await newBench().run('read /workspace/a\nread /workspace/b/c\nwrite /workspace/d x', {
      inputs,
      reportFiles: true,
    });
    expect(run.stdout).toBe('onetwo');
    expect(names(run.files)).toEqual(['d']);
  });

  it('is returned when the run is stopped', async () => {
    const bench = newBench();
    const { result } = await bench.begin('write /workspace/a x\nhang', { reportFiles: true, timeoutSeconds: 1 });
    bench.clock.advance(1_000);
    expect(await result).toMatchObject({ status: 'timeout', files: { count: 1 } });
  });

  it('includes the content of the files, read before the reset', async () => {
    const bench = newBench();
    let seen = '';
    const run = await bench.run('write /workspace/a text', {
      reportFiles: true,
      onFiles: async ({ files }, workspace) => {
        for (const { path } of files) {
          const opened = await workspace.get(path);
          if (opened.ok) seen += `${path}: ${Buffer.concat(await opened.value.content.toArray())}`;
        }
        throw new Error('what it throws is ignored');
      },
    });
    expect([run.status, seen]).toEqual(['ok', 'a: text']);
  });

  it('is returned where the function that reads the files throws at once', async () => {
    const onFiles = () => {
      throw new Error('at once');
    };
    const bench = newBench();
    expect((await bench.run('write /workspace/a x', { reportFiles: true, onFiles })).files?.count).toBe(1);
    expect((await bench.run('print 1')).stdout).toBe('1\n');
  });

  it('in a session names the files that are new since the last one, and not those put between cells', async () => {
    const { bench, sessionId, files } = await sessionFiles();
    const run = async (code: string) => names((await bench.run(code, { sessionId, reportFiles: true })).files);
    expect(await run('write /workspace/a x')).toEqual(['a']);
    expect(await run('print 1')).toEqual([]);
    await bench.run('write /workspace/b x', { sessionId });
    expect(await run('print 1')).toEqual(['b']);
    await files.put('c', 'x');
    expect(await run('write /workspace/a y')).toEqual(['a']);
  });

  it('starts from the beginning in a restarted session', async () => {
    const { bench, sessionId } = await sessionFiles();
    await bench.run('write /workspace/a x', { sessionId, reportFiles: true });
    await bench.engine.restartSession(sessionId);
    const run = await bench.run('write /workspace/b x', { sessionId, reportFiles: true });
    expect(names(run.files)).toEqual(['b']);
  });
});

describe('the inputs of a run', () => {
  it.each([
    ['../a', 'outside_workspace'],
    ['', 'not_a_file'],
  ])('at %j reject it, and its code does not run', async (path, name) => {
    const bench = newBench();
    const run = await bench.run('print 1', {
      inputs: [
        { path: 'ok', content: 'x' },
        { path, content: 'x' },
      ],
    });
    expect(run).toMatchObject({ status: 'rejected', stdout: '', error: { name } });
    await until(() => bench.states.join() === 'idle');
    expect((await bench.run('read /workspace/ok')).status).toBe('error');
  });

  it('are rejected in a session', async () => {
    const { bench, sessionId } = await sessionFiles();
    const run = await bench.run('print 1', { sessionId, inputs: [{ path: 'a', content: '' }] });
    expect(run).toMatchObject({ status: 'rejected', error: { name: 'invalid_request' } });
  });
});
