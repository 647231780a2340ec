import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import { Options } from '../../src/engine/options.ts';
import type { ContinuedRun, Engine, Owner, RunOutput, RunResult, SessionRecord } from '../../src/engine/types.ts';
import { dockerHost } from '../../src/host/docker/dockerHost.ts';
import { machineId, thisOwner } from '../../src/host/identity.ts';
import { LABEL } from '../../src/host/labels.ts';
import type { OnInput } from '../../src/languages/language.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';

export const OWNER: Owner = { id: 'notebook', kind: 'notebook', label: 'a.ipynb' };
const OPTIONS = Options.parse({
  limits: { memoryMb: 256, outputKb: 8192, timeoutSeconds: 60 },
  pool: { size: 1 },
  python: { preload: [] },
  sessions: { keepSeconds: 30 },
});
export const identity = { machine: '', owner: '' };
export const host = dockerHost({ env: process.env, home: process.env.HOME ?? '/', log: silentLog });

/** Gives the engines of a file a machine of their own, whose containers go at the end. */
export function ownMachine(name: string): void {
  beforeAll(async () => {
    identity.machine = `${await machineId()}-${name}`;
    identity.owner = await thisOwner();
  });
  afterAll(async () => {
    for (const { id } of await host.list({ [LABEL.machine]: identity.machine })) await host.remove(id);
    await host.dispose();
  });
}

/** An engine with the records of its sessions. */
export async function start() {
  const records = new Map<string, SessionRecord>();
  const engine = createEngine({
    connect: () => dockerHost({ env: process.env, home: process.env.HOME ?? '/', log: silentLog }),
    agent: await loadAgent(path.resolve(import.meta.dirname, '../../images/agent')),
    languages: LANGUAGES,
    options: OPTIONS,
    clock: systemClock,
    log: silentLog,
    identity,
    images: imageSources('/nowhere', async () => ({ buildArgs: {} })),
    sessionStore: {
      save: async (record) => void records.set(record.sessionId, record),
      remove: async (id) => void records.delete(id),
    },
  });
  return { engine, records };
}

/** The record of a new session. */
export async function open({ engine, records }: Awaited<ReturnType<typeof start>>, language = 'python') {
  const opened = await engine.openSession(language, OWNER);
  if (!opened.ok) throw new Error(opened.error.message);
  const record = records.get(opened.value.id);
  if (!record) throw new Error('the session has no record');
  return record;
}

export function run(engine: Engine, sessionId: string, code: string, rest: object = {}): Promise<RunResult> {
  return engine.run({ language: 'python', owner: OWNER, sessionId, code, ...rest });
}

/** Waits for a cell until it has printed; `ended` is its result. */
export async function begin(engine: Engine, sessionId: string, code: string, rest: object = {}) {
  let printed = () => {};
  const begun = new Promise<void>((resolve) => {
    printed = resolve;
  });
  const request = { language: 'python', owner: OWNER, sessionId, code: `print("begun", flush=True)\n${code}`, ...rest };
  const ended = engine.run(request, printed);
  await begun;
  return { ended };
}

/** Python code that runs until `release` is called, however long the engines of a test take. */
export const UNTIL_RELEASED = 'import os, time\nwhile not os.path.exists("go"): time.sleep(0.05)';

/** Lets cells go on that wait for the file `go`. */
export async function release(engine: Engine, sessionId: string): Promise<void> {
  const put = await engine.files(sessionId).put('go', Buffer.alloc(0));
  if (!put.ok) throw new Error(put.error.message);
}

/** Resumes a session that must be there, with the output of its run. */
export async function resume(engine: Engine, record: SessionRecord, onInput?: OnInput) {
  const outputs: RunOutput[] = [];
  const runs: ContinuedRun[] = [];
  const resumed = await engine.resumeSession(record, (continued) => {
    runs.push(continued);
    return { onOutput: (output) => outputs.push(output), ...(onInput && { onInput }) };
  });
  if (!resumed.ok) throw new Error(`${resumed.error.message} ${resumed.error.advice}`);
  return { ...resumed.value, run: runs[0], outputs };
}
