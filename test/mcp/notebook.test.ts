import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../../src/base/log.ts';
import { MAX_SESSION_LENGTH, MAX_TOTAL_LENGTH } from '../../src/engine/session/cellLogs.ts';
import type { Engine } from '../../src/engine/types.ts';
import { NOTEBOOK_TYPE } from '../../src/mcp/files/notebook.ts';
import { startHttpServer } from '../../src/mcp/http/httpServer.ts';
import { engineInMemory } from '../isolation/mcpServer.ts';
import { call, connectEra, connectInMemory, ERAS, type Era, type TestClient, textOf } from './connect.ts';

const TOKENS = { ann: 'token-of-ann-000000000000', bob: 'token-of-bob-000000000000' };
const UNKNOWN = 'py-00000000';
const TEMPLATE = 'hothouse://sessions/{session_id}/notebook.ipynb';

const Source = z.union([z.string(), z.array(z.string())]);
const MimeBundle = z
  .record(z.string().regex(/^[\w.+-]+\/[\w.+-]+$/), z.unknown())
  .refine((data) =>
    Object.entries(data).every(([type, value]) => type.endsWith('json') || Source.safeParse(value).success),
  );
const CellHead = { id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/), metadata: z.looseObject({}), source: Source };
const Output = z.discriminatedUnion('output_type', [
  z.strictObject({ output_type: z.literal('stream'), name: z.enum(['stdout', 'stderr']), text: Source }),
  z.strictObject({ output_type: z.literal('display_data'), data: MimeBundle, metadata: z.looseObject({}) }),
  z.strictObject({
    output_type: z.literal('execute_result'),
    execution_count: z.int().min(0).nullable(),
    data: MimeBundle,
    metadata: z.looseObject({}),
  }),
  z.strictObject({
    output_type: z.literal('error'),
    ename: z.string(),
    evalue: z.string(),
    traceback: z.array(z.string()),
  }),
]);
/** What nbformat 4.5 demands of a notebook with these kinds of cells. */
const Notebook = z
  .strictObject({
    nbformat: z.literal(4),
    nbformat_minor: z.literal(5),
    metadata: z.object({
      kernelspec: z.looseObject({ name: z.string(), display_name: z.string() }),
      language_info: z.looseObject({ name: z.string() }),
      hothouse: z.strictObject({ session_id: z.string(), omitted_cells: z.int() }),
    }),
    cells: z.array(
      z.discriminatedUnion('cell_type', [
        z.strictObject({ cell_type: z.literal('markdown'), ...CellHead }),
        z.strictObject({
          cell_type: z.literal('code'),
          ...CellHead,
          execution_count: z.int().min(0).nullable(),
          outputs: z.array(Output),
        }),
      ]),
    ),
  })
  .refine(({ cells }) => new Set(cells.map(({ id }) => id)).size === cells.length);

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

function newEngine(): Engine {
  const engine = engineInMemory({ pool: { size: 12 } });
  opened.push(() => engine.dispose());
  return engine;
}

async function serve(era: Era) {
  const engine = newEngine();
  const findToken = (token: string) => {
    const [id] = Object.entries(TOKENS).find(([, one]) => one === token) ?? [];
    return id === undefined ? null : { ok: true as const, id };
  };
  const server = await startHttpServer({ engine, version: '1', log: silentLog, findToken });
  opened.push(() => server.dispose());
  const connect = async (token: string) => {
    const client = await connectEra(era, server.url, token);
    opened.push(() => client.close());
    return client;
  };
  return {
    engine,
    person: () => connect(server.userToken),
    ann: await connect(TOKENS.ann),
    bob: await connect(TOKENS.bob),
  };
}

type Caller = Parameters<typeof call>[0];

async function openSession(client: Caller): Promise<string> {
  const { structuredContent } = await call(client, 'open_session', { language: 'python' });
  return String(structuredContent?.session_id);
}

const run = (client: Caller, session_id: string, code: string, rest: object = {}) =>
  call(client, 'run_code', { language: 'python', code, session_id, ...rest });

const uriOf = (id: string) => `hothouse://sessions/${id}/notebook.ipynb`;

async function notebook(client: Pick<TestClient, 'readResource'>, id: string) {
  const { contents } = await client.readResource({ uri: uriOf(id) });
  const [{ mimeType, text }] = z.tuple([z.object({ mimeType: z.string(), text: z.string() })]).parse(contents);
  expect(mimeType).toBe(NOTEBOOK_TYPE);
  return Notebook.parse(JSON.parse(text));
}

