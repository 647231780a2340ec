import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { OptionsInput } from '../../src/engine/options.ts';
import type { RunResult } from '../../src/engine/types.ts';
import type { Ask } from './engineProcess.ts';

const PROGRAM = fileURLToPath(new URL('./engineProcess.ts', import.meta.url));

/** An engine in a process of its own. */
export class EngineChild {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  /** `machine` as in `faultBench`. */
  constructor(machine: string, options: OptionsInput = {}) {
    this.#process = spawn(process.execPath, ['--import', 'tsx', PROGRAM, machine, JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { stdout } = this.#process;
    if (!stdout) throw new Error('the engine process has no output');
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  /** Resolves when it is about to make its first sandbox. */
  async starting(): Promise<void> {
    await this.#next();
  }

  /** Resolves with the id of its session when it has one, after `starting`. */
  async ready(): Promise<string> {
    return z.object({ sessionId: z.string() }).parse(await this.#next()).sessionId;
  }

  ask(ask: Ask): void {
    this.#process.stdin?.write(`${JSON.stringify(ask)}\n`);
  }

  /** The next result of a request, whichever ends first. */
  async answer(): Promise<RunResult> {
    return (await this.#next()) as RunResult;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.kill(signal);
  }

  /** Asks it to exit. */
  async end(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.stdin?.end();
    await ended;
  }

  /** Kills it with SIGKILL; resolves when it has ended. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }

  async #next(): Promise<unknown> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the engine process has ended');
    return JSON.parse(value);
  }
}
