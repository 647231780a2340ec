import { CoalescingEmitter } from '../../../../base/event.ts';
import type { RunOutput } from '../../../../engine/types.ts';
import type { ExecutionAnswer } from './schemas.ts';

/** Lines that an execution keeps; the result has all output. */
const MAX_LINES = 10_000;

/** An execution that runs on when its request has ended: its lines so far, and its result when it has one. */
export class BackgroundExecution {
  readonly id: string;
  readonly #changed = new CoalescingEmitter();
  readonly #abort = new AbortController();
  readonly #startedAtMs = Date.now();
  readonly #lines: string[] = [];
  /** Lines that have begun, by their stream. */
  readonly #open = { stdout: '', stderr: '' };
  #endedAtMs: number | null = null;
  #answer: ExecutionAnswer | null = null;

  constructor(id: string) {
    this.id = id;
  }

  readonly onDidChange = this.#changed.event;

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get answer(): ExecutionAnswer | null {
    return this.#answer;
  }

  get lineCount(): number {
    return this.#lines.length;
  }

  /** Milliseconds since the epoch of its last change of state. */
  get changedAtMs(): number {
    return this.#endedAtMs ?? this.#startedAtMs;
  }

  /** Adds output as it comes. */
  add(output: RunOutput): void {
    if (output.kind !== 'stdout' && output.kind !== 'stderr') return;
    const lines = (this.#open[output.kind] + output.text).split('\n');
    this.#open[output.kind] = lines.pop() ?? '';
    for (const line of lines) this.#addLine(line);
    this.#changed.mark();
  }

  /** Ends it with its result. */
  end(answer: ExecutionAnswer): void {
    for (const text of [this.#open.stdout, this.#open.stderr]) if (text !== '') this.#addLine(text);
    this.#answer = answer;
    this.#endedAtMs = Date.now();
    this.#changed.mark();
  }

  /** Interrupts it; it then ends with a result. */
  interrupt(): void {
    this.#abort.abort();
  }

  /** Its state as clients see it, with the lines after the first `from`. Times in seconds since the epoch. */
  progress(from = 0) {
    const answer = this.#answer;
    return {
      execution_id: this.id,
      status: this.#status(),
      start_time: this.#startedAtMs / 1000,
      end_time: this.#endedAtMs === null ? null : this.#endedAtMs / 1000,
      logs: this.#lines.slice(from),
      response: answer,
      error: answer?.error_message ?? null,
    };
  }

  // Clients of a stream wait for `completed` or `failed`; the response has `timeout`.
  #status(): 'running' | 'completed' | 'failed' {
    if (this.#answer === null) return 'running';
    return this.#answer.status === 'completed' ? 'completed' : 'failed';
  }

  #addLine(line: string): void {
    if (this.#lines.length < MAX_LINES) this.#lines.push(line);
    else if (this.#lines.length === MAX_LINES) this.#lines.push('[The result has all further lines.]');
  }
}