const sourcesOf = ({ cells }: z.infer<typeof Notebook>) => cells.map(({ source }) => source);

/** An answer without the id that the caller has named. */
const answerFor = async (id: string, answer: Promise<unknown>) =>
  String(await answer.catch(String)).replaceAll(id, 'ID');

describe.each(ERAS)('the notebook of a session, read by a client of %s', (era) => {
  it('has the cells in order with their output, value and error, and is listed', async () => {
    const { ann } = await serve(era);
    const id = await openSession(ann);
    expect((await ann.listResources()).resources).toEqual([]);
    await run(ann, id, 'print one\nshow plot\nprint two\nwarn careful');
    await run(ann, id, 'set x 5');
    await run(ann, id, 'get x');
    await run(ann, id, 'error no such thing');
    expect((await ann.listResources()).resources).toMatchObject([{ uri: uriOf(id), mimeType: NOTEBOOK_TYPE }]);
    const { cells, metadata } = await notebook(ann, id);
    expect(metadata).toMatchObject({ kernelspec: { name: 'python3' }, hothouse: { session_id: id, omitted_cells: 0 } });
    expect(cells).toMatchObject([
      {
        execution_count: 1,
        source: 'print one\nshow plot\nprint two\nwarn careful',
        outputs: [
          { output_type: 'stream', name: 'stdout', text: 'one\n' },
          { output_type: 'display_data', data: { 'text/plain': 'plot' } },
          { output_type: 'stream', name: 'stdout', text: 'two\n' },
          { output_type: 'stream', name: 'stderr', text: 'careful\n' },
        ],
      },
      { source: 'set x 5', outputs: [] },
      { outputs: [{ output_type: 'execute_result', execution_count: 3, data: { 'text/plain': '5' } }] },
      { outputs: [{ output_type: 'error', ename: 'RuntimeError', evalue: 'no such thing' }] },
    ]);
  });

  it('does not exist for another token, unless a person shares the session; a person reads it', async () => {
    const { engine, ann, bob, person } = await serve(era);
    const id = await openSession(ann);
    await run(ann, id, 'print secret');
    expect((await bob.listResources()).resources).toEqual([]);
    const read = (of: string) => answerFor(of, bob.readResource({ uri: uriOf(of) }));
    expect(await read(id)).toBe(await read(UNKNOWN));
    expect(await read(id)).toContain('There is no session');
    expect(sourcesOf(await notebook(await person(), id))).toEqual(['print secret']);
    await engine.shareSession(id, true);
    expect(sourcesOf(await notebook(bob, id))).toEqual(['print secret']);
    await engine.shareSession(id, false);
    expect(await read(id)).toContain('There is no session');
  });

  it('goes with the session', async () => {
    const { engine, ann } = await serve(era);
    const id = await openSession(ann);
    await run(ann, id, 'die');
    expect(sourcesOf(await notebook(ann, id))).toEqual(['die']);
    await engine.closeSession(id);
    expect(await answerFor(id, ann.readResource({ uri: uriOf(id) }))).toContain('has ended');
    expect((await ann.listResources()).resources).toEqual([]);
  });
});

