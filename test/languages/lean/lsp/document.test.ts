import { describe, expect, it } from 'vitest';
import { append, briefly, drive, driveDocument, quiet, settled } from './harness.ts';
import {
  client,
  diagnostic,
  range,
  refused,
  result,
  type ScriptLine,
  server,
  session,
  started,
  URI,
} from './script.ts';

const { opened, changed, closed, waited, published, progress } = session;
const whole = { start: { line: 0, character: 0 }, end: { line: 2, character: 0 } };
const appended = (line: number, text: string) => ({ range: range(line, 0, 0), text });

/** A document `a` that settled without diagnostics; the next request is 3, the next version 2. */
const settledOnce: readonly ScriptLine[] = [
  ...started,
  opened(1, 'a\n'),
  waited(2, 1),
  published(1, []),
  progress(1, []),
  result(2),
];

describe('LeanDocument: diagnostics', () => {
  it('appends incremental publications and replaces the rest', async () => {
    const { document } = await driveDocument(
      [
        ...started,
        opened(1, 'a\n'),
        waited(2, 1),
        published(1, [diagnostic(0, 3, 'first')]),
        published(1, [diagnostic(1, 3, 'second')], { isIncremental: true }),
        published(1, [diagnostic(2, 3, 'third')], { isIncremental: true }),
        result(2),
        waited(3, 1),
        published(1, [diagnostic(3, 3, 'fourth')], { isIncremental: true }),
        published(1, [diagnostic(4, 2, 'sticky')], { isIncremental: false }),
        result(3),
      ],
      'a\n',
    );
    const first = await settled(document);
    expect(briefly(first)).toEqual(['3 0 first', '3 1 second', '3 2 third']);
    expect(briefly(await settled(document))).toEqual(['2 4 sticky']);
    expect(first.diagnostics).toHaveLength(3);
  });

  it('starts each version without diagnostics, also before an incremental publication', async () => {
    const { document } = await driveDocument(
      [
        ...started,
        opened(1, 'a\n'),
        waited(2, 1),
        published(1, [diagnostic(0, 1, 'old')]),
        result(2),
        changed(2, appended(1, 'b\n')),
        waited(3, 2),
        published(2, [diagnostic(1, 3, 'new')], { isIncremental: true }),
        result(3),
      ],
      'a\n',
    );
    await settled(document);
    append(document, 'b\n');
    expect(briefly(await settled(document))).toEqual(['3 1 new']);
  });

  it('ignores publications of an older or a later version', async () => {
    const { document } = await driveDocument(
      [
        ...settledOnce,
        changed(2, appended(1, 'b\n')),
        waited(3, 2),
        published(2, [diagnostic(1, 1, 'new')]),
        published(1, []),
        published(1, [diagnostic(0, 3, 'late')], { isIncremental: true }),
        published(9, []),
        progress(1, [{ range: whole, kind: 2 }]),
        result(3),
      ],
      'a\n',
    );
    await settled(document);
    append(document, 'b\n');
    const end = await settled(document);
    expect(briefly(end)).toEqual(['1 1 new']);
    expect(end.fatalAt).toBeNull();
  });

  it('keeps tags, silence and the full range', async () => {
    const more = { leanTags: [2], isSilent: true, fullRange: whole, code: 'x', tags: [1], relatedInformation: [] };
    const { document } = await driveDocument(
      [
        ...started,
        opened(1, 'a\n'),
        waited(2, 1),
        published(1, [diagnostic(0, 3, '', more), { range: whole, message: 'bare' }]),
        result(2),
      ],
      'a\n',
    );
    const [silent, bare] = (await settled(document)).diagnostics;
    expect(silent).toMatchObject({ leanTags: [2], isSilent: true, fullRange: whole });
    expect(bare).toEqual({ range: whole, message: 'bare' });
    expect(bare?.severity).toBeUndefined();
  });

  it('counts a publication without a version for the current one, unless the server names versions', async () => {
    const script = [
      ...started,
      opened(1, 'a\n'),
      waited(2, 1),
      published(undefined, [diagnostic(0, 2, 'plain')]),
      result(2),
      changed(2, appended(1, 'b\n')),
      waited(3, 2),
      published(2, [diagnostic(1, 1, 'versioned')]),
      published(undefined, []),
      result(3),
    ];
    const { document } = await driveDocument(script, 'a\n');
    expect(briefly(await settled(document))).toEqual(['2 0 plain']);
    append(document, 'b\n');
    expect(briefly(await settled(document))).toEqual(['1 1 versioned']);
  });

  it('keeps the diagnostics of two documents apart', async () => {
    const other = 'file:///workspace/other.lean';
    const { server: lean } = await drive([
      ...started,
      opened(1, 'a\n'),
      {
        from: 'client',
        message: {
          method: 'textDocument/didOpen',
          params: { textDocument: { uri: other, languageId: 'lean4', version: 1, text: 'b\n' } },
        },
      },
      waited(2, 1),
      {
        from: 'client',
        message: { id: 3, method: 'textDocument/waitForDiagnostics', params: { uri: other, version: 1 } },
      },
      server('textDocument/publishDiagnostics', { uri: other, version: 1, diagnostics: [diagnostic(0, 3, 'other')] }),
      published(1, [diagnostic(0, 3, 'session')]),
      result(3),
      result(2),
    ]);
    const documents = [lean.open({ uri: URI, text: 'a\n' }), lean.open({ uri: other, text: 'b\n' })];
    const ends = await Promise.all(documents.map(settled));
    expect(ends.map(briefly)).toEqual([['3 0 session'], ['3 0 other']]);
  });

  it('fires an event for each publication of the current version', async () => {
    const { document } = await driveDocument(
      [
        ...started,
        opened(1, 'a\n'),
        waited(2, 1),
        progress(1, [{ range: whole, kind: 1 }]),
        published(1, [diagnostic(0, 3, 'one')]),
        published(1, [diagnostic(1, 3, 'two')], { isIncremental: true }),
        published(7, [diagnostic(1, 3, 'not of this version')]),
        progress(1, []),
        result(2),
      ],
      'a\n',
    );
    const seen: unknown[] = [];
    document.onDiagnostics((published) => seen.push([published.isIncremental, ...briefly(published)]));
    await settled(document);
    expect(seen).toEqual([
      [false, '3 0 one'],
      [true, '3 1 two'],
    ]);
  });
});

