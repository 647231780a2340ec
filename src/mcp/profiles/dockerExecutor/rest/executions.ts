import { newId } from '../executor.ts';
import { BackgroundExecution } from './execution.ts';
import type { ExecutionAnswer } from './schemas.ts';

const MAX_RUNNING = 100;
/** Of executions that have ended; the oldest go first. */
const MAX_ENDED = 1_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** A result as clients read it later. */
interface Ended {
  readonly answer: ExecutionAnswer;
  /** Seconds since the epoch. */
  readonly timestamp: number;
}

/** The executions of one client: those that run in the background, and results of all. In memory. */
export class Executions {
  readonly #background = new Map<string, BackgroundExecution>();
  readonly #ended = new Map<string, Ended>();
  #characters = 0;

  /** The execution with that id that has started in the background. */
  background(id: string): BackgroundExecution | undefined {
    return this.#background.get(id);
  }

  /** What is known of an execution: fields of its result, empty while it runs. */
  find(id: string): object | null {
    const background = this.#background.get(id);
    if (background && !background.answer) return { ...RUNNING, timestamp: background.changedAtMs / 1000 };
    const ended = this.#ended.get(background?.answer?.execution_id ?? id);
    if (!ended) return null;
    const { execution_id, ...result } = ended.answer;
    return { ...result, timestamp: ended.timestamp };
  }

  /** Keeps the result of an execution. */
  keep(answer: ExecutionAnswer): void {
    this.#ended.set(answer.execution_id, { answer, timestamp: Date.now() / 1000 });
    this.#characters += sizeOf(answer);
    while (this.#ended.size > MAX_ENDED || this.#characters > MAX_CHARACTERS) this.#dropOldest();
  }

  /** Starts an execution that does not end with its request; null when too many run. */
  start(run: (execution: BackgroundExecution) => Promise<ExecutionAnswer>): BackgroundExecution | null {
    const running = [...this.#background.values()].filter(({ answer }) => answer === null);
    if (running.length >= MAX_RUNNING) return null;
    const execution = new BackgroundExecution(newId('stream'));
    this.#background.set(execution.id, execution);
    void run(execution).then((answer) => {
      this.keep(answer);
      execution.end(answer);
    });
    return execution;
  }

  /** Interrupts all that run. */
  dispose(): void {
    for (const execution of this.#background.values()) execution.interrupt();
  }

  #dropOldest(): void {
    const oldest = this.#ended.values().next();
    if (oldest.done) return;
    const { answer } = oldest.value;
    const { execution_id: id } = answer;
    this.#ended.delete(id);
    this.#characters -= sizeOf(answer);
    for (const [key, execution] of this.#background) {
      if (execution.answer?.execution_id === id) this.#background.delete(key);
    }
  }
}

const RUNNING = {
  status: 'running',
  stdout: null,
  stderr: null,
  exit_code: null,
  error_message: null,
  execution_time_seconds: null,
} as const;

/** Twice: the lines of a background execution repeat its output. */
function sizeOf({ stdout, stderr }: ExecutionAnswer): number {
  return 2 * ((stdout?.length ?? 0) + (stderr?.length ?? 0));
}