describe('the notebook of a session', () => {
  it('has a template whose session ids are completed, and is read by read_file too', async () => {
    const client = await connectInMemory(newEngine());
    const id = await openSession(client);
    await run(client, id, 'print 1');
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toContainEqual(
      expect.objectContaining({ uriTemplate: TEMPLATE, mimeType: NOTEBOOK_TYPE }),
    );
    const ref = { type: 'ref/resource' as const, uri: TEMPLATE };
    const { completion } = await client.complete({ ref, argument: { name: 'session_id', value: 'py' } });
    expect(completion.values).toEqual([id]);
    const part = await call(client, 'read_file', { uri: uriOf(id) });
    expect(part.structuredContent).toMatchObject({ uri: uriOf(id), mime_type: NOTEBOOK_TYPE, next_offset: null });
    expect(sourcesOf(Notebook.parse(JSON.parse(textOf(part))))).toEqual(['print 1']);
    const wrong = `hothouse://sessions/${id}/other.ipynb`;
    expect(await client.readResource({ uri: wrong }).catch(String)).toContain('There is no resource');
  });

  it('says how many cells ran before there was a client to read them', async () => {
    const engine = newEngine();
    const owner = { id: 'owner-1', kind: 'mcp', label: '' } as const;
    const session = await engine.openSession('python', owner);
    const sessionId = session.ok ? session.value.id : '';
    for (const code of ['print 1', 'print 2']) await engine.run({ language: 'python', owner, code, sessionId });
    expect(engine.cells(sessionId)).toMatchObject({ ok: true, value: { cells: [], dropped: 2 } });
    const client = await connectInMemory(engine);
    await engine.run({ language: 'python', owner, code: 'print 3', sessionId });
    const read = await notebook(client, sessionId);
    expect(sourcesOf(read)).toEqual(['*2 earlier cells of this session are not kept.*', 'print 3']);
    expect(read.cells[1]).toMatchObject({ execution_count: 3 });
    expect(read.metadata.hothouse.omitted_cells).toBe(2);
  });

  it('shows a cell that ran again once, at its place', async () => {
    const client = await connectInMemory(newEngine());
    const id = await openSession(client);
    for (const [cell, code] of Object.entries({ a: 'print 1', b: 'print 2' })) await run(client, id, code, { cell });
    await run(client, id, 'print 3', { cell: 'a' });
    const { cells } = await notebook(client, id);
    expect(cells).toMatchObject([
      { source: 'print 3', execution_count: 3 },
      { source: 'print 2', execution_count: 2 },
    ]);
  });

  it('has the candidate of try_code that was kept, and no other; nor what was rejected', async () => {
    const client = await connectInMemory(newEngine());
    const id = await openSession(client);
    const candidates = [{ code: 'error a' }, { code: 'print b' }, { code: 'print c' }];
    await call(client, 'try_code', { session_id: id, candidates });
    await call(client, 'try_code', { session_id: id, candidates, keep: 'first_ok' });
    await run(client, id, 'print d', { language: 'lean' });
    const { cells } = await notebook(client, id);
    expect(cells).toMatchObject([{ source: 'print b', outputs: [{ name: 'stdout', text: 'b\n' }] }]);
  });

  it('omits its oldest cells beyond its limit, and says so', async () => {
    const client = await connectInMemory(newEngine());
    const id = await openSession(client);
    const codes = [1, 2, 3, 4, 5, 6].map((number) => `print ${number}\nfill 900000`);
    for (const code of codes) await run(client, id, code);
    const { cells, metadata } = await notebook(client, id);
    const kept = Math.floor(MAX_SESSION_LENGTH / 900_000);
    expect(kept).toBeLessThan(codes.length);
    expect(sourcesOf({ cells, metadata, nbformat: 4, nbformat_minor: 5 }).slice(1)).toEqual(codes.slice(-kept));
    expect(cells[0]).toMatchObject({ cell_type: 'markdown', id: 'omitted' });
    expect(metadata.hothouse.omitted_cells).toBe(codes.length - kept);
  });

  it('fits into a message when its text takes more bytes than characters', async () => {
    const client = await connectInMemory(newEngine());
    const id = await openSession(client);
    const codes = [1, 2, 3].map((number) => `print ${number}${'€'.repeat(330_000)}\nprint ${'€'.repeat(330)}`);
    for (const code of [...codes, ...codes]) await run(client, id, code);
    const { cells, metadata } = await notebook(client, id);
    expect(cells.length - 1 + metadata.hothouse.omitted_cells).toBe(6);
    expect(metadata.hothouse.omitted_cells).toBeGreaterThan(0);
  });

  it('lets the largest one lose cells when all sessions together keep too much', async () => {
    const engine = newEngine();
    const client = await connectInMemory(engine);
    const full = Math.floor(MAX_SESSION_LENGTH / 1_000_000);
    const ids: string[] = [];
    for (let total = 0; total <= MAX_TOTAL_LENGTH; total += full * 1_000_000) {
      const id = await openSession(client);
      ids.push(id);
      for (let count = 0; count < full; count += 1) await run(client, id, 'fill 1000000');
    }
    const kept = ids.map((id) => engine.cells(id)).map((found) => (found.ok ? found.value : { cells: [], dropped: 0 }));
    const total = kept.reduce((sum, { cells }) => sum + cells.length, 0);
    expect(total).toBe(Math.floor(MAX_TOTAL_LENGTH / 1_000_012));
    expect(kept.every(({ cells, dropped }) => cells.length + dropped === full)).toBe(true);
    expect(Math.min(...kept.map(({ cells }) => cells.length))).toBeGreaterThan(0);
  });
});