describe('LeanDocument.settled', () => {
  it('returns unchecked for a version without any publication', async () => {
    const { document } = await driveDocument([...started, opened(1, 'a\n'), waited(2, 1), result(2)], 'a\n');
    expect(await document.settled()).toEqual({ kind: 'unchecked', version: 1 });
  });

  it('does not settle by diagnostics and progress alone', async () => {
    const { document } = await driveDocument(
      [...started, opened(1, 'a\n'), waited(2, 1), published(1, []), progress(1, [])],
      'a\n',
    );
    const end = document.settled();
    await quiet();
    expect(await Promise.race([end, Promise.resolve('waiting')])).toBe('waiting');
  });

  it('settles when progress is done before the only publication', async () => {
    const { document } = await driveDocument(
      [
        ...started,
        opened(1, 'a\n'),
        waited(2, 1),
        progress(1, [{ range: whole }]),
        progress(1, []),
        published(1, [diagnostic(0, 1, 'late but in time')]),
        result(2),
      ],
      'a\n',
    );
    expect(await settled(document)).toMatchObject({ fatalAt: null, diagnostics: [{ message: 'late but in time' }] });
  });

  it('reports where Lean stopped for good', async () => {
    const { document } = await driveDocument(
      [
        ...started,
        opened(1, 'a\n'),
        waited(2, 1),
        published(1, [diagnostic(0, 1, 'bad import')]),
        progress(1, [{ range: whole, kind: 2 }]),
        result(2),
      ],
      'a\n',
    );
    expect(await settled(document)).toMatchObject({ fatalAt: { line: 0, character: 0 } });
  });

  it('is superseded by an edit, whatever the server answers', async () => {
    const { document } = await driveDocument(
      [
        ...started,
        opened(1, 'a\n'),
        waited(2, 1),
        changed(2, appended(1, 'b\n')),
        waited(3, 2),
        published(2, [diagnostic(1, 3, 'second')]),
        result(2),
        result(3),
      ],
      'a\n',
    );
    const first = document.settled();
    append(document, 'b\n');
    expect(await Promise.all([first, document.settled()])).toMatchObject([
      { kind: 'superseded' },
      { kind: 'settled', version: 2, diagnostics: [{ message: 'second' }] },
    ]);
  });

  it('is superseded when a listener edits while the answer is in transit', async () => {
    const { document } = await driveDocument(
      [...started, opened(1, 'a\n'), waited(2, 1), published(1, []), result(2), changed(2, appended(1, 'b\n'))],
      'a\n',
      { split: 'together' },
    );
    const edits = document.onDiagnostics(() => {
      edits.dispose();
      append(document, 'b\n');
    });
    expect(await document.settled()).toEqual({ kind: 'superseded' });
  });

  it('treats modified content without an edit as a crash', async () => {
    const { document } = await driveDocument([...started, opened(1, 'a\n'), waited(2, 1), refused(2, -32801)], 'a\n');
    expect(await document.settled()).toMatchObject({ kind: 'crashed', code: -32801 });
    expect(document.crashed).toBe(true);
  });

  it('returns aborted when the signal aborts, and cancels the request', async () => {
    const { document, peer } = await driveDocument(
      [
        ...started,
        opened(1, 'a\n'),
        waited(2, 1),
        changed(2, appended(1, 'b\n')),
        result(2),
        waited(3, 2),
        published(2, []),
        result(3),
      ],
      'a\n',
    );
    const abort = new AbortController();
    const end = document.settled(abort.signal);
    abort.abort();
    expect(await end).toEqual({ kind: 'aborted' });
    expect(peer.received.at(-1)).toBe('$/cancelRequest');
    append(document, 'b\n');
    expect(briefly(await settled(document))).toEqual([]);
    expect(await document.settled(abort.signal)).toEqual({ kind: 'aborted' });
  });
});

