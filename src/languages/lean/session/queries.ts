import type { CellPlace, CompletionList, Draft } from '../../language.ts';
import { withLastLineFeed } from '../check/cellSource.ts';
import type { SegmentedDocument } from '../check/segmentedDocument.ts';
import type { Position } from '../lsp/messages.ts';
import type { CompletionItem, Place } from '../lsp/queryResults.ts';
import { LineTable, withLineFeeds } from '../text/position.ts';
import { type NewCell, newCell, type SessionText, segmentsOf } from './cells.ts';
import { InertDraft } from './inertDraft.ts';

/** The questions that a draft can be asked. */
export interface Queries {
  complete(): Promise<CompletionList>;
  hover(): Promise<string | null>;
  definition(): Promise<readonly CellPlace[]>;
}

/** Questions about a draft; each one puts the draft into the document, where it stays. */
export function queries(document: SegmentedDocument, text: SessionText, draft: Draft, signal: AbortSignal): Queries {
  const code = withLineFeeds(draft.code);
  const cursor = new LineTable(code).offsetAt(new LineTable(draft.code).positionAt(draft.cursor));
  const cell = newCell(draft.cell ?? '', code);
  const nothing = { start: draft.cursor, end: draft.cursor, matches: [] };
  const at = new DraftPlace(document, text, cell);
  const original = (offset: number) => new LineTable(draft.code).offsetAt(new LineTable(code).positionAt(offset));
  return {
    complete: () =>
      at.ask(cursor, nothing, async (position) => {
        const answer = await document.lean.completion(position, signal);
        if (answer.kind !== 'ok' || signal.aborted) return nothing;
        const { start, end, matches } = listOf(answer.value.items, code, cursor, (place) => at.toCodeOffset(place));
        return { start: original(start), end: original(end), matches };
      }),
    hover: () =>
      at.ask(cursor, null, async (position) => {
        const answer = await document.lean.hover(position, signal);
        return answer.kind === 'ok' ? (answer.value?.contents ?? null) : null;
      }),
    definition: () =>
      at.ask<readonly CellPlace[]>(cursor, [], async (position) => {
        const answer = await document.lean.definition(position, signal);
        if (answer.kind !== 'ok' || signal.aborted) return [];
        return answer.value
          .flatMap((place) => at.placesInCells(place))
          .map((place) => {
            return place.cell === cell.id
              ? { ...place, start: original(place.start), end: original(place.end) }
              : place;
          });
      }),
  };
}

/** A draft in the session's document: in the place of its own cell, or at the end. */
class DraftPlace {
  readonly #document: SegmentedDocument;
  readonly #text: SessionText;
  readonly #cell: NewCell;
  readonly #inert: InertDraft;
  readonly #index: number;
  /** The document holds the accepted cell itself. */
  #isAccepted = false;

  constructor(document: SegmentedDocument, text: SessionText, cell: NewCell) {
    this.#document = document;
    this.#text = text;
    this.#cell = cell;
    this.#inert = new InertDraft(cell.body);
    const own = text.cells.findIndex(({ id }) => id === cell.id);
    this.#index = own < 0 ? text.cells.length : own;
  }

  /** Returns `nothing` when the cursor is in the header, because the document has its own. */
  async ask<T>(cursor: number, nothing: T, question: (position: Position) => Promise<T>): Promise<T> {
    const { header, body } = this.#cell;
    const offset = cursor - header.end;
    if (offset < 0 || offset > body.length) return nothing;
    const accepted = segmentsOf(this.#text);
    this.#isAccepted = this.#text.cells[this.#index]?.body === body && this.#document.beginsWith(accepted);
    if (!this.#isAccepted)
      this.#document.become([...accepted.slice(0, this.#index + 1), withLastLineFeed(this.#inert.text)]);
    const place = this.#isAccepted ? offset : this.#inert.toText(offset);
    return question(this.#document.lean.table.positionAt(this.#start + place));
  }

  /** Converts a document position to an offset in the draft's code. */
  toCodeOffset(position: Position): number {
    return this.#toDraftOffset(this.#document.lean.table.offsetAt(position) - this.#start);
  }

  /** The place in the session's cells; none for a definition in a library. */
  placesInCells({ uri, nameRange }: Place): CellPlace[] {
    const { lean } = this.#document;
    if (uri !== lean.uri) return [];
    const [from, to] = [lean.table.offsetAt(nameRange.start), lean.table.offsetAt(nameRange.end)];
    const cells: NewCell[] = [...this.#text.cells];
    cells[this.#index] = this.#cell;
    for (const [index, { id, header, body }] of cells.entries()) {
      const start = this.#document.startOf(index + 1);
      const isDraft = index === this.#index;
      if (id === '' || from < start || to > start + (isDraft ? this.#inert.text : body).length) continue;
      if (isDraft)
        return [{ cell: id, start: this.#toDraftOffset(from - start), end: this.#toDraftOffset(to - start) }];
      return [{ cell: id, start: from - start + header.end, end: to - start + header.end }];
    }
    return [];
  }

  /** Converts an offset from the draft's start in the document to one in the draft's code. */
  #toDraftOffset(offset: number): number {
    return (this.#isAccepted ? offset : this.#inert.toCode(offset)) + this.#cell.header.end;
  }

  get #start(): number {
    return this.#document.startOf(this.#index + 1);
  }
}

function listOf(
  items: readonly CompletionItem[],
  code: string,
  cursor: number,
  toCodeOffset: (position: Position) => number,
): CompletionList {
  const edit = items.find(({ textEdit }) => textEdit)?.textEdit;
  const start = edit ? toCodeOffset(edit.range.start) : cursor - lastPart(code.slice(0, cursor)).length;
  const end = edit ? toCodeOffset(edit.range.end) : cursor;
  const matches = items.map(({ label, insertText, textEdit }) => textEdit?.newText ?? insertText ?? label);
  return { start, end, matches: [...new Set(matches)] };
}

/** The part of an unfinished name after its last dot. */
function lastPart(before: string): string {
  return /[\p{L}\p{M}\p{N}\p{No}_'!?]*$/u.exec(before)?.[0] ?? '';
}
