import { TopLevelId } from './topLevelId.ts';

const NEWLINE = 0x0a;

/** A line of a stream; of one that was too long to be kept, the id that it has as a JSON-RPC message. */
export type Line =
  | { readonly kind: 'whole'; readonly text: string }
  | { readonly kind: 'too_long'; readonly id: string | number | null };

/** What has come of a line. */
type Begun =
  | { readonly kind: 'kept'; readonly chunks: Buffer[]; length: number }
  | { readonly kind: 'passing'; readonly id: TopLevelId };

/** Cuts a stream into lines; keeps at most `maxBytes` of it. */
export class Lines {
  readonly #maxBytes: number;
  #begun: Begun = { kind: 'kept', chunks: [], length: 0 };

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
      if (begun.length > this.#maxBytes) this.#begun = { kind: 'passing', id: idIn(begun.chunks) };
    } else begun.id.take(bytes);
  }

  #end(): Line {
    const begun = this.#begun;
    this.#begun = { kind: 'kept', chunks: [], length: 0 };
    if (begun.kind === 'passing') return { kind: 'too_long', id: begun.id.id };
    return { kind: 'whole', text: Buffer.concat(begun.chunks).toString('utf8') };
  }
}

function idIn(chunks: readonly Buffer[]): TopLevelId {
  const id = new TopLevelId();
  for (const chunk of chunks) id.take(chunk);
  return id;
}
