import { TopLevelId } from './topLevelId.ts';

const NEWLINE = 0x0a;

/** A line of a stream; of one that was too long to be kept, the id that it has as a JSON-RPC message. */
export type Line =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too_long'; readonly id: string | number | null };

/** Of a line that is longer its id is looked for as it comes: in all of one that is too long it would take too long. */
const LONG_BYTES = 1024 * 1024;

/** What has come of a line. */
type Begun =
  | { readonly kind: 'kept'; readonly chunks: Buffer[]; length: number; id: TopLevelId | null }
  | { readonly kind: 'passing'; readonly id: TopLevelId };

/** Cuts a stream into lines; keeps at most `maxBytes` of it. */
export class Lines {
  readonly #maxBytes: number;
  #begun: Begun = { kind: 'kept', chunks: [], length: 0, id: null };

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk. */
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
    const begun = this.#begun;
    if (begun.kind === 'kept') {
      begun.chunks.push(bytes);
      begun.length += bytes.length;
      begun.id?.take(bytes);
      if (begun.length > LONG_BYTES) begun.id ??= idIn(begun.chunks);
      if (begun.id && begun.length > this.#maxBytes) this.#begun = { kind: 'passing', id: begun.id };
    } else begun.id.take(bytes);
  }

  #end(): Line {
    const begun = this.#begun;
    this.#begun = { kind: 'kept', chunks: [], length: 0, id: null };
    if (begun.kind === 'passing') return { kind: 'too_long', id: begun.id.id };
    return { kind: 'whole', bytes: Buffer.concat(begun.chunks) };
  }
}

function idIn(chunks: readonly Buffer[]): TopLevelId {
  const id = new TopLevelId();
  for (const chunk of chunks) id.take(chunk);
  return id;
}
