import type { Clock } from '../../base/clock.ts';
import type { CellEnd } from '../../languages/language.ts';
import { FileError } from '../../sandbox/files/fileError.ts';
import { workspacePath } from '../../sandbox/files/filePath.ts';
import { type OpenedFile, SandboxFiles } from '../../sandbox/files/sandboxFiles.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { cancelled, overloaded } from '../problems.ts';
import type { EngineProblem, Result } from '../types.ts';
import { fileProblem, noRoom } from './fileProblem.ts';
import type { ChangedFiles, FileContent, FilePut, FileRange, InputFile, PutCounts, PutOptions } from './types.ts';

/** Requests at the same time: each is a process of the sandbox. A file that is being read counts until it is closed. */
const MAX_OPEN = 8;
/** Files that a report names. */
const MAX_REPORTED = 200;
/** Before it, nothing was made. */
const START = '0';
const NOTHING: ChangedFiles = { files: [], count: 0, bytes: 0, skipped: 0 };

/** The files of one leased sandbox. Calls never reject; paths are those of `workspacePath`. */
export class Workspace {
  readonly #sandbox: Sandbox;
  readonly #clock: Clock;
  #open = 0;
  #mark: string;

  constructor(sandbox: Sandbox, clock: Clock, mark = START) {
    this.#sandbox = sandbox;
    this.#clock = clock;
    this.#mark = mark;
  }

  /** What is made or changed from then on is new in the next report. */
  get mark(): string {
    return this.#mark;
  }

  /** Asks something by a process of its own. */
  async ask<T>(
    path: string,
    question: (files: SandboxFiles, path: string) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<Result<T>> {
    const opened = this.#start(signal);
    if (!opened.ok) return opened;
    const { files, close, aborted } = opened.value;
    try {
      return { ok: true, value: await Promise.race([question(files, workspacePath(path)), aborted]) };
    } catch (error) {
      return { ok: false, error: fileProblem(error, path) };
    } finally {
      close();
    }
  }

  /** Puts a file. One that is put while nothing runs, by `isIdle`, is no change that a run made. */
  put(
    path: string,
    content: FileContent,
    options: PutOptions | undefined,
    isIdle: () => boolean,
    signal?: AbortSignal,
  ): Promise<Result<FilePut>> {
    const wasIdle = isIdle();
    const question = async (files: SandboxFiles, inner: string) => {
      const put = await files.put(inner, content, options);
      const mark = wasIdle ? await files.mark() : START;
      if (wasIdle && isIdle()) this.#mark = mark;
      return put;
    };
    return this.ask(path, question, signal);
  }

  /** Puts files one after the other, as `put` does; `onPut` is called after each. */
  putAll(
    inputs: readonly InputFile[],
    onPut: (file: InputFile) => void,
    isIdle: () => boolean,
    signal?: AbortSignal,
  ): Promise<Result<PutCounts>> {
    const wasIdle = isIdle();
    return this.#putEach(
      inputs,
      onPut,
      async (files) => {
        const mark = wasIdle ? await files.mark() : START;
        if (wasIdle && isIdle()) this.#mark = mark;
      },
      signal,
    );
  }

  /** Opens a file; its content must be read to the end or destroyed. */
  async get(path: string, range?: FileRange, signal?: AbortSignal): Promise<Result<OpenedFile>> {
    const opened = this.#start(signal);
    if (!opened.ok) return opened;
    const { files, close, aborted } = opened.value;
    try {
      const file = await Promise.race([files.get(workspacePath(path), range), aborted]);
      file.content.once('close', close);
      aborted.catch((error: Error) => file.content.destroy(error));
      return { ok: true, value: file };
    } catch (error) {
      close();
      return { ok: false, error: fileProblem(error, path) };
    }
  }

  /** Puts the files that a run starts with; null, or why one could not be put. */
  async putInputs(inputs: readonly InputFile[], signal?: AbortSignal): Promise<EngineProblem | null> {
    const put = await this.#putEach(
      inputs,
      () => {},
      async (files) => {
        this.#mark = await files.mark();
      },
      signal,
    );
    return put.ok ? null : put.error;
  }

  /** What a run has made or changed, and whatever else has since the mark; null when that cannot be known. */
  async changesAfter({ status, filesChanged }: CellEnd): Promise<ChangedFiles | null> {
    if (status === 'sandbox_lost' || status === 'unstopped') return null;
    // What its process says of its own run. No process has to be started where nothing has changed.
    if (filesChanged === false) return NOTHING;
    const changed = await this.ask('', (files) => files.changes(this.#mark, MAX_REPORTED));
    if (!changed.ok) return null;
    const { mark, files, count, bytes, skipped } = changed.value;
    this.#mark = mark;
    return { files, count, bytes, skipped };
  }

  /** Puts files by one process, unless there is no room for all of them; `onEnd` is called while that still runs. */
  async #putEach(
    inputs: readonly InputFile[],
    onPut: (file: InputFile) => void,
    onEnd: (files: SandboxFiles) => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<Result<PutCounts>> {
    let problem: EngineProblem | null = null;
    const put = await this.ask(
      '',
      async (files): Promise<PutCounts> => {
        problem = await roomProblem(files, inputs);
        let bytes = 0;
        for (const input of inputs) {
          if (problem || signal?.aborted) break;
          const done = await putInput(files, input);
          if (!done.ok) problem = done.error;
          else {
            bytes += done.value.size;
            onPut(input);
          }
        }
        if (!problem) await onEnd(files);
        return { files: inputs.length, bytes };
      },
      signal,
    );
    return problem ? { ok: false, error: problem } : put;
  }

  #start(signal: AbortSignal | undefined) {
    if (signal?.aborted) return { ok: false as const, error: cancelled() };
    if (this.#open >= MAX_OPEN) {
      const message = `${MAX_OPEN} requests about files of this sandbox are under way, which is the limit.`;
      return { ok: false as const, error: overloaded(message) };
    }
    this.#open += 1;
    const files = new SandboxFiles(this.#sandbox, { clock: this.#clock });
    let abort = () => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(new FileError('cancelled', '', 'it was cancelled'));
    });
    aborted.catch(() => {});
    signal?.addEventListener('abort', abort, { once: true });
    const close = () => {
      this.#open -= 1;
      signal?.removeEventListener('abort', abort);
      files.close();
    };
    return { ok: true as const, value: { files, close, aborted } };
  }
}

/** Why files do not fit; null where they do, or where that is not known. One alone is checked as it is put. */
async function roomProblem(files: SandboxFiles, inputs: readonly InputFile[]): Promise<EngineProblem | null> {
  if (inputs.length < 2) return null;
  const bytes = inputs.reduce((sum, input) => sum + bytesOf(input), 0);
  const room = await files.room();
  return bytes > room ? noRoom(bytes, room) : null;
}

function bytesOf({ content, size = 0 }: InputFile): number {
  return typeof content === 'function' ? size : Buffer.byteLength(content);
}

async function putInput(files: SandboxFiles, { path, content, size }: InputFile): Promise<Result<FilePut>> {
  try {
    const whole = typeof content === 'function' ? content() : content;
    const put = await files.put(workspacePath(path), whole, { ...(size !== undefined && { size }) });
    return { ok: true, value: put };
  } catch (error) {
    return { ok: false, error: fileProblem(error, path) };
  }
}
