import type { CallToolResult, InputRequests, InputResponses } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { RunOutput } from '../../engine/types.ts';

/** How long a task is kept after its end, in milliseconds. */
export const KEEP_TASK_MS = 15 * 60_000;
/** Between two polls of a client, in milliseconds. */
const POLL_MS = 1_000;
/** Characters kept of the output of a task in progress; its result has all. */
const MAX_OUTPUT = 16_384;

/** Does the work of a task. Rejects only with what a client gets as an error of JSON-RPC. */
export type TaskWork = (task: Task) => Promise<CallToolResult>;

type End =
  | { readonly status: 'completed'; readonly result: CallToolResult }
  | { readonly status: 'failed'; readonly error: { readonly code: number; readonly message: string } };

interface Question {
  readonly request: InputRequests[string];
  readonly answer: (response: InputResponses[string]) => void;
}

/** One call of a tool, which may outlive its request: what it has output so far, what it asks, and how it ended. */
export class Task {
  readonly id: string;
  readonly owner: string;
  /** Name of the tool. */
  readonly tool: string;
  readonly createdAtMs = Date.now();
  /** Resolves when the work has ended. */
  readonly ended: Promise<void>;
  readonly #controller = new AbortController();
  readonly #questions = new Map<string, Question>();
  #updatedAtMs = this.createdAtMs;
  #asked = 0;
  #output = { stdout: '', stderr: '' };
  #end: End | null = null;

  constructor(id: string, owner: string, tool: string, work: TaskWork) {
    this.id = id;
    this.owner = owner;
    this.tool = tool;
    this.ended = work(this).then(
      (result) => this.#finish({ status: 'completed', result }),
      (error: unknown) => this.#finish({ status: 'failed', error: errorOf(error) }),
    );
  }

  /** Aborts when the task is cancelled. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The result; null while the work goes on, and when it failed. */
  get result(): CallToolResult | null {
    return this.#end?.status === 'completed' ? this.#end.result : null;
  }

  get isEnded(): boolean {
    return this.#end !== null;
  }

  /** The last output so far. */
  get output(): { readonly stdout: string; readonly stderr: string } {
    return this.#output;
  }

  add({ kind, ...output }: RunOutput): void {
    if ((kind !== 'stdout' && kind !== 'stderr') || !('text' in output)) return;
    this.#output = { ...this.#output, [kind]: (this.#output[kind] + output.text).slice(-MAX_OUTPUT) };
  }

  /** Asks the client, which answers by `tasks/update`; rejects when the task is cancelled. */
  ask(request: InputRequests[string]): Promise<InputResponses[string]> {
    // A key is used once in the life of a task.
    this.#asked += 1;
    const key = `question-${this.#asked}`;
    this.#updatedAtMs = Date.now();
    return new Promise((resolve, reject) => {
      this.signal.addEventListener('abort', () => reject(new ProtocolError(0, 'The task was cancelled.')));
      this.#questions.set(key, { request, answer: resolve });
    });
  }

  /** Passes on answers of the client; those to unknown questions are ignored. */
  update(responses: InputResponses): void {
    for (const [key, response] of Object.entries(responses)) {
      this.#questions.get(key)?.answer(response);
      this.#questions.delete(key);
    }
    this.#updatedAtMs = Date.now();
  }

  /** Ends the work; does nothing after its end. */
  cancel(): void {
    this.#controller.abort();
  }

  /** The task as the extension defines it, without what it asks and how it ended. */
  summary() {
    return {
      taskId: this.id,
      status: this.#status(),
      createdAt: new Date(this.createdAtMs).toISOString(),
      lastUpdatedAt: new Date(this.#updatedAtMs).toISOString(),
      // It is kept for a while after its end, whenever that is.
      ttlMs: (this.#end ? this.#updatedAtMs : Date.now()) - this.createdAtMs + KEEP_TASK_MS,
      pollIntervalMs: POLL_MS,
    };
  }

  /** The result of `tasks/get`. */
  detailed() {
    const summary = this.summary();
    if (summary.status === 'input_required') return { ...summary, inputRequests: this.#requests() };
    if (this.#end === null || summary.status === 'cancelled') return summary;
    return this.#end.status === 'completed'
      ? { ...summary, result: this.#end.result }
      : { ...summary, error: this.#end.error };
  }

  #requests(): InputRequests {
    return Object.fromEntries([...this.#questions].map(([key, { request }]) => [key, request]));
  }

  #status() {
    if (this.#end && this.signal.aborted) return 'cancelled';
    if (this.#end) return this.#end.status;
    return this.#questions.size > 0 ? 'input_required' : 'working';
  }

  #finish(end: End): void {
    this.#end = end;
    this.#questions.clear();
    this.#updatedAtMs = Date.now();
  }
}

function errorOf(error: unknown) {
  if (error instanceof ProtocolError) return { code: error.code, message: error.message };
  return { code: ProtocolErrorCode.InternalError, message: 'The call failed inside the server.' };
}
