import { randomBytes } from 'node:crypto';
import type { Engine, RunLimits, RunResult } from '../../../engine/types.ts';
import type { ProfileCall } from '../profile.ts';
import { Images } from './images.ts';
import { isLanguage, notALanguage } from './language.ts';
import { programAt } from './programStart.ts';

/** What a client asks for; `language` is not validated. */
export interface ExecutionRequest {
  readonly language: unknown;
  readonly code: string;
  readonly image: string;
  readonly folder?: string;
  /** Environment variables of the program. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly timeoutSeconds?: number;
  readonly limits?: RunLimits;
}

/** An execution that has ended. */
export interface Execution {
  readonly id: string;
  readonly status: 'completed' | 'failed' | 'timeout';
  readonly stdout: string;
  /** Ends with the traceback of an uncaught exception, or with why the code was stopped. */
  readonly stderr: string;
  readonly exitCode: number;
  readonly seconds: number;
}

/** Statuses of programs that were stopped, as shells and `timeout` report them. */
const STOPPED: Readonly<Partial<Record<RunResult['status'], number>>> = {
  timeout: 124,
  interrupted: 130,
  out_of_memory: 137,
};

/** Runs code in images; the problem as a text where nothing ran. */
export class Executor {
  readonly #engine: Engine;
  readonly images: Images;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.images = new Images(engine);
  }

  async execute(request: ExecutionRequest, call: ProfileCall): Promise<Execution | string> {
    const { language, image, folder = '/workspace', variables = {}, stdin, timeoutSeconds, limits } = request;
    if (!isLanguage(language)) return notALanguage(language);
    const environment = await this.images.environment(image, language);
    if (!environment) return `There is no image ${image} with ${language}. Create it first.`;
    const code = programAt(language, request.code, { folder, variables });
    if (typeof code === 'string') return code;
    const run = await this.#engine.run(
      {
        ...{ language, owner: call.owner, ...code },
        ...(environment.name !== undefined && { environment: environment.name }),
        ...(stdin !== undefined && { stdin }),
        ...(timeoutSeconds !== undefined && { timeoutSeconds }),
        ...(limits && { limits }),
      },
      call.onOutput,
      call.signal,
    );
    if (run.status === 'rejected') return run.error?.message ?? run.status;
    return executionOf(run);
  }
}

const STATUSES: Readonly<Partial<Record<RunResult['status'], Execution['status']>>> = {
  ok: 'completed',
  timeout: 'timeout',
};

/** An id as the older server makes them: what it names, the time, and random digits. */
export function newId(kind: 'exec' | 'stream'): string {
  return `${kind}_${Math.floor(Date.now() / 1000)}_${randomBytes(4).toString('hex')}`;
}

function executionOf(run: RunResult): Execution {
  const { status, error, exitCode } = run;
  const reason = status === 'error' ? error?.traceback : error?.message;
  return {
    id: newId('exec'),
    status: STATUSES[status] ?? 'failed',
    stdout: run.stdout,
    stderr: run.stderr + (reason ?? ''),
    exitCode: exitCode ?? STOPPED[status] ?? (status === 'ok' ? 0 : 1),
    seconds: run.durationMs / 1000,
  };
}
