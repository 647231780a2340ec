import { StringDecoder } from 'node:string_decoder';

/** Bytes of a stream as text, also across chunks; invalid UTF-8 becomes U+FFFD. */
export class TextStream {
  readonly #decoder = new StringDecoder('utf8');

  /** The text that `bytes` completes. */
  push(bytes: Buffer): string {
    return this.#decoder.write(bytes);
  }

  /** The text of an unfinished character at the end. */
  end(): string {
    return this.#decoder.end();
  }
}
