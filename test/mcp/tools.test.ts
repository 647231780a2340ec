import { describe, expect, it } from 'vitest';
import { formatList } from '../../src/base/list.ts';
import type { Snapshot } from '../../src/engine/types.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { instructionsFor, toolsHash } from '../../src/mcp/toolList.ts';
import { call, connectInMemory, textOf } from './connect.ts';
import { checkAnswer, runResult, StubEngine, sessionInfo } from './stubEngine.ts';

describe('the tools of the MCP server', () => {
  it('have closed input schemas and output schemas', async () => {
    const client = await connectInMemory(new StubEngine());
    const { tools } = await client.listTools();
    expect(tools.map(({ name, inputSchema: { required } }) => [name, required ?? []])).toEqual([
      ['run_code', ['code']],
      ['run_status', []],
      ['cancel_run', ['run_id']],
      ['open_session', ['language']],
      ['close_session', ['session_id']],
      ['list_sessions', []],
      ['interrupt_session', ['session_id']],
      ['pool_status', []],
      ['try_code', ['session_id', 'candidates']],
      ['session_variables', ['session_id']],
      ['create_environment', ['name', 'language']],
      ['list_environments', []],
      ['install_packages', ['packages']],
      ['write_file', ['session_id', 'path', 'content']],
      ['read_file', []],
      ['list_files', []],
      ['delete_file', ['session_id', 'path']],
      ['lean_check', ['proofs']],
      ['lean_goals', []],
      ['lean_try', ['line', 'column', 'tactics']],
    ]);
    for (const tool of tools) {
      expect(tool.inputSchema.additionalProperties).toBe(false);
      expect(tool.outputSchema?.type).toBe('object');
      expect(tool.inputSchema).not.toHaveProperty('$schema');
    }
    expect(tools.find(({ name }) => name === 'list_sessions')?.annotations?.readOnlyHint).toBe(true);
  });

  it('have nouns as titles, and first sentences that fit into a confirmation', async () => {
    const { tools } = await (await connectInMemory(new StubEngine())).listTools();
    const verb = /^(open|close|list|interrupt|try|create|install|write|read|delete|check|show|cancel|get) /i;
    const offending = tools.filter(({ title = '', description = '' }) => {
      const first = /^.*?[.:](?=\s|$)/.exec(description)?.[0] ?? description;
      return verb.test(title) || title.length === 0 || title.length > 24 || first.length > 100;
    });
    expect(offending.map(({ name, title, description }) => [name, title, description?.slice(0, 120)])).toEqual([]);
  });

  it('say truly whether they only read, destroy, can be repeated or reach the network', async () => {
    const { tools } = await (await connectInMemory(new StubEngine())).listTools();
    const named = (hint: 'readOnlyHint' | 'destructiveHint' | 'openWorldHint') =>
      tools.filter(({ annotations }) => annotations?.[hint] === true).map(({ name }) => name);
    expect(named('readOnlyHint')).toEqual([
      ...[
        'run_status',
        'list_sessions',
        'pool_status',
        'session_variables',
        'list_environments',
        'read_file',
        'list_files',
      ],
      ...['lean_check', 'lean_goals', 'lean_try'],
    ]);
    expect(named('destructiveHint')).toEqual([...['cancel_run', 'close_session', 'write_file', 'delete_file']]);
    expect(named('openWorldHint')).toEqual(['create_environment', 'install_packages']);
  });

  it('list variables only as the session has them, whatever it prints', async () => {
    const engine = new StubEngine();
    const tryCode = engine.tryCode.bind(engine);
    let stdout = '';
    engine.tryCode = async (...given) => {
      const tried = await tryCode(...given);
      if (!tried.ok) return tried;
      return { ok: true, value: { ...tried.value, candidates: [{ id: '1', result: runResult({ stdout }) }] } };
    };
    engine.sessions.push(sessionInfo({ owner: { id: 'owner-1', kind: 'mcp', label: '' } }));
    const client = await connectInMemory(engine);
    const list = JSON.stringify([
      ['x', 'int', '5'],
      ['y', 'T'.repeat(999), null],
    ]);
    const variables = [
      { name: 'x', type: 'int', value: '5' },
      { name: 'y', type: 'T'.repeat(200) },
    ];
    for (const around of ['', 'time: 1 ms\n']) {
      stdout = `${around}${list}\n${around}`;
      const answer = await call(client, 'session_variables', { session_id: 's1' });
      expect(answer.structuredContent).toEqual({ session_id: 's1', variables });
    }
    for (const forged of ['', '{', '{"a":1}', '[[1,2,3]]', `[${'["a","b",null],'.repeat(500)}["a","b",null]]`]) {
      stdout = forged;
      expect(await call(client, 'session_variables', { session_id: 's1' })).toMatchObject({ isError: true });
    }
  });

  it('show the pools and a host that is unavailable', async () => {
    const engine = new StubEngine();
    const base = engine.snapshot();
    const sandbox = { id: 'c', owner: null, sessionId: null, poolKey: '', createdAt: 0, uses: 0 };
    const problem = { kind: 'host_stopped' as const, message: 'Docker is off.', advice: 'Start it.' };
    const snapshot: Snapshot = {
      ...base,
      host: { state: 'unavailable', problem },
      running: 2,
      environments: [
        {
          ...{
            id: 'python',
            language: 'python',
            isCustom: false,
            image: 'i',
            waiting: 1,
            runs: 7,
            walls: null,
            network: null,
          },
          sandboxes: [
            { ...sandbox, state: 'idle', memoryBytes: 5 },
            { ...sandbox, state: 'leased', memoryBytes: null },
          ],
        },
      ],
    };
    engine.snapshot = () => snapshot;
    const answer = await call(await connectInMemory(engine), 'pool_status');
    expect(answer.structuredContent).toEqual({
      ...{ host: 'unavailable', problem: 'Docker is off.', advice: 'Start it.', running: 2 },
      pools: [{ environment: 'python', language: 'python', idle: 1, leased: 1, waiting: 1, runs: 7, memory_bytes: 5 }],
    });
    expect(textOf(answer)).toContain('python (python): idle 1, leased 1, waiting 1, runs 7, memory_bytes 5');
  });

  it('come with name, version and instructions of the server', async () => {
    const client = await connectInMemory(new StubEngine());
    expect(client.getServerVersion()).toMatchObject({ name: 'hothouse', version: '1.2.3' });
    expect(client.getInstructions()).toBe(instructionsFor(LANGUAGES));
    expect(toolsHash(LANGUAGES)).toMatch(/^[0-9a-f]{8}$/);
  });

  it('pass arguments and the client to the engine', async () => {
    const engine = new StubEngine();
    const client = await connectInMemory(engine);
    await call(client, 'run_code', {
      language: 'python',
      code: '1',
      session_id: 's1',
      timeout_seconds: 2.5,
      stdin: 'in',
      state: { a: [1] },
    });
    expect(engine.requests).toEqual([
      {
        language: 'python',
        code: '1',
        sessionId: 's1',
        timeoutSeconds: 2.5,
        stdin: 'in',
        state: { a: [1] },
        owner: { id: 'owner-1', kind: 'mcp', label: 'test-client 9' },
        reportFiles: true,
        runId: expect.stringMatching(/^run-[0-9a-f]{24}$/),
      },
    ]);
  });

  it('open, list, interrupt and close sessions', async () => {
    const engine = new StubEngine();
    const client = await connectInMemory(engine);
    expect((await call(client, 'list_sessions')).structuredContent).toEqual({ sessions: [] });
    const opened = await call(client, 'open_session', { language: 'python' });
    expect(opened.structuredContent).toMatchObject({ session_id: 's1', language: 'python', owner: 'test-client 9' });
    const listed = await call(client, 'list_sessions');
    expect(listed.structuredContent).toMatchObject({
      sessions: [{ session_id: 's1', opened_at: '1970-01-01T00:00:00.000Z' }],
    });
    expect((await call(client, 'interrupt_session', { session_id: 's1' })).isError).toBe(false);
    expect((await call(client, 'close_session', { session_id: 's1' })).isError).toBe(false);
    expect(engine.closed).toEqual(['s1']);
  });

  it('return the reason why a session ended', async () => {
    const engine = new StubEngine();
    const endReason = 'it ran out of \x1b[2Jmemory';
    engine.sessions.push(sessionInfo({ id: 's9', state: 'ended', endReason }));
    const listed = await call(await connectInMemory(engine), 'list_sessions');
    expect(listed.structuredContent).toMatchObject({
      sessions: [{ session_id: 's9', state: 'ended', end_reason: 'it ran out of memory' }],
    });
    expect(textOf(listed)).toContain('ended (it ran out of memory)');
  });

  it('run the code of a session in its language when none is given', async () => {
    const engine = new StubEngine();
    engine.sessions.push({ ...sessionInfo(), language: 'lean' });
    const client = await connectInMemory(engine);
    await call(client, 'run_code', { code: '#eval 1', session_id: 's1' });
    expect(engine.requests).toMatchObject([{ language: 'lean', sessionId: 's1' }]);
    expect(textOf(await call(client, 'run_code', { code: '1' }))).toBe(
      'Argument "language" is required without session_id.',
    );
  });

  it('return the cause and the next step of an engine problem', async () => {
    const client = await connectInMemory(new StubEngine());
    const answer = await call(client, 'close_session', { session_id: 'nope' });
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toBe('There is no session nope.\nOpen one with open_session.');
  });

  it('try code on copies of a session, and say what the copies did not have', async () => {
    const engine = new StubEngine();
    engine.sessions.push(sessionInfo());
    engine.losses = { threads: 1, sockets: 2 };
    const client = await connectInMemory(engine);
    const candidates = [{ id: 'a', code: 'first' }, { code: 'second' }];
    const given = { session_id: 's1', candidates, keep: 'first_ok', timeout_seconds: 2 };
    const answer = await call(client, 'try_code', given);
    expect(engine.trials).toEqual([['s1', candidates, { keep: 'first_ok', timeoutSeconds: 2 }]]);
    const note = 'The session has 1 further thread and 2 sockets, which the copies did not have.';
    expect(answer).toMatchObject({
      isError: false,
      structuredContent: {
        results: [
          { id: 'a', status: 'ok', stdout: 'first', session_id: 's1' },
          { id: '2', status: 'ok', stdout: 'second' },
        ],
        notes: [note],
      },
    });
    expect(textOf(answer)).toMatch(/^\[candidate "a"\]\nfirst\n\[ok.*\]\n\[candidate "2"\]\nsecond\n/);
    expect(textOf(answer)).toContain(note);
    expect(await call(client, 'try_code', { ...given, session_id: 'other' })).toMatchObject({ isError: true });
  });

  it('are listed in the error for an unknown tool', async () => {
    const client = await connectInMemory(new StubEngine());
    await expect(call(client, 'run')).rejects.toThrow(
      'There is no tool "run". Tools: run_code, run_status, cancel_run, open_session, close_session, list_sessions, interrupt_session, pool_status, try_code, session_variables, create_environment, list_environments, install_packages, write_file, read_file, list_files, delete_file, lean_check, lean_goals, lean_try.',
    );
  });
});