describe('LeanDocument after a crash', () => {
  it.each([-32603, -32901, -32902])('returns crashed for code %i, and works again when reopened', async (code) => {
    const { document, peer } = await driveDocument(
      [
        ...settledOnce,
        changed(2, appended(1, 'b\n')),
        waited(3, 2),
        progress(2, [{ range: whole, kind: 2 }]),
        refused(3, code, 'stack overflow'),
        closed(),
        published(2, []),
        opened(4, 'a\nc\n'),
        published(1, []),
        waited(4, 4),
        published(4, [diagnostic(0, 3, 'alive')]),
        result(4),
      ],
      'a\n',
    );
    await settled(document);
    append(document, 'b\n');
    expect(await document.settled()).toEqual({ kind: 'crashed', code, message: 'stack overflow' });
    document.replaceFrom(2, 'c\n');
    expect(document.crashed).toBe(true);
    document.reopen();
    expect(document).toMatchObject({ crashed: false, version: 4, text: 'a\nc\n' });
    expect(briefly(await settled(document))).toEqual(['3 0 alive']);
    expect(peer.unsaid).toEqual([]);
  });

  it('remembers a crash that a superseded request reports', async () => {
    const { document } = await driveDocument(
      [...started, opened(1, 'a\n'), waited(2, 1), changed(2, appended(1, 'b\n')), refused(2, -32603, 'gone')],
      'a\n',
    );
    const first = document.settled();
    append(document, 'b\n');
    expect(await first).toEqual({ kind: 'superseded' });
    await quiet();
    expect(await document.settled()).toEqual({ kind: 'crashed', code: -32603, message: 'gone' });
  });

  it('ignores a crash of an earlier opening', async () => {
    const { document } = await driveDocument(
      [
        ...started,
        opened(1, 'a\n'),
        waited(2, 1),
        closed(),
        opened(2, 'b\n'),
        refused(2, -32901, 'exited'),
        waited(3, 2),
        published(2, []),
        result(3),
      ],
      'a\n',
    );
    const first = document.settled();
    document.reopen('b\n');
    expect(await first).toEqual({ kind: 'superseded' });
    await quiet();
    expect(document.crashed).toBe(false);
    expect(briefly(await settled(document))).toEqual([]);
  });
});

