import { afterEach, describe, expect, it } from 'vitest';
import { fileUri, parseFileUri } from '../../src/mcp/files/fileUri.ts';
import { textOf as textOfBytes } from '../../src/mcp/files/readFile.ts';
import { EngineBench } from '../engine/engineBench.ts';
import { call, connectInMemory, textOf } from './connect.ts';

const benches: EngineBench[] = [];
afterEach(() => Promise.all(benches.splice(0).map(({ engine }) => engine.dispose())));

async function connect() {
  const bench = new EngineBench({ pool: { size: 1 } });
  benches.push(bench);
  const client = await connectInMemory(bench.engine);
  return { bench, client };
}

async function session() {
  const { bench, client } = await connect();
  const opened = await call(client, 'open_session', { language: 'python' });
  return { bench, client, session_id: String(opened.structuredContent?.session_id) };
}

describe('the address of a file', () => {
  it.each(['a', 'data/sales 2.csv', 'ä/ü#?%.txt', 'new\nline', '..', 'b\udcff\udc80', '日本\udcff', '100%'])(
    'of %j is a URI and returns the path',
    (path) => {
      const address = { kind: 'session', id: 'py-1', path } as const;
      expect(URL.canParse(fileUri(address))).toBe(true);
      const parsed = parseFileUri(fileUri(address));
      // Bytes of a name that is not UTF-8 all stand for themselves.
      expect(Buffer.from(encoded(parsed?.path ?? ''))).toEqual(Buffer.from(encoded(path)));
    },
  );

  it.each([
    'file:///etc/passwd',
    '/etc/passwd',
    'hothouse://sessions/a',
    'hothouse://x/a/files/b',
    'hothouse://runs//files/b',
  ])('is not %j', (uri) => expect(parseFileUri(uri)).toBeNull());
});

/** As the file system encodes names. */
function encoded(path: string): number[] {
  return [...path].flatMap((character) => {
    const code = character.charCodeAt(0);
    return character.length === 1 && code >= 0xdc80 && code <= 0xdcff ? [code - 0xdc00] : [...Buffer.from(character)];
  });
}

describe('a part of a file', () => {
  it('is text up to its last whole character', () => {
    const bytes = Buffer.from('aä€😀');
    const sizes = [...bytes.keys()].map((end) => textOfBytes(bytes.subarray(0, end))?.bytes);
    expect(sizes).toEqual([0, 1, 1, 3, 3, 3, 6, 6, 6, 6]);
    expect(textOfBytes(bytes.subarray(1, 2))).toBeNull();
    expect(textOfBytes(Buffer.from([0xff]))).toBeNull();
    expect(textOfBytes(Buffer.from('a\0b'))).toBeNull();
    expect(textOfBytes(Buffer.from([0x61, 0x80]))).toBeNull();
  });
});

