import { plainText } from '../../base/log.ts';
import { HostError } from '../host.ts';
import type { Problem } from '../problem.ts';
import { readTrace, type TracedStep } from './buildTrace.ts';
import { lineSplitter } from './lines.ts';
import { diskFull } from './problems.ts';

const FAILED_ADVICE =
  'Read the lines of the build above for the cause. Where no registry can be reached, name an image that Docker has in the option docker.baseImage.';
/** Lines of a failed step in the message. */
const LAST_LINES = 8;
const LONGEST_LINE = 300;

/** One message of Docker's builder. */
interface BuildMessage {
  readonly stream?: string;
  readonly status?: string;
  readonly id?: string;
  readonly progressDetail?: object;
  readonly error?: string;
  /** From BuildKit: its progress as base64, and at the end the image's id. */
  readonly aux?: unknown;
}

/** Turns the messages of a build into lines of text. */
export class BuildProgress {
  /** Of the step that printed last. */
  #lines: string[] = [];
  #printing = '';
  readonly #started = new Set<string>();
  readonly #outputs = new Map<string, (text: Buffer) => void>();
  readonly #tag: string;
  readonly #onLine: (line: string) => void;
  readonly #output: (text: string) => void;

  constructor(tag: string, onLine: (line: string) => void) {
    this.#tag = tag;
    this.#onLine = onLine;
    this.#output = lineSplitter((line) => this.#print('', line));
  }

  /** The latest line. */
  get last(): string {
    return this.#lines.at(-1) ?? '';
  }

  /** Emits the message as lines; throws a `HostError` when the build has failed. */
  take({ stream, status, id, progressDetail, error, aux }: BuildMessage): void {
    if (error !== undefined) throw new HostError(this.#failed(error));
    if (stream !== undefined) this.#output(stream);
    // Moving progress bars would be thousands of lines.
    if (status !== undefined && !progressDetail) this.#output(`${id ? `${id}: ` : ''}${status}\n`);
    if (id === TRACE && typeof aux === 'string') this.#trace(Buffer.from(aux, 'base64'));
  }

  #trace(bytes: Buffer): void {
    const { steps, outputs } = readTrace(bytes);
    for (const step of steps) this.#announce(step);
    for (const { digest, bytes: text } of outputs) this.#outputOf(digest)(text);
  }

  #announce({ digest, name, isStarted, isCached }: TracedStep): void {
    if (!isStarted || this.#started.has(digest) || name.startsWith('[internal]') || name === INTERNAL_COPY) return;
    this.#started.add(digest);
    const step = name.replace(/--mount=\S+ /g, '');
    this.#print(digest, isCached ? `${step} (cached)` : step);
  }

  #outputOf(digest: string): (text: Buffer) => void {
    const known = this.#outputs.get(digest);
    if (known) return known;
    const made = lineSplitter((line) => this.#print(digest, line));
    this.#outputs.set(digest, made);
    return made;
  }

  #print(step: string, line: string): void {
    const text = plainText(line);
    if (step !== this.#printing) this.#lines = [];
    this.#printing = step;
    this.#lines = [...this.#lines.slice(1 - LAST_LINES), text];
    this.#onLine(text);
  }

  #failed(error: string): Problem {
    // Docker's builder and all package managers report a full disk with the system's text alone.
    const full = [error, ...this.#lines].find((line) => /no space left on device/i.test(line));
    if (full !== undefined) return diskFull(plainText(full).slice(0, LONGEST_LINE));
    const lines = this.#lines.map((line) => line.slice(0, LONGEST_LINE)).join('\n');
    return {
      kind: 'build_failed',
      message: `The image ${this.#tag} could not be built: ${plainText(error)} (after: ${lines})`,
      advice: FAILED_ADVICE,
    };
  }
}

const TRACE = 'moby.buildkit.trace';
const INTERNAL_COPY = 'copy /context /';