describe('a request about a document', () => {
  const asked = (id: number, method: string) => ({
    from: 'client' as const,
    message: { id, method, params: { textDocument: { uri: URI }, position: { line: 0, character: 0 } } },
  });
  const at = { line: 0, character: 0 };

  it.each([
    [-32801, { kind: 'superseded' }],
    [-32603, { kind: 'failed', code: -32603, message: 'refused' }],
    [-32602, { kind: 'failed', code: -32602, message: 'refused' }],
    [-32901, { kind: 'crashed', code: -32901, message: 'refused' }],
    [-32902, { kind: 'crashed', code: -32902, message: 'refused' }],
  ])('maps the error code %i to its outcome', async (code, end) => {
    const { document } = await driveDocument([...settledOnce, asked(3, '$/lean/plainGoal'), refused(3, code)], 'a\n');
    await settled(document);
    expect(await document.plainGoal(at)).toEqual(end);
    expect(document.crashed).toBe(end.kind === 'crashed');
  });

  it('accepts null as a result', async () => {
    const methods = [
      '$/lean/plainGoal',
      '$/lean/plainTermGoal',
      'textDocument/hover',
      'textDocument/completion',
      'textDocument/definition',
    ];
    const lines = methods.flatMap((method, index) => [asked(index + 3, method), result(index + 3, null)]);
    const { document } = await driveDocument([...settledOnce, ...lines], 'a\n');
    await settled(document);
    expect(await document.plainGoal(at)).toEqual({ kind: 'ok', value: null });
    expect(await document.plainTermGoal(at)).toEqual({ kind: 'ok', value: null });
    expect(await document.hover(at)).toEqual({ kind: 'ok', value: null });
    expect(await document.completion(at)).toEqual({ kind: 'ok', value: { items: [], isIncomplete: false } });
    expect(await document.definition(at)).toEqual({ kind: 'ok', value: [] });
  });

  it('reads the places of keywords, which count from token to token', async () => {
    const method = 'textDocument/semanticTokens/range';
    const ask = (id: number) => client(method, { textDocument: { uri: URI }, range: whole }, id);
    const data = [
      [0, 2, 3, 0, 0],
      [0, 4, 1, 1, 0],
      [0, 3, 2, 0, 0],
      [2, 1, 7, 0, 0],
      [0, 9, 1, 23, 0],
    ].flat();
    const { document } = await driveDocument(
      [...settledOnce, ask(3), result(3, { data }), ask(4), result(4, null)],
      'a\n',
    );
    await settled(document);
    const value = [
      { line: 0, character: 2 },
      { line: 0, character: 9 },
      { line: 2, character: 1 },
    ];
    expect(await document.keywords(whole)).toEqual({ kind: 'ok', value });
    expect(await document.keywords(whole)).toEqual({ kind: 'ok', value: [] });
  });

  it('kills the server after a malformed answer', async () => {
    const {
      document,
      server: lean,
      peer,
    } = await driveDocument([...settledOnce, asked(3, '$/lean/plainGoal'), result(3, { goals: 'none' })], 'a\n');
    await settled(document);
    expect(await document.plainGoal(at)).toMatchObject({ kind: 'lost' });
    expect(await lean.lost).toContain('malformed goal');
    expect(peer.killed).toBe(true);
  });
});

describe('LeanDocument.edit', () => {
  it('sends several edits as one version, in UTF-16 positions', async () => {
    const { document, peer } = await driveDocument(
      [
        ...started,
        opened(1, '🌱∀\nx\n'),
        changed(
          2,
          { range: range(0, 2, 3), text: '∃\ny' },
          { range: { start: { line: 1, character: 1 }, end: { line: 2, character: 1 } }, text: '' },
          { range: range(2, 0, 0), text: 'z' },
        ),
      ],
      '🌱∀\nx\n',
    );
    document.edit({ from: 2, to: 3, text: '∃\ny' }, { from: 5, to: 7, text: '' }, { from: 6, to: 6, text: 'z' });
    expect(document).toMatchObject({ text: '🌱∃\ny\nz', version: 2 });
    expect(peer.unsaid).toEqual([]);
  });

  it('refuses invalid edits and changes nothing', async () => {
    const { document, peer } = await driveDocument([...started, opened(1, '🌱\n')], '🌱\n');
    for (const wrong of [
      { from: 9, to: 9, text: '' },
      { from: -1, to: 0, text: '' },
      { from: 2, to: 0, text: '' },
      { from: 0.5, to: 1, text: '' },
      { from: 1, to: 2, text: '' },
      { from: 0, to: 1, text: '' },
      { from: 0, to: 0, text: '\ud83c' },
    ]) {
      expect(() => document.edit(wrong)).toThrow(RangeError);
    }
    const fine = { from: 0, to: 0, text: 'fine\n' };
    expect(() => document.edit(fine, { from: 9, to: 9, text: '' })).toThrow(RangeError);
    expect(document).toMatchObject({ text: '🌱\n', version: 1 });
    expect(document.table.positionAt(3)).toEqual({ line: 1, character: 0 });
    expect(peer.received.at(-1)).toBe('textDocument/didOpen');
  });

  it('refuses edits of a closed document, and supersedes its requests', async () => {
    const { document, server: lean } = await driveDocument(
      [...started, opened(1, 'a\n'), waited(2, 1), closed()],
      'a\n',
    );
    const end = document.settled();
    expect(() => lean.open({ uri: URI, text: '' })).toThrow('open already');
    document.close();
    document.close();
    expect(await end).toEqual({ kind: 'superseded' });
    expect(await document.settled()).toEqual({ kind: 'superseded' });
    expect(() => append(document, 'b')).toThrow('is closed');
    expect(() => document.reopen()).toThrow('is closed');
    expect(document.text).toBe('a\n');
  });
});
