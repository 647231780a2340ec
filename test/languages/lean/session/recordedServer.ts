import { z } from 'zod';
import { deferred } from '../../../../src/base/deferred.ts';
import { encodeMessage } from '../../../../src/languages/lean/lsp/framing.ts';
import { Range } from '../../../../src/languages/lean/lsp/messages.ts';
import { LineTable } from '../../../../src/languages/lean/text/position.ts';
import { Messages } from '../lsp/messages.ts';
import type { RecordedCell } from './recordedCells.ts';
import { type Step, stepsThrough } from './recordedText.ts';

/** Which version of Lean the server imitates, and how its bytes arrive. */
export interface ServerVariant {
  /** `old` repeats all diagnostics for each command, `current` adds those that are new. */
  readonly kind: 'old' | 'current';
  readonly split?: 'bytes';
  /** Its process ends after this many messages. */
  readonly endAfter?: number;
}

/** The servers of 2021 and of today, which differ in what they publish, refuse and ask for. */
export const SERVER_VARIANTS: readonly (readonly [string, ServerVariant])[] = [
  ['an old server', { kind: 'old' }],
  ['a current server', { kind: 'current' }],
];

const Params = z.object({
  textDocument: z.object({ uri: z.string(), version: z.int().optional(), text: z.string().optional() }).optional(),
  contentChanges: z.array(z.object({ range: Range, text: z.string() })).optional(),
  uri: z.string().optional(),
  version: z.int().optional(),
});
const ClientMessage = z.object({ method: z.string(), id: z.int().optional(), params: Params.catch({}) });

/** The goal of the one recorded cell with a `sorry`. */
const GOAL = {
  goal: 'p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q',
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 5 } },
};

/** A server that publishes for each part of its document what a real one was recorded to publish. */
export class RecordedServer {
  readonly #cells: readonly RecordedCell[];
  readonly #variant: ServerVariant;
  readonly #send: (bytes: Buffer) => void;
  readonly #decoder = new Messages();
  readonly #ended = deferred<void>();
  readonly #tables = new Map<string, LineTable>();
  readonly #failedHeaders = new Set<string>();
  /** The URI of the last document in a message. */
  #uri = '';
  #version = 0;
  #sent = 0;
  #state: 'up' | 'busy' | 'crashed' | 'gone' = 'up';
  #waiting: number[] = [];
  readonly ended = this.#ended.promise;
  /** The methods of the messages that it received, in order. */
  readonly received: string[] = [];

  constructor(cells: readonly RecordedCell[], variant: ServerVariant, send: (bytes: Buffer) => void) {
    this.#cells = cells;
    this.#variant = variant;
    this.#send = send;
  }

  /** The text of the last document in a message, with the client's edits. */
  get text(): string {
    return this.#table.text;
  }

