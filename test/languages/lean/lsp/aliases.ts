import { isDeepStrictEqual } from 'node:util';
import { isObject, type Message } from './script.ts';

/** Maps the ids, documents and versions of a script to those that the client uses, as its messages arrive. */
export class Aliases {
  readonly #actual = new Map<string, unknown>();

  /**
   * Whether the client's message matches the script; maps the script's ids, uris and versions to those of the client.
   * The options of `initialize` are the client's own.
   */
  match(expected: Message, actual: Message): boolean {
    if (expected.method !== actual.method || 'id' in expected !== 'id' in actual) return false;
    if (!('method' in expected)) return isDeepStrictEqual({ ...expected, jsonrpc: '2.0' }, actual);
    if ('id' in expected) this.#actual.set(`id ${expected.id}`, actual.id);
    if (expected.method === 'initialize') return true;
    if (String(expected.method).endsWith('didOpen')) this.#learn('uri', documentOf(expected), documentOf(actual));
    if (/did(Open|Change)$/.test(String(expected.method)))
      this.#learn('version', documentOf(expected), documentOf(actual));
    return isDeepStrictEqual(this.#named(expected.params, documentOf(expected).uri), actual.params);
  }

  /** The server's message with the client's ids, uris and versions. */
  translate(message: Message): Message {
    const named = this.#named(message, documentOf(message).uri);
    const id = this.#actual.get(`id ${message.id}`);
    if (!isObject(named)) return message;
    return 'method' in message || id === undefined ? named : { ...named, id };
  }

  #learn(key: 'uri' | 'version', expected: Message, actual: Message): void {
    this.#actual.set(nameOf(key, expected[key], expected.uri), actual[key]);
  }

  #named(value: unknown, uri: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#named(item, uri));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const alias = this.#actual.get(nameOf(key === 'targetUri' ? 'uri' : key, item, uri));
        return [key, alias ?? this.#named(item, uri)];
      }),
    );
  }
}

function nameOf(key: string, value: unknown, uri: unknown): string {
  if (key === 'version') return `version ${value} of ${uri}`;
  return key === 'uri' ? `uri ${value}` : '';
}

/** The part of a message that names a document and its version. */
function documentOf({ params }: Message): Message {
  if (!isObject(params)) return {};
  return isObject(params.textDocument) ? params.textDocument : params;
}
