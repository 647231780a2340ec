import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { LogOutputChannel } from 'vscode';
import type { Log } from '../../src/base/log.ts';
import type { Owner, Snapshot } from '../../src/engine/types.ts';
import { jsonLine, say, type Terminal, terminalLog, writeOutput } from '../../src/headless/terminal.ts';
import { channelLog } from '../../src/vscode/log.ts';
import { poolRows, type Row } from '../../src/vscode/pool/tree.ts';
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
        ...{ id: 'python', language: 'python', image: text, waiting: 1, runs: 1 },
        sandboxes: (['idle', 'leased'] as const).map((state) => ({ ...common, state, sessionId: null, header: text })),
      },
    ],
    sessions: [{ ...common, language: 'python', environment: 'python', state: 'busy', sandboxId: text }],
    running: 1,
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
  const channel = Object.fromEntries(
    ['debug', 'info', 'warn', 'error'].map((level) => [level, (line: string) => lines.push(line)]),
  );
  logged(channelLog(channel as unknown as LogOutputChannel), text);
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

  it('leave JSON that reads as before', () => {
    for (const text of TERMINAL_CORPUS) expect(JSON.parse(jsonLine({ text }))).toEqual({ text });
  });
});