  get #table(): LineTable {
    return this.#tables.get(this.#uri) ?? new LineTable();
  }

  get #headerFailed(): boolean {
    return this.#failedHeaders.has(this.#uri);
  }

  write(bytes: Uint8Array): void {
    for (const message of this.#decoder.push(Buffer.from(bytes))) {
      const { data } = ClientMessage.safeParse(message);
      if (data) queueMicrotask(() => this.#receive(data));
    }
  }

  end(): void {
    this.#state = 'gone';
    this.#ended.resolve();
  }

  #receive({ method, id, params }: z.infer<typeof ClientMessage>): void {
    this.received.push(method);
    if (method === 'initialize') this.#say({ id, result: { capabilities: {} } });
    else if (method.endsWith('didOpen')) this.#open(params);
    else if (method.endsWith('didChange')) this.#change(params);
    else if (method.endsWith('waitForDiagnostics')) this.#wait(id ?? 0);
    else if (method.endsWith('documentSymbol')) this.#say({ id, result: symbolsIn(this.text) });
    else if (method === '$/lean/plainTermGoal') this.#say({ id, result: GOAL });
    else if (id !== undefined && method !== 'initialize') this.#say({ id, result: null });
  }

  #open({ textDocument }: z.infer<typeof Params>): void {
    this.#uri = textDocument?.uri ?? '';
    this.#tables.set(this.#uri, new LineTable(textDocument?.text));
    this.#version = textDocument?.version ?? 0;
    this.#failedHeaders.delete(this.#uri);
    this.#waiting = [];
    this.#elaborate();
  }

  #change({ textDocument, contentChanges = [] }: z.infer<typeof Params>): void {
    this.#uri = textDocument?.uri ?? '';
    for (const { range, text } of contentChanges)
      this.#table.replace(this.#table.offsetAt(range.start), this.#table.offsetAt(range.end), text);
    this.#version = textDocument?.version ?? 0;
    if (this.#variant.kind === 'current') this.#refuse(-32801);
    this.#waiting = [];
    if (this.#variant.kind === 'current') this.#askForRefresh();
    if (this.#state !== 'crashed') this.#elaborate();
  }

  /** Current servers do so after each edit, whatever the client's capabilities are. */
  #askForRefresh(): void {
    for (const what of ['inlayHint', 'semanticTokens'])
      this.#say({ id: `register_ ${what}`, method: `workspace/${what}/refresh` });
  }

  /** Elaborates the whole document; an old server publishes nothing more about one with a failed header. */
  #elaborate(): void {
    if (this.#state === 'gone') return;
    this.#state = 'up';
    if (this.#headerFailed && this.#variant.kind === 'old') return;
    const steps = stepsThrough(this.text, this.#cells);
    steps.forEach((step, index) => {
      this.#publish(steps, index);
      if (step.then === 'endless') this.#state = 'busy';
      if (step.then === 'crash') this.#crash();
      if (step.then === 'fatal') this.#failedHeaders.add(this.#uri);
    });
    if (this.#state === 'up') this.#settle();
  }

  #publish(steps: readonly Step[], index: number): void {
    const isOld = this.#variant.kind === 'old';
    const found = steps.slice(isOld ? 0 : index, index + 1).flatMap(({ diagnostics }) => diagnostics);
    const more = isOld ? {} : { isIncremental: index > 0 };
    const diagnostics = isOld ? found : found.map((one) => ({ ...one, leanTags: one.severity === 1 ? [1] : [2] }));
    this.#notify('textDocument/publishDiagnostics', { uri: this.#uri, version: this.#version, diagnostics, ...more });
  }

  #settle(): void {
    const kind = this.#variant.kind === 'current' ? { kind: 2 } : {};
    const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
    const processing = this.#headerFailed ? [{ range, ...kind }] : [];
    this.#notify('$/lean/fileProgress', { textDocument: { uri: this.#uri, version: this.#version }, processing });
  }

  #crash(): void {
    this.#state = 'crashed';
    this.#refuse(this.#variant.kind === 'old' ? -32603 : -32902);
  }

  #refuse(code: number): void {
    for (const id of this.#waiting) this.#say({ id, error: { code, message: 'refused' } });
    this.#waiting = [];
  }

  #wait(id: number): void {
    if (this.#state === 'up') this.#say({ id, result: {} });
    else this.#waiting.push(id);
    if (this.#state === 'crashed') this.#crash();
  }

  #notify(method: string, params: object): void {
    this.#say({ method, params });
  }

  #say(message: object): void {
    if (this.#state === 'gone') return;
    this.#sent += 1;
    const bytes = encodeMessage({ jsonrpc: '2.0', ...message });
    if (this.#sent === this.#variant.endAfter) this.end();
    else if (this.#variant.split === 'bytes') for (const byte of bytes) this.#send(Buffer.of(byte));
    else this.#send(bytes);
  }
}

/** Each `def` and `theorem`, as if it had one line. */
function symbolsIn(text: string): object[] {
  return text.split('\n').flatMap((content, line) => {
    const [, before = '', name = ''] = /^((?:def|theorem) )(\w+)/.exec(content) ?? [];
    if (name === '') return [];
    const range = { start: { line, character: 0 }, end: { line, character: content.length } };
    const selectionRange = {
      start: { line, character: before.length },
      end: { line, character: before.length + name.length },
    };
    return [{ name, kind: 6, range, selectionRange }];
  });
}