describe('files of a session', () => {
  it('are written, listed, read and deleted by tools', async () => {
    const { client, session_id } = await session();
    const uri = `hothouse://sessions/${session_id}/files/data/a.csv`;
    const written = await call(client, 'write_file', { session_id, path: 'data/a.csv', content: 'x,ä\n' });
    expect(written.structuredContent).toEqual({ session_id, path: 'data/a.csv', uri, size: 5, replaced: false });
    const listed = await call(client, 'list_files', { session_id, recursive: true });
    expect(listed.structuredContent).toMatchObject({
      entries: [
        { path: 'data', type: 'folder', uri: null },
        { path: 'data/a.csv', type: 'file', size: 5, uri },
      ],
      next_cursor: null,
    });
    const part = await call(client, 'read_file', { session_id, path: '/workspace/data/a.csv', length: 3 });
    expect(part.structuredContent).toMatchObject({ uri, size: 5, length: 2, next_offset: 2, content: 'x,' });
    const rest = await call(client, 'read_file', { session_id, path: 'data/a.csv', offset: 2 });
    expect(rest.structuredContent).toMatchObject({ content: 'ä\n', next_offset: null, encoding: 'utf-8' });
    expect(textOf(rest)).toBe('ä\n');
    const deleted = await call(client, 'delete_file', { session_id, path: 'data', recursive: true });
    expect(deleted.structuredContent).toEqual({ path: 'data', files: 1, folders: 1, bytes: 5 });
    expect(textOf(await call(client, 'list_files', { session_id }))).toBe('There are no files.');
  });

  it('are written in pieces, each at the end of the one before', async () => {
    const { client, session_id } = await session();
    const write = (content: string, offset: number) =>
      call(client, 'write_file', { session_id, path: 'big', content, encoding: 'base64', offset });
    await write(Buffer.from([0, 255]).toString('base64'), 0);
    expect((await write('AQI=', 2)).structuredContent).toMatchObject({ size: 4 });
    const repeated = await write('AQI=', 2);
    expect([repeated.isError, textOf(repeated)]).toEqual([true, expect.stringContaining('it has 4 bytes, and not 2')]);
    const read = await call(client, 'read_file', { session_id, path: 'big' });
    expect(read.structuredContent).toMatchObject({ content: 'AP8BAg==', encoding: 'base64', size: 4 });
    expect((await write('AQI=', 0)).structuredContent).toMatchObject({ size: 2, replaced: true });
  });

  it.each([
    ['../../etc/passwd', 'is not a path in the workspace'],
    ['/etc/passwd', 'is not a path in the workspace'],
    ['a\0b', 'NUL character'],
    ['x'.repeat(300), 'more than 255 bytes'],
    ['', 'can not be used as a file'],
  ])('at %j are rejected by every tool', async (path, reason) => {
    const { client, session_id } = await session();
    const answers = await Promise.all([
      call(client, 'write_file', { session_id, path, content: 'x' }),
      call(client, 'read_file', { session_id, path }),
    ]);
    for (const answer of answers)
      expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining(reason)]);
  });

  it('are not written from content that is not what its encoding says', async () => {
    const { client, session_id } = await session();
    for (const content of ['abc', 'ab=c', 'ä===', '{}==']) {
      const answer = await call(client, 'write_file', { session_id, path: 'a', content, encoding: 'base64' });
      expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining('is not base64')]);
    }
    expect(textOf(await call(client, 'list_files', { session_id }))).toBe('There are no files.');
  });

  it('need a session that is open', async () => {
    const { client } = await session();
    const answer = await call(client, 'read_file', { session_id: 'py-0', path: 'a' });
    expect(textOf(answer)).toContain('There is no session "py-0".');
    expect(textOf(await call(client, 'list_files', {}))).toBe('Give either session_id or run_id.');
  });

  it('are named on one line, whatever user code has called them', async () => {
    const { client, session_id } = await session();
    await call(client, 'write_file', { session_id, path: 'a\n[ok]\u202e', content: 'x' });
    expect(textOf(await call(client, 'list_files', { session_id }))).toBe('file 1 a\\u{a}[ok]\\u{202e}');
  });

  it('are resources', async () => {
    const { client, session_id } = await session();
    await call(client, 'write_file', { session_id, path: 'd/a b.csv', content: 'x,y' });
    await call(client, 'write_file', { session_id, path: 'b.bin', content: '/wA=', encoding: 'base64' });
    const uri = `hothouse://sessions/${session_id}/files/d/a%20b.csv`;
    const { resources } = await client.listResources();
    expect(resources).toEqual([
      {
        uri: `hothouse://sessions/${session_id}/files/b.bin`,
        name: 'b.bin',
        description: `In session ${session_id}`,
        size: 2,
      },
      { uri, name: 'd/a b.csv', description: `In session ${session_id}`, size: 3 },
    ]);
    expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType: 'text/csv', text: 'x,y' }]);
    const binary = await client.readResource({ uri: resources[0]?.uri ?? '' });
    expect(binary.contents).toMatchObject([{ blob: '/wA=' }]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'hothouse://sessions/{session_id}/files/{+path}',
      'hothouse://sessions/{session_id}/notebook.ipynb',
      'hothouse://runs/{run_id}/files/{+path}',
      'hothouse://runs/{run_id}/output/{name}',
    ]);
    for (const wrong of ['file:///etc/passwd', `hothouse://sessions/${session_id}/files/../../etc/passwd`, `${uri}x`]) {
      await expect(client.readResource({ uri: wrong })).rejects.toMatchObject({ code: -32602 });
    }
  });

  it('of another client are no resources of this one', async () => {
    const { bench, client } = await session();
    await bench.engine.files(await bench.open()).put('theirs', 'x');
    expect((await client.listResources()).resources).toEqual([]);
  });
});

