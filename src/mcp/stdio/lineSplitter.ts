import { TopLevelId } from './topLevelId.ts';

const NEWLINE = 0x0a;

/** A line of a stream; of a line over the limit only its JSON-RPC id. */
export type Line =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too_long'; readonly id: string | number | null };

/** The id of a line over this length is searched as the line arrives: searching a whole line later would take too long. */
const LONG_BYTES = 1024 * 1024;

/** The part of the current line that has arrived. */
type PartialLine =
  | { readonly kind: 'kept'; readonly chunks: Buffer[]; length: number; id: TopLevelId | null }
  | { readonly kind: 'skipped'; readonly id: TopLevelId };

/** Splits a stream into lines; keeps at most `maxBytes` of one line. */
export class LineSplitter {
  readonly #maxBytes: number;
  #partial: PartialLine = { kind: 'kept', chunks: [], length: 0, id: null };

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Yields the lines that end in this chunk. */
  *take(chunk: Buffer): Generator<Line> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, end));
      yield this.#end();
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
  }

  #add(bytes: Buffer): void {
    const partial = this.#partial;
    if (partial.kind === 'kept') {
      partial.chunks.push(bytes);
      partial.length += bytes.length;
      partial.id?.take(bytes);
      if (partial.length > LONG_BYTES) partial.id ??= idIn(partial.chunks);
      if (partial.id && partial.length > this.#maxBytes) this.#partial = { kind: 'skipped', id: partial.id };
    } else partial.id.take(bytes);
  }

  #end(): Line {
    const partial = this.#partial;
    this.#partial = { kind: 'kept', chunks: [], length: 0, id: null };
    if (partial.kind === 'skipped') return { kind: 'too_long', id: partial.id.id };
    return { kind: 'whole', bytes: Buffer.concat(partial.chunks) };
  }
}

function idIn(chunks: readonly Buffer[]): TopLevelId {
  const id = new TopLevelId();
  for (const chunk of chunks) id.take(chunk);
  return id;
}