describe('the Lean tools', () => {
  it('pass proofs to the engine and return a result for each, in order', async () => {
    const engine = new StubEngine();
    const client = await connectInMemory(engine);
    const report = {
      verdict: 'rejected' as const,
      messages: [{ severity: 'error' as const, line: 2, column: 4, endLine: 2, endColumn: 7, text: 'no' }],
      messageCount: 3,
      truncated: true,
      sorries: [],
      axioms: [{ name: 'a', axioms: ['propext'] }],
      goals: null,
      notes: [],
      rechecked: [],
      language: 'lean' as const,
    };
    engine.lean.check = async ({ proofs }) => ({
      ok: true,
      value: proofs.map(({ id }, index) =>
        index === 0 ? checkAnswer({ id: id ?? null, verdict: 'rejected', report }) : checkAnswer(),
      ),
    });
    const proofs = [{ id: 'first', code: 'a' }, { code: 'b' }];
    const answer = await call(client, 'lean_check', { proofs, header: 'import A', timeout_seconds: 2, axioms: true });
    const [first, second] = (answer.structuredContent as { results: Record<string, unknown>[] }).results;
    expect(first).toMatchObject({ id: 'first', verdict: 'rejected', axioms: [{ name: 'a', axioms: ['propext'] }] });
    expect(first).toMatchObject({ messages: [{ line: 2, column: 4, end_line: 2, end_column: 7, text: 'no' }] });
    expect(first).toMatchObject({ messages_total: 3, messages_omitted: 2, truncated: true });
    expect(second).toMatchObject({ id: null, verdict: 'accepted', messages: [], axioms: [] });
    expect(textOf(answer)).toContain('1 of 2 accepted\n[first: rejected]\n2:4: error: no\n');
  });

  it('ask for goals at a position or at every sorry', async () => {
    const engine = new StubEngine();
    const client = await connectInMemory(engine);
    const answer = await call(client, 'lean_goals', { code: 'x', line: 3, column: 1 });
    expect(answer.structuredContent).toMatchObject({ goals: [{ line: 1, column: 2, goals: ['⊢ p'] }] });
    await call(client, 'lean_goals', { session_id: 's1' });
    expect(engine.checks).toMatchObject([
      { code: 'x', at: { line: 3, column: 1 } },
      { code: '', sessionId: 's1' },
    ]);
    expect(engine.checks[1]).not.toHaveProperty('at');
  });

  it('try tactics at a position', async () => {
    const engine = new StubEngine();
    const client = await connectInMemory(engine);
    const answer = await call(client, 'lean_try', { code: 'x', line: 1, column: 0, tactics: ['rfl', 'simp'] });
    expect(answer.structuredContent).toMatchObject({ results: [{ tactic: 'rfl', goals: [] }, { tactic: 'simp' }] });
    expect(textOf(answer)).toBe('rfl: no goals left\nsimp: no goals left');
    expect(engine.checks).toMatchObject([{ code: 'x', at: { line: 1, column: 0 }, tactics: ['rfl', 'simp'] }]);
  });
});

