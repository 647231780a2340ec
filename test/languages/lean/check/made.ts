import {
  type CellRegion,
  diagnosticsIn,
  readMessages,
  visible,
} from '../../../../src/languages/lean/check/diagnostics.ts';
import type { Diagnostic } from '../../../../src/languages/lean/lsp/messages.ts';
import type { DocumentSymbol } from '../../../../src/languages/lean/lsp/queryResults.ts';
import type { LeanMessage } from '../../../../src/languages/lean/report.ts';
import { LineTable } from '../../../../src/languages/lean/text/position.ts';

type Place = readonly [line: number, character: number];

/** A diagnostic between two places, as a server would send it. */
export function diagnostic(
  severity: Diagnostic['severity'],
  message: string,
  [start, end]: readonly [Place, Place],
  more: Partial<Diagnostic> = {},
): Diagnostic {
  const range = { start: at(start), end: at(end) };
  const none = { fullRange: undefined, source: undefined, leanTags: undefined, isSilent: undefined };
  return { ...none, severity, message, range, ...more };
}

function at([line, character]: Place) {
  return { line, character };
}

/** A symbol over the first place of `whole` in `text`, with its name at `name` in there. */
export function symbol(
  text: string,
  whole: string,
  name: string,
  kind = 6,
  children: readonly DocumentSymbol[] = [],
  nameText = name,
): DocumentSymbol {
  const table = new LineTable(text);
  const start = text.indexOf(whole);
  const nameStart = start + whole.indexOf(name);
  const range = (from: number, to: number) => ({ start: table.positionAt(from), end: table.positionAt(to) });
  return {
    name: nameText,
    kind,
    range: range(start, start + whole.length),
    selectionRange: range(nameStart, nameStart + name.length),
    children,
  };
}

/** What a caller sees of the diagnostics in the region. */
export function messagesOf(diagnostics: readonly Diagnostic[], table: LineTable, region: CellRegion): LeanMessage[] {
  const steps = readMessages(
    visible(diagnosticsIn(diagnostics, table, region)),
    table,
    region,
    Number.POSITIVE_INFINITY,
  );
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
