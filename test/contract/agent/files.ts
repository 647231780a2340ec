import { expect, it } from 'vitest';
import { FILE_WINDOW_BYTES } from '../../../src/protocol/fileMessages.ts';
import { putFile, SandboxFiles } from '../../../src/sandbox/files/sandboxFiles.ts';
import { type AgentCase, Interpreter } from './harness.ts';

const LARGE = Buffer.alloc(3 * FILE_WINDOW_BYTES + 1, 'large ');

/** Requests about the files of a sandbox. */
export function fileCases(agent: AgentCase): void {
  const open = () => new SandboxFiles(agent.sandbox);
  const run = (code: string) => new Interpreter(agent.sandbox).run(code);
  const fileFacts = (size: number) => ({ type: 'file', size, modifiedMs: expect.any(Number) });
  const folder = { type: 'folder', size: expect.any(Number), modifiedMs: expect.any(Number) };

  async function read(path: string, range = {}): Promise<string> {
    const { content } = await open().get(path, range);
    return Buffer.concat(await content.toArray()).toString();
  }

  it('to put one makes it there for runs, in the place of what has its name', async () => {
    const files = open();
    expect(await files.put('a.txt', 'one')).toMatchObject({ size: 3, replaced: false });
    expect(await files.put('a.txt', 'zwei ä')).toMatchObject({ size: 7, replaced: true });
    expect((await run(agent.code.readFile('/workspace/a.txt'))).stdout).toBe('zwei ä');
  });

  it('to put one makes its folders, unless they must exist', async () => {
    const files = open();
    await expect(files.put('data/in/a.txt', 'one', { folders: false })).rejects.toMatchObject({ kind: 'not_found' });
    await files.put('data/in/a.txt', 'one');
    expect(await files.stat('data/in')).toMatchObject({ type: 'folder', contents: { files: 1, bytes: 3 } });
  });

  it('to put one is refused where its name is taken and must not be', async () => {
    const files = open();
    await files.put('a.txt', 'one');
    await expect(files.put('a.txt', 'two', { replace: false })).rejects.toMatchObject({ kind: 'exists' });
    expect(await read('a.txt')).toBe('one');
  });

  it('streams content of any size in pieces of any size, in and out', async () => {
    async function* pieces() {
      yield LARGE.subarray(0, 1);
      yield LARGE.subarray(1, FILE_WINDOW_BYTES + 7);
      yield LARGE.subarray(FILE_WINDOW_BYTES + 7);
    }
    expect(await open().put('large', pieces())).toMatchObject({ size: LARGE.length });
    expect((await read('large')) === LARGE.toString()).toBe(true);
    expect(await open().put('empty', '')).toMatchObject({ size: 0 });
    expect(await read('empty')).toBe('');
  });

  it('sends no content before it is read, and stops when it is no longer wanted', async () => {
    await open().put('large', LARGE);
    const { content, ...facts } = await open().get('large');
    expect(facts).toMatchObject({ ...fileFacts(LARGE.length), length: LARGE.length, mediaType: 'text/plain' });
    content.destroy();
    await expect.poll(async () => (await agent.sandbox.measure()).processes).toBeLessThanOrEqual(3);
  });

  it('reads a range, also one beyond the end', async () => {
    await open().put('a.txt', '0123456789');
    expect(await read('a.txt', { offset: 2, length: 3 })).toBe('234');
    expect(await read('a.txt', { offset: 8, length: 30 })).toBe('89');
    expect(await read('a.txt', { offset: 20 })).toBe('');
  });

  it('lists a folder by pages, in the order of the names, with counts', async () => {
    const files = open();
    for (const path of ['b.txt', 'a/2.csv', 'a/1/x', 'c.txt']) await files.put(path, path);
    const flat = await files.list('');
    expect(flat).toEqual({
      entries: [
        { path: 'a', ...folder },
        { path: 'b.txt', ...fileFacts(5) },
        { path: 'c.txt', ...fileFacts(5) },
      ],
      next: null,
      skipped: 0,
      files: 2,
      folders: 1,
      others: 0,
      bytes: 10,
    });
    const pages: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await files.list('', { recursive: true, limit: 2, cursor });
      pages.push(page.entries.map(({ path }) => path));
      cursor = page.next;
    }
    expect(pages).toEqual([
      ['a', 'a/1'],
      ['a/1/x', 'a/2.csv'],
      ['b.txt', 'c.txt'],
    ]);
    expect((await files.list('a')).entries.map(({ path }) => path)).toEqual(['a/1', 'a/2.csv']);
  });

  it('describes a file and a folder', async () => {
    const files = open();
    await files.put('data/a.csv', 'x,y\n1,2\n');
    expect(await files.stat('data/a.csv')).toMatchObject({
      ...fileFacts(8),
      links: 1,
      mediaType: 'text/csv',
      contents: null,
    });
    expect(await files.stat('')).toMatchObject({
      ...folder,
      mediaType: null,
      contents: { files: 1, folders: 1, others: 0, bytes: 8, skipped: 0 },
    });
  });

  it('makes folders and removes what is in them, with counts', async () => {
    const files = open();
    expect(await files.makeFolder('a/b/c')).toMatchObject({ made: 3 });
    expect(await files.makeFolder('a/b')).toMatchObject({ made: 0 });
    await files.put('a/b/x', 'four');
    await expect(files.remove('a')).rejects.toMatchObject({ kind: 'not_empty' });
    expect(await files.remove('a', true)).toMatchObject({ files: 1, folders: 3, others: 0, bytes: 4 });
    await expect(files.remove('a')).rejects.toMatchObject({ kind: 'not_found' });
  });

  it.each<[string, (files: SandboxFiles) => Promise<unknown>, string]>([
    ['to get a folder', (files) => files.get('folder'), 'not_a_file'],
    ['to get nothing', (files) => files.get('nothing'), 'not_found'],
    ['to list a file', (files) => files.list('file'), 'not_a_folder'],
    ['to stat below a file', (files) => files.stat('file/x'), 'not_a_folder'],
    ['to put over a folder', (files) => files.put('folder', 'x'), 'not_a_file'],
    ['to put below a file', (files) => files.put('file/x', 'x'), 'not_a_folder'],
    ['to make a folder over a file', (files) => files.makeFolder('file'), 'not_a_folder'],
    ['to remove the root', (files) => files.remove('', true), 'outside_workspace'],
    ['with ..', (files) => files.put('../etc/x', 'x'), 'invalid_path'],
    ['with an empty name', (files) => files.get('a//b'), 'invalid_path'],
  ])('%s is refused, and the next request is served', async (_, ask, kind) => {
    const files = open();
    await files.put('file', 'x');
    await files.makeFolder('folder');
    await expect(ask(files)).rejects.toMatchObject({ kind });
    expect(await files.stat('file')).toMatchObject({ size: 1 });
  });

  it('reports what was made or changed since a mark', async () => {
    const files = open();
    await files.put('before.txt', 'x');
    const mark = await files.mark();
    await run([agent.code.writeFile('/workspace/b.csv', 'x,y'), agent.code.writeFile('/workspace/c', '')].join('\n'));
    const changed = await files.changes(mark, 1);
    expect(changed).toMatchObject({
      files: [{ path: 'b.csv', ...fileFacts(3), mediaType: 'text/csv' }],
      count: 2,
      bytes: 3,
      skipped: 0,
    });
    expect(await files.changes(changed.mark, 10)).toMatchObject({ files: [], count: 0 });
    expect(await files.changes('0', 10)).toMatchObject({ count: 3 });
  });

  it('are served while code runs, and end with the process of the requests', async () => {
    const hanging = new Interpreter(agent.sandbox);
    void hanging.run(agent.code.hang());
    await hanging.sent('stdout');
    const files = open();
    await files.put('a', 'x');
    const { processes } = await agent.sandbox.measure();
    files.close();
    await expect.poll(async () => (await agent.sandbox.measure()).processes).toBe(processes - 1);
    await expect(files.stat('a')).rejects.toMatchObject({ kind: 'sandbox_lost' });
  });

  it('are gone after a reset, which ends a put and a get in the middle', async () => {
    await open().put('large', LARGE);
    const { content } = await open().get('large');
    const reading = content[Symbol.asyncIterator]();
    await reading.next();
    let goOn = () => {};
    const paused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* endless() {
      yield LARGE;
      await paused;
      yield LARGE;
    }
    const putting = expect(open().put('other', endless())).rejects.toMatchObject({ kind: 'sandbox_lost' });
    const idle = open();
    await idle.stat('');
    expect(await agent.sandbox.reset(10_000)).toMatchObject({ clean: true });
    await expect(content.toArray()).rejects.toMatchObject({ kind: 'sandbox_lost' });
    await expect(idle.stat('')).rejects.toMatchObject({ kind: 'sandbox_lost' });
    goOn();
    await putting;
    expect((await open().list('')).entries).toEqual([]);
  });

  it('can be put in /tmp too, and nowhere else', async () => {
    await putFile(agent.sandbox, '/tmp/a.txt', 'text');
    expect((await run(agent.code.readFile('/tmp/a.txt'))).stdout).toBe('text');
    for (const path of ['/etc/a', 'workspace/a', '/workspace', '/workspace/']) {
      await expect(putFile(agent.sandbox, path, 'x')).rejects.toThrow();
    }
  });
}
