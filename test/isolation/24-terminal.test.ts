import { Writable } from 'node:stream';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { type Log, plainLog } from '../../src/base/log.ts';
import { jsonLine, say, type Terminal, terminalLog, writeOutput } from '../../src/cli/terminal.ts';
import type { Owner, RunResult, Snapshot } from '../../src/engine/types.ts';
import { poolRows, type Row } from '../../src/vscode/pool/tree.ts';
import { HOLDING_WALLS } from '../host/holdingWalls.ts';
import { call, connectInMemory, textOf } from '../mcp/connect.ts';
import { runResult, StubEngine, sessionInfo } from '../mcp/stubEngine.ts';
import { CONTROL, TERMINAL_CORPUS } from './terminalCorpus.ts';

/** A screen and what was written to it. */
function screen() {
  let text = '';
  const stream = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        text += chunk.toString('utf8');
        done();
      },
    }),
    { isTTY: true },
  );
  return { stream, text: () => text };
}

/** A snapshot in which every text that comes from outside is `text`. */
function snapshotWith(text: string): Snapshot {
  const owner: Owner = { id: text, kind: 'mcp', label: text };
  const common = { id: text, owner, openedAt: 0, createdAt: 0, lastUsedAt: 0, memoryBytes: 1, uses: 1, runs: 1 };
  return {
    host: { state: 'ready', name: text, runtime: text },
    environments: [
      {
        ...{ id: 'python', isCustom: false, language: 'python', image: text, waiting: 1, runs: 1 },
        network: { policy: 'allow', allow: [text] },
        walls: { ...HOLDING_WALLS, files: { state: 'missing', detail: text } },
        sandboxes: (['idle', 'leased'] as const).map((state) => ({ ...common, state, sessionId: null, poolKey: text })),
      },
    ],
    sessions: (['busy', 'ended'] as const).map((state) => ({
      ...{ ...common, language: 'python', environment: 'python', state, sandboxId: text },
      endReason: state === 'ended' ? text : null,
      isShared: true,
    })),
    running: 1,
    network: {
      policy: 'allow',
      allow: [text],
      decisions: [
        {
          environment: text,
          host: text,
          port: 1,
          denied: 'host',
          count: 1,
          lastAt: 0,
          sandboxId: text,
          sessionId: text,
        },
      ],
    },
  };
}

/** What the view shows of its rows. */
function shownBy(rows: readonly Row[]): string[] {
  return rows.flatMap(({ label, description, tooltip, children }) => [
    label,
    description,
    tooltip,
    ...shownBy(children),
  ]);
}

function logged(log: Log, text: string): void {
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](`before${text}after`);
}

/** Everything that is written or shown when `text` comes from outside. */
function shownOf(text: string): string[] {
  const lines: string[] = [];
  const push = (line: string) => void lines.push(line);
  logged(plainLog({ debug: push, info: push, warn: push, error: push }), text);
  const out = screen();
  const terminal: Terminal = { stdin: process.stdin, stdout: out.stream, stderr: out.stream };
  logged(terminalLog(terminal, true), text);
  say(terminal, text);
  writeOutput(out.stream, `before${text}after`);
  writeOutput(out.stream, jsonLine({ text }));
  return [...lines, out.text(), ...shownBy(poolRows(snapshotWith(text), 1))];
}

describe('row 24: control sequences', () => {
  it('reach no log, tree or screen', () => {
    for (const text of TERMINAL_CORPUS) {
      const shown = shownOf(text);
      expect(shown.length).toBeGreaterThan(12);
      expect(shown.filter((line) => CONTROL.test(line))).toEqual([]);
      expect(shown[0]).toMatch(/^before/);
    }
  });

  it('leave JSON with the same meaning', () => {
    for (const text of TERMINAL_CORPUS) expect(JSON.parse(jsonLine({ text }))).toEqual({ text });
  });

  it('reach no text for an MCP client, and structured content keeps the original', async () => {
    const engine = new StubEngine();
    let printed = '';
    engine.answer = async (_request, onOutput) => {
      onOutput?.({ kind: 'stdout', text: printed });
      return runSaying(printed);
    };
    engine.sessions.push(sessionInfo({ owner: { id: 'o', kind: 'mcp', label: TERMINAL_CORPUS.join('') } }));
    const client = await connectInMemory(engine);
    const texts: string[] = [];
    for (const text of TERMINAL_CORPUS) {
      printed = `before${text}after`;
      const onprogress = ({ message = '' }: { message?: string | undefined }) => void texts.push(message);
      const run = { name: 'run_code', arguments: { language: 'python', code: '1' } };
      const answer = (await client.callTool(run, undefined, { onprogress })) as CallToolResult;
      expect(answer.structuredContent).toMatchObject({
        stdout: printed,
        stderr: printed,
        result: printed,
        state: { x: printed },
      });
      const wrong = await call(client, 'run_code', { language: printed, code: '1', [printed]: 1, session_id: 7 });
      const unknown = await call(client, printed).catch((error: Error) => ({
        content: [{ type: 'text' as const, text: error.message }],
      }));
      const refused = await call(client, 'close_session', { session_id: printed });
      texts.push(textOf(answer), textOf(wrong), textOf(unknown), textOf(refused));
    }
    texts.push(textOf(await call(client, 'list_sessions')));
    expect(texts.length).toBeGreaterThan(5 * TERMINAL_CORPUS.length);
    expect(texts.filter((text) => CONTROL.test(text))).toEqual([]);
    expect(texts[0]).toMatch(/^before/);
  });
});

/** A run that returns a text in every field. */
function runSaying(text: string): RunResult {
  return runResult({
    status: 'error',
    stdout: text,
    stderr: text,
    result: { 'text/plain': text, 'text/html': text },
    error: { name: text, message: text, traceback: '' },
    displays: [{ data: { 'text/plain': text }, id: null }],
    state: { x: text },
    report: {
      verdict: 'rejected',
      messages: [{ severity: 'warning', line: 1, column: 0, endLine: 1, endColumn: 1, text }],
      messageCount: 1,
      truncated: false,
      sorries: [{ line: 1, column: 0, goal: text }],
      axioms: [{ name: text, axioms: [text] }],
      goals: null,
      notes: [text],
      rechecked: [],
      language: 'lean' as const,
    },
  });
}