describe('invalid arguments', () => {
  const ids = formatList(
    LANGUAGES.map(({ id }) => `"${id}"`),
    'or',
  );
  const ACCEPTED =
    `run_code accepts: language (${ids}), code (required, a string), environment (a string), session_id (a string), ` +
    'timeout_seconds (a number from 0.1 to 86400), axioms (true or false), cell (a string), files (a list of objects with at most 200 elements), stdin (a string), state (an object), wait_seconds (a number from 0 to 600).';
  const cases: [string, Record<string, unknown>, string][] = [
    [
      'unknown',
      { language: 'python', code: '1', cod: 1, x: 2 },
      'There is no argument "cod".\nThere is no argument "x".',
    ],
    ['missing', { language: 'python' }, 'Argument "code" is required; nothing was given.'],
    ['of a wrong type', { language: 'python', code: 7 }, 'Argument "code" must be a string; 7 was given.'],
    [
      'out of range',
      { language: 'python', code: '', timeout_seconds: 0 },
      'Argument "timeout_seconds" must be a number from 0.1 to 86400; 0 was given.',
    ],
    [
      'null for a required argument',
      { language: 'python', code: null },
      'Argument "code" must be a string; null was given.',
    ],
    [
      'of a wrong type inside of another',
      {
        language: 'python',
        code: '',
        files: [
          { path: 'a', content: '' },
          { path: 7, content: '' },
        ],
      },
      'Argument "files[1].path" must be a string; 7 was given.',
    ],
    [
      'missing and unknown inside of another',
      { language: 'python', code: '', files: [{ content: '', __proto: 1 }] },
      'Argument "files[0].path" is required; nothing was given.\nThere is no argument "files[0].__proto".',
    ],
    ['an unknown language', { language: 'cobol', code: '' }, `Argument "language" must be ${ids}; "cobol" was given.`],
  ];

  it.each(cases)('are answered with the accepted arguments: %s', async (_name, args, lines) => {
    const engine = new StubEngine();
    const answer = await call(await connectInMemory(engine), 'run_code', args);
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toBe(`${lines}\n${ACCEPTED}`);
    expect(engine.requests).toEqual([]);
  });

  it.each([
    [
      'lean_check',
      { proofs: [{ code: '' }], allowed_axioms: 'std' },
      '"allowed_axioms" must be "standard" or a list of',
    ],
    ['lean_check', { proofs: [{ code: 5 }] }, '"proofs[0].code" must be a string; 5 was given'],
    ['try_code', { session_id: 's', candidates: [] }, '"candidates" must be a list of objects with 1 to 20 elements'],
    ['create_environment', { name: 'a', language: 'python', variables: { A: 5 } }, '"variables.A" must be a string; 5'],
  ])('of %s with %j are named with what is accepted', async (tool, args, text) => {
    const answer = await call(await connectInMemory(new StubEngine()), tool, args);
    expect(textOf(answer)).toContain(`Argument ${text}`);
  });

  it('are rejected by a tool without arguments', async () => {
    const answer = await call(await connectInMemory(new StubEngine()), 'list_sessions', { all: true });
    expect(textOf(answer)).toBe('There is no argument "all".\nlist_sessions accepts: no arguments.');
  });
});

