import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectMcp, connectServe } from '../cli/program.ts';
import { call, ERAS, type TestClient, textOf } from './connect.ts';

const PIECE = 1024 * 1024;
const PLOT =
  'import matplotlib\nmatplotlib.use("agg")\nimport matplotlib.pyplot as plt\nplt.plot([1, 3]); plt.savefig("plot.png")';

describe.each([
  [ERAS[0], 'stdio', connectMcp],
  [ERAS[1], 'HTTP', connectServe],
] as const)('files for a client of %s over %s', (era, _name, connect) => {
  let client: TestClient;
  let end: () => Promise<unknown>;
  let session_id: string;

  beforeAll(async () => {
    ({ client, end } = await connect(era, {}));
    session_id = String((await call(client, 'open_session', { language: 'python' })).structuredContent?.session_id);
  });
  afterAll(() => end());

  const python = (code: string, more: Record<string, unknown> = {}) =>
    call(client, 'run_code', { language: 'python', code, ...more });

  it('of any size go in and come out in pieces', async () => {
    const content = randomBytes(3.5 * PIECE);
    for (let offset = 0; offset < content.length; offset += PIECE) {
      const piece = content.subarray(offset, offset + PIECE).toString('base64');
      const put = await call(client, 'write_file', {
        session_id,
        path: 'in/big',
        content: piece,
        encoding: 'base64',
        offset,
      });
      expect(put.structuredContent).toMatchObject({ size: Math.min(offset + PIECE, content.length) });
    }
    const hash = createHash('sha256').update(content).digest('hex');
    const code =
      'import hashlib\ndata = open("in/big", "rb").read()\nopen("copy", "wb").write(data); hashlib.sha256(data).hexdigest()';
    expect((await python(code, { session_id })).structuredContent).toMatchObject({ result: `'${hash}'` });
    const parts: Buffer[] = [];
    for (let offset: unknown = 0; typeof offset === 'number'; ) {
      const read = await call(client, 'read_file', { session_id, path: 'copy', offset, length: PIECE });
      parts.push(Buffer.from(String(read.structuredContent?.content), 'base64'));
      offset = read.structuredContent?.next_offset;
    }
    expect(Buffer.concat(parts).equals(content)).toBe(true);
  });

  it('are also the notebook of a session, with its pictures, tables and errors', async () => {
    const { structuredContent } = await call(client, 'open_session', { language: 'python' });
    const id = String(structuredContent?.session_id);
    const show = 'import matplotlib.pyplot as plt\nprint("before")\nplt.plot([1, 3]); plt.show()\nprint("after")';
    for (const code of [show, 'import pandas\npandas.DataFrame({"x": [1]})', '1 / 0']) {
      await python(code, { session_id: id });
    }
    const { contents } = await client.readResource({ uri: `hothouse://sessions/${id}/notebook.ipynb` });
    const [{ text }] = contents as [{ text: string }];
    const { cells } = JSON.parse(text) as { cells: { outputs: object[] }[] };
    expect(cells.map(({ outputs }) => outputs)).toMatchObject([
      [{ text: 'before\n' }, { data: { 'image/png': expect.stringMatching(/^iVBOR/) } }, { text: 'after\n' }],
      [{ output_type: 'execute_result', data: { 'text/html': expect.stringContaining('<table') } }],
      [{ output_type: 'error', ename: 'ZeroDivisionError', traceback: expect.any(Array) }],
    ]);
  });

  it('that a session made are resources, and pictures come as images', async () => {
    const run = await python(PLOT, { session_id });
    const uri = `hothouse://sessions/${session_id}/files/plot.png`;
    expect(run.structuredContent).toMatchObject({
      files: { items: [{ path: 'plot.png', mime_type: 'image/png', uri }] },
    });
    expect((await client.readResource({ uri })).contents).toMatchObject([
      { mimeType: 'image/png', blob: expect.stringMatching(/^iVBOR/) },
    ]);
    const read = await call(client, 'read_file', { session_id, path: 'plot.png' });
    expect(read.content.at(-1)).toMatchObject({ type: 'image', mimeType: 'image/png' });
    expect((await client.listResources()).resources.map((resource) => resource.uri)).toContain(uri);
  });

  it('that a one-shot run made are read after its sandbox is wiped, and go into another run', async () => {
    const made = await python('import helpers\nopen("out.txt", "w").write(helpers.NAME + "\\n")', {
      files: [{ path: 'helpers.py', content: 'NAME = "ä"' }],
    });
    const uri = `hothouse://runs/${made.structuredContent?.run_id}/files/out.txt`;
    expect(made.structuredContent).toMatchObject({ files: { items: [{ path: 'out.txt', uri }], total: 1 } });
    expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType: 'text/plain', text: 'ä\n' }]);
    const next = await python('print(open("in.txt").read(), end="")', { files: [{ path: 'in.txt', from: uri }] });
    expect(next.structuredContent).toMatchObject({ stdout: 'ä\n' });
  });

  it('that are too large to keep are named as such', async () => {
    const run = await python('open("big", "wb").truncate(17 << 20); open("small", "w").write("x")');
    expect(run.structuredContent).toMatchObject({ files: { items: [{ path: 'big', uri: null }, { path: 'small' }] } });
    expect(textOf(run)).toContain('big (17825792 bytes, not kept)');
  });

  it('that do not fit are refused before half of them is written', async () => {
    await python('with open("filler", "wb") as file:\n  for _ in range(248): file.write(b"x" * (1 << 20))', {
      session_id,
    });
    const content = 'x'.repeat(7 * PIECE);
    const refused = await call(client, 'write_file', { session_id, path: 'more', content });
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('There is no room for "more"')]);
    const listed = await call(client, 'list_files', { session_id });
    expect(textOf(listed)).not.toContain('more');
    expect(textOf(await call(client, 'delete_file', { session_id, path: 'filler' }))).toContain('1 files');
  });

  it('are not reached by links that lead out of the workspace', async () => {
    await python('import os\nos.symlink("/etc", "etc"); os.symlink("/etc/hostname", "name")', { session_id });
    for (const path of ['etc/hostname', 'name', '../etc/hostname']) {
      const answers = [
        await call(client, 'read_file', { session_id, path }),
        await python('1', { files: [{ path: 'a', from: `hothouse://sessions/${session_id}/files/${path}` }] }),
      ];
      for (const answer of answers) expect([path, answer.isError]).toEqual([path, true]);
    }
  });
});
