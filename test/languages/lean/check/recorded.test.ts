import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { slices } from '../../../../src/base/slices.ts';
import { axiomsOf } from '../../../../src/languages/lean/check/axioms.ts';
import { declarationsOf } from '../../../../src/languages/lean/check/declarations.ts';
import { diagnosticsIn } from '../../../../src/languages/lean/check/diagnostics.ts';
import { factsOf, verdictOf } from '../../../../src/languages/lean/check/verdict.ts';
import { Diagnostic, Range } from '../../../../src/languages/lean/lsp/messages.ts';
import { readSymbols } from '../../../../src/languages/lean/lsp/queryResults.ts';
import { LineTable, ORIGIN } from '../../../../src/languages/lean/text/position.ts';
import { messagesOf } from './made.ts';

const Line = z.object({
  message: z
    .object({
      id: z.number().optional(),
      method: z.string().optional(),
      params: z.unknown().optional(),
      result: z.unknown().optional(),
    })
    .optional(),
});
const Opened = z.object({ textDocument: z.object({ text: z.string() }) });
const Published = z.object({ diagnostics: z.array(Diagnostic) });
const Changed = z.object({ contentChanges: z.array(z.object({ range: Range, text: z.string() })) });

/** The document of a recorded client, and the last diagnostics of the server. */
class Recording {
  readonly table = new LineTable();
  diagnostics: readonly Diagnostic[] = [];
  readonly requests = new Map<string, number>();
  readonly results = new Map<number, unknown>();

  constructor(name: string) {
    const lines = readFileSync(new URL(`../transcripts/${name}.jsonl`, import.meta.url), 'utf8')
      .trim()
      .split('\n');
    for (const line of lines) this.#take(Line.parse(JSON.parse(line)).message ?? {});
  }

  #take({ id, method, params, result }: NonNullable<z.infer<typeof Line>['message']>): void {
    if (id !== undefined && method !== undefined) this.requests.set(method, id);
    else if (id !== undefined) this.results.set(id, result);
    if (method === 'textDocument/didOpen') this.table.replace(0, 0, Opened.parse(params).textDocument.text);
    if (method === 'textDocument/publishDiagnostics') this.diagnostics = Published.parse(params).diagnostics;
    if (method !== 'textDocument/didChange') return;
    for (const { range, text } of Changed.parse(params).contentChanges) {
      this.table.replace(this.table.offsetAt(range.start), this.table.offsetAt(range.end), text);
    }
  }

  span(start = 0, end = this.table.text.length) {
    return { from: start, start, end, origin: ORIGIN };
  }
}

function cell(recording: Recording, text: string) {
  const start = recording.table.text.indexOf(text);
  return recording.span(start, start + text.length);
}

describe('the recorded messages of a real server', () => {
  const errors = new Recording('02-errors');
  const verdictIn = (text: string) => {
    const found = diagnosticsIn(errors.diagnostics, errors.table, cell(errors, text));
    return verdictOf({ fatal: false, hidden: false, axioms: [], ...factsOf(found) });
  };

  it.each([
    ['def add (a b : Nat) : Nat := a + b\n', 'accepted'],
    ['#eval add 1 "x"\n', 'rejected'],
    // Lean puts the error of the parenthesis that was left open before it where this begins.
    ['theorem hole (p q : Prop) (hp : p) (hq : q) : p ∧ q := sorry\n', 'rejected'],
    ['(hp : p) (hq : q) : p ∧ q := sorry\n', 'incomplete'],
    ['#eval (throw (IO.userError "boom") : IO Unit)\n', 'rejected'],
  ])('lead for %j to the verdict %s', (text, verdict) => {
    expect(verdictIn(text)).toBe(verdict);
  });

  it("have positions in the cell's own text", () => {
    expect(messagesOf(errors.diagnostics, errors.table, cell(errors, '#eval add 1 "x"\n'))).toMatchObject([
      { severity: 'error', line: 1, column: 0, endLine: 1, endColumn: 15 },
      { severity: 'error', line: 1, column: 6, endLine: 1, endColumn: 15 },
    ]);
  });

  it('include the axioms', () => {
    const cells = new Recording('01-cells');
    const line = cells.table.positionAt(cells.table.text.indexOf('#print axioms')).line;
    expect(axiomsOf(cells.diagnostics, line, ['self'])).toEqual([{ name: 'self', axioms: [], answered: true }]);
  });

  it('include the declarations', async () => {
    const recording = new Recording('03-goals-hover-completion');
    const id = recording.requests.get('textDocument/documentSymbol') ?? 0;
    const symbols = await slices.run(readSymbols(recording.results.get(id)));
    expect(declarationsOf(symbols, recording.table).map(({ name, nameRange }) => [name, nameRange])).toEqual(
      symbols.map(({ name, selectionRange }) => [name, selectionRange]),
    );
    expect(symbols).toHaveLength(2);
  });

  it('reject a missing import', () => {
    const missing = new Recording('08-missing-import');
    const found = messagesOf(missing.diagnostics, missing.table, missing.span());
    expect(found).toMatchObject([{ severity: 'error', line: 1, column: 0 }]);
  });
});
