import { StringDecoder } from 'node:string_decoder';

/** Bytes of a stream as text, whatever they are: what is not UTF-8 becomes U+FFFD, also across chunks. */
export class TextStream {
  readonly #decoder = new StringDecoder('utf8');

  /** The text that `bytes` completes. */
  push(bytes: Buffer): string {
    return this.#decoder.write(bytes);
  }

  /** What an unfinished character leaves. */
  end(): string {
    return this.#decoder.end();
  }
}
