import { onTestFinished } from 'vitest';
import type { CellEnd, CellOutput, CellRequest, Interpreter } from '../../../../src/languages/language.ts';
import { OneShotCheck } from '../../../../src/languages/lean/oneShot/oneShotCheck.ts';
import type { LeanReport, LeanTask } from '../../../../src/languages/lean/report.ts';
import { type LeanSession, openLeanSession } from '../../../../src/languages/lean/session/leanSession.ts';
import type { LeanSettings } from '../../../../src/languages/lean/settings.ts';
import { LeanWorker } from '../../../../src/languages/lean/worker/worker.ts';
import { ManualClock } from '../../../host/manualClock.ts';
import { type RecordedSandbox, recordedSandbox } from './recordedSandbox.ts';
import type { ServerVariant } from './recordedServer.ts';

const SETTINGS: LeanSettings = { allowedImports: [], blockedImports: [], reuse: 'worker', workerMemoryBytes: 1e9 };

/** A cell's end, its output and Lean's report. */
export type RecordedEnd = Omit<CellEnd, 'report'> & { readonly stdout: string; readonly report: LeanReport | null };

type RecordedRequest = Pick<CellRequest, 'code'> & Partial<Omit<CellRequest, 'task'>> & { readonly task?: LeanTask };

/** A session on servers that were recorded. */
export interface Recorded extends RecordedSandbox {
  readonly session: LeanSession;
  readonly clock: ManualClock;
  run(code: string, cell?: string): Promise<RecordedEnd>;
}

/** Starts a session, which ends with the test. */
export function recorded(variant: ServerVariant, settings: Partial<LeanSettings> = {}): Recorded {
  const clock = new ManualClock();
  const made = recordedSandbox(variant);
  const session = openLeanSession(made.sandbox, null, { ...SETTINGS, ...settings }, clock);
  onTestFinished(() => session.kill());
  const run = (code: string, cell?: string) => runIn(session, { code, ...(cell !== undefined && { cell }) });
  return { ...made, session, clock, run };
}

/** Checks one piece of code on a worker, as a run without a session does. */
export interface RecordedChecks extends RecordedSandbox {
  check(request: RecordedRequest): Promise<RecordedEnd>;
}

/** Starts a worker for checks, which ends with the test. */
export async function recordedChecks(variant: ServerVariant): Promise<RecordedChecks> {
  const made = recordedSandbox(variant);
  const worker = await LeanWorker.start(made.sandbox, '');
  await worker.warmUp();
  onTestFinished(() => worker.server.kill());
  const nothing = () => {};
  const deps = {
    ...{ sandbox: made.sandbox, worker: async () => worker, settings: SETTINGS, clock: new ManualClock() },
    ...{ onHeader: nothing, onFree: nothing },
  };
  return { ...made, check: (request) => runIn(new OneShotCheck(deps), request) };
}

async function runIn(interpreter: Interpreter, request: RecordedRequest): Promise<RecordedEnd> {
  let stdout = '';
  const onOutput = (output: CellOutput) => {
    if (output.kind === 'stdout') stdout += output.text;
  };
  const end = await interpreter.run({ name: '<cell>', stdin: '', state: null, ...request }, onOutput);
  return { ...end, report: end.report as LeanReport | null, stdout };
}