describe('live output of run_code', () => {
  it('is sent as increasing progress before the result', async () => {
    const engine = new StubEngine();
    engine.answer = async (_request, onOutput) => {
      onOutput?.({ kind: 'stdout', text: 'one\n' });
      onOutput?.({ kind: 'stderr', text: '\x1b[31mtwo\n' });
      await new Promise((resolve) => setTimeout(resolve, 120));
      onOutput?.({ kind: 'stdout', text: 'three\n' });
      return runResult({ stdout: 'one\nthree\n', stderr: 'two\n' });
    };
    const client = await connectInMemory(engine);
    const seen: unknown[] = [];
    const params = { name: 'run_code', arguments: { language: 'python', code: '1' } };
    const onprogress = (progress: unknown) => void seen.push(progress);
    await client.callTool(params, undefined, { onprogress });
    expect(seen).toEqual([
      { progress: 13, message: 'one\ntwo\n' },
      { progress: 19, message: 'three\n' },
    ]);
  });

  it('ends with the cancellation of the call, which aborts the run', async () => {
    const engine = new StubEngine();
    engine.answer = (_request, _onOutput, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve(runResult({ status: 'interrupted' })));
      });
    const client = await connectInMemory(engine);
    const controller = new AbortController();
    const params = { name: 'run_code', arguments: { language: 'python', code: 'forever' } };
    const running = client.callTool(params, undefined, { signal: controller.signal });
    while (engine.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await expect(running).rejects.toThrow();
    expect(engine.aborted).toEqual(['forever']);
  });
});