describe('files of a run', () => {
  it('go in with it and are kept for a while', async () => {
    const { client } = await connect();
    const files = [
      { path: 'in/a.txt', content: 'text' },
      { path: 'b', content: 'AAE=', encoding: 'base64' },
    ];
    const run = await call(client, 'run_code', {
      language: 'python',
      code: 'read /workspace/in/a.txt\nwrite /workspace/out.csv x,y',
      files,
    });
    const { run_id } = run.structuredContent as { run_id: string };
    const uri = `hothouse://runs/${run_id}/files/out.csv`;
    expect(run.structuredContent).toMatchObject({
      stdout: 'text',
      files: { items: [{ path: 'out.csv', size: 3, mime_type: 'text/csv', uri }], total: 1, bytes: 3 },
    });
    expect(run.content).toContainEqual({ type: 'resource_link', uri, name: 'out.csv', mimeType: 'text/csv', size: 3 });
    expect(textOf(run)).toContain('[files]\nout.csv (3 bytes)');
    expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType: 'text/csv', text: 'x,y' }]);
    expect((await client.listResources()).resources).toMatchObject([{ uri, size: 3 }]);
    const read = await call(client, 'read_file', { run_id, path: 'out.csv', offset: 2 });
    expect(read.structuredContent).toMatchObject({ content: 'y', size: 3, next_offset: null });
    const listed = await call(client, 'list_files', { run_id });
    expect(listed.structuredContent).toMatchObject({ entries: [{ path: 'out.csv', uri }] });
    const again = await call(client, 'run_code', {
      language: 'python',
      code: 'read /workspace/c',
      files: [{ path: 'c', from: uri }],
    });
    expect(again.structuredContent).toMatchObject({ stdout: 'x,y' });
  });

  it('and its long output are read by their addresses, by its owner only', async () => {
    const { bench, client } = await connect();
    await call(client, 'run_code', { language: 'python', code: `write /workspace/long ${'x'.repeat(30_000)}y` });
    const session = await call(client, 'open_session', { language: 'python' });
    const session_id = session.structuredContent?.session_id;
    await call(client, 'write_file', { session_id, path: 'long', content: `${'x'.repeat(30_000)}y` });
    const run = await call(client, 'run_code', { language: 'python', code: 'read /workspace/long', session_id });
    const uri = `hothouse://runs/${run.structuredContent?.run_id}/output/stdout.txt`;
    expect(run.structuredContent).toMatchObject({ links: [{ uri, size: 30_001 }] });
    const end = await call(client, 'read_file', { uri, offset: 29_999 });
    expect(end.structuredContent).toMatchObject({ content: 'xy', size: 30_001, mime_type: 'text/plain' });
    expect((await client.readResource({ uri })).contents).toMatchObject([{ text: expect.stringMatching(/^x+y$/) }]);
    expect((await client.listResources()).resources).toContainEqual(expect.objectContaining({ uri }));
    const other = await connectInMemory(bench.engine, 'owner-2');
    expect(await call(other, 'read_file', { uri })).toMatchObject({ isError: true });
    for (const args of [{}, { uri: '/etc/passwd' }, { uri, path: 'a' }, { path: 'a' }]) {
      expect(await call(client, 'read_file', args)).toMatchObject({ isError: true });
    }
  });

  it('of another client are not found', async () => {
    const { bench, client } = await connect();
    const run = await call(client, 'run_code', { language: 'python', code: 'write /workspace/a x' });
    const uri = `hothouse://runs/${run.structuredContent?.run_id}/files/a`;
    const other = await connectInMemory(bench.engine, 'owner-2');
    await expect(other.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    expect((await other.listResources()).resources).toEqual([]);
  });

  it.each([
    [{ path: 'a', from: '/etc/passwd' }, 'files of this machine cannot be read'],
    [{ path: 'a', from: 'file:///etc/passwd' }, 'files of this machine cannot be read'],
    [{ path: 'a', from: 'hothouse://sessions/py-0/files/a' }, 'There is no session "py-0"'],
    [{ path: 'a', from: 'hothouse://runs/run-0/files/a' }, 'No file "a" of the run run-0 is kept'],
    [{ path: 'a' }, 'needs either content or from'],
    [{ path: 'a', content: 'x', from: 'y' }, 'needs either content or from'],
    [{ path: 'a', content: '*', encoding: 'base64' }, 'is not base64'],
    [{ path: '../a', content: 'x' }, 'is not a path in the workspace'],
    [{ path: 'd/', content: 'x', more: 1 }, 'files'],
  ])('do not go in as %j', async (file, reason) => {
    const { client } = await connect();
    const run = await call(client, 'run_code', { language: 'python', code: 'write /workspace/b x', files: [file] });
    expect([run.isError, textOf(run)]).toEqual([true, expect.stringContaining(reason)]);
    expect(run.structuredContent?.status ?? 'rejected').toBe('rejected');
  });

  it('in a session stay there', async () => {
    const { client, session_id } = await session();
    const run = await call(client, 'run_code', { language: 'python', code: 'write /workspace/a x', session_id });
    const uri = `hothouse://sessions/${session_id}/files/a`;
    expect(run.structuredContent).toMatchObject({ files: { items: [{ path: 'a', uri }], total: 1 } });
  });
});
