import type { CellPlace, CompletionList, Draft } from '../../language.ts';
import type { CompletionItem, Place, Position } from '../lsp/messages.ts';
import { withLineFeeds } from '../text/lineEnds.ts';
import { LineTable } from '../text/position.ts';
import { lineOf, type Piece, pieceOf, type SessionText, segmentsOf } from './cells.ts';
import type { SessionDocument } from './sessionDocument.ts';

/** What can be asked of a draft. */
export interface Queries {
  complete(): Promise<CompletionList>;
  hover(): Promise<string | null>;
  definition(): Promise<readonly CellPlace[]>;
}

/** Questions about a draft, each asked with the draft at its place in the document and taken out again. */
export function queries(document: SessionDocument, text: SessionText, draft: Draft, signal: AbortSignal): Queries {
  const code = withLineFeeds(draft.code);
  const cursor = new LineTable(code).offsetAt(new LineTable(draft.code).positionAt(draft.cursor));
  const piece = pieceOf(draft.cell ?? '', code);
  const nothing = { start: draft.cursor, end: draft.cursor, matches: [] };
  const at = new DraftPlace(document, text, piece);
  const original = (offset: number) => new LineTable(draft.code).offsetAt(new LineTable(code).positionAt(offset));
  return {
    complete: () =>
      at.ask(cursor, nothing, async (position) => {
        const answer = await document.lean.completion(position, signal);
        if (answer.kind !== 'ok') return nothing;
        const { start, end, matches } = listOf(answer.value.items, code, cursor, (place) => at.inCode(place));
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
        if (answer.kind !== 'ok') return [];
        return answer.value
          .flatMap((place) => at.inCells(place))
          .map((place) => {
            return place.cell === piece.id
              ? { ...place, start: original(place.start), end: original(place.end) }
              : place;
          });
      }),
  };
}

/** A draft in the session's document: where its own cell is, or at the end. */
class DraftPlace {
  readonly #document: SessionDocument;
  readonly #text: SessionText;
  readonly #piece: Piece;
  readonly #index: number;

  constructor(document: SessionDocument, text: SessionText, piece: Piece) {
    this.#document = document;
    this.#text = text;
    this.#piece = piece;
    const own = text.cells.findIndex(({ id }) => id === piece.id);
    this.#index = own < 0 ? text.cells.length : own;
  }

  /** `nothing` where the cursor is in the header, of which the document has another. */
  async ask<T>(cursor: number, nothing: T, question: (position: Position) => Promise<T>): Promise<T> {
    const { header, body } = this.#piece;
    const offset = cursor - header.end;
    if (offset < 0 || offset > body.length) return nothing;
    const accepted = segmentsOf(this.#text);
    const isThere = this.#text.cells[this.#index]?.body === body && this.#document.beginsWith(accepted);
    if (!isThere) this.#document.become([...accepted.slice(0, this.#index + 1), lineOf(body)]);
    const answer = await question(this.#document.lean.table.positionAt(this.#start + offset));
    if (!isThere) this.#document.become(accepted);
    return answer;
  }

  /** The offset in the draft's code of a place in the document. */
  inCode(position: Position): number {
    return this.#document.lean.table.offsetAt(position) - this.#start + this.#piece.header.end;
  }

  /** Where in the session's cells it is defined; nowhere for what comes from a library. */
  inCells({ uri, nameRange }: Place): CellPlace[] {
    const { lean } = this.#document;
    if (uri !== lean.uri) return [];
    const [from, to] = [lean.table.offsetAt(nameRange.start), lean.table.offsetAt(nameRange.end)];
    const pieces: Piece[] = [...this.#text.cells];
    pieces[this.#index] = this.#piece;
    for (const [index, { id, header, body }] of pieces.entries()) {
      const start = this.#document.startOf(index + 1);
      if (id === '' || from < start || to > start + body.length) continue;
      return [{ cell: id, start: from - start + header.end, end: to - start + header.end }];
    }
    return [];
  }

  get #start(): number {
    return this.#document.startOf(this.#index + 1);
  }
}

function listOf(
  items: readonly CompletionItem[],
  code: string,
  cursor: number,
  inCode: (position: Position) => number,
): CompletionList {
  const edit = items.find(({ textEdit }) => textEdit)?.textEdit;
  const start = edit ? inCode(edit.range.start) : cursor - lastPart(code.slice(0, cursor)).length;
  const end = edit ? inCode(edit.range.end) : cursor;
  const matches = items.map(({ label, insertText, textEdit }) => textEdit?.newText ?? insertText ?? label);
  return { start, end, matches: [...new Set(matches)] };
}

/** The part of a name that is being written, behind its last dot. */
function lastPart(before: string): string {
  return /[\p{L}\p{M}\p{N}\p{No}_'!?]*$/u.exec(before)?.[0] ?? '';
}
