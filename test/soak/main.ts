import { readdirSync } from 'node:fs';
import { freemem } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import { Options } from '../../src/engine/options.ts';
import type { Engine, Owner, RunResult } from '../../src/engine/types.ts';
import { machineId, thisOwner } from '../../src/host/identity.ts';
import { LABEL } from '../../src/host/labels.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { testHost } from '../testHost.ts';
import { type Counts, countingHost } from './countingHost.ts';
import { HONEST, HOSTILE, type Job } from './jobs.ts';

// `npm run soak -- 10`: ten minutes of honest and hostile runs, sixteen at a time. Exit status 1 when anything was
// lost. HOTHOUSE_TEST_HOST=local uses this machine without a container engine.
const CONCURRENCY = 16;
const LONGEST_MINUTES = 24 * 60;
const HOSTILE_SHARE = 0.3;
const SESSION_SHARE = 0.05;
/** A run may take so long at the utmost, with all that waits before it. */
const ANSWER_SECONDS = 120;
/** So long after the end of the engine a container counts as leaked; Docker ends what was killed on a busy machine. */
const GONE_SECONDS = 60;
const owners = (name: string): readonly Owner[] =>
  [1, 2].map((n) => ({ id: `${name}-${n}`, kind: 'cli', label: `${name} ${n}` }));
const OWNERS = owners('soak');
/** Half of what is hostile runs for owners of its own, beside the others; the rest in the others' own sandboxes. */
const ATTACKERS = owners('attacker');

const minutes = Number(process.argv[2] ?? 1);
if (!(minutes > 0 && minutes <= LONGEST_MINUTES)) {
  console.error(`soak: "${process.argv[2]}" is not a number of minutes from 0 to ${LONGEST_MINUTES}.`);
  process.exit(1);
}

const images = path.resolve(import.meta.dirname, '../../images');
const machine = `${await machineId()}-soak-${process.pid}`;
const counts: Counts = { made: 0, destroyed: 0 };
const used = testHost();
const outcomes = new Map<string, number>();
const surprises: string[] = [];
let sessions = 0;

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)] as T;
}

function memoryMb(): string {
  return (process.memoryUsage.rss() / 2 ** 20).toFixed(0);
}

/** Of the machine. */
function freeMb(): string {
  return (freemem() / 2 ** 20).toFixed(0);
}

function seconds(from: number, to: number): string {
  return ((to - from) / 1000).toFixed(1);
}

function fds(): number {
  return readdirSync('/proc/self/fd').length;
}

function count({ status, stdout, error }: RunResult, { name, ends, stdout: expected }: Job): void {
  outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
  if (!ends.includes(status)) surprises.push(`${name}: ${status} ${error?.name ?? ''} ${error?.message ?? ''}`);
  else if (status === 'ok' && expected !== undefined && stdout !== expected) {
    surprises.push(`${name}: printed ${JSON.stringify(stdout.slice(0, 80))}`);
  }
}

async function runJob(engine: Engine, job: Job, owner: Owner): Promise<void> {
  const { code, timeoutSeconds, cancelAfterMs } = job;
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // Counted from its first output, so that a waiting run is not cancelled: it would have another outcome.
  const onOutput = () => {
    if (cancelAfterMs !== undefined) timer ??= setTimeout(() => abort.abort(), cancelAfterMs);
  };
  const request = { language: 'python', owner, code: `${cancelAfterMs ? 'print("go")\n' : ''}${code}` } as const;
  const running = engine.run({ ...request, ...(timeoutSeconds ? { timeoutSeconds } : {}) }, onOutput, abort.signal);
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, ANSWER_SECONDS * 1000, 'late').unref());
  const result = await Promise.race([running, late]);
  clearTimeout(timer);
  if (result === 'late') surprises.push(`${job.name}: no answer within ${ANSWER_SECONDS} s`);
  else count(result, job);
}

async function runSession(engine: Engine, owner: Owner): Promise<void> {
  const opened = await engine.openSession('python', owner);
  if (!opened.ok) {
    surprises.push(`session: ${opened.error.message}`);
    return;
  }
  sessions += 1;
  const { id: sessionId } = opened.value;
  const cell = (code: string, ends: Job['ends'], stdout?: string) =>
    engine
      .run({ language: 'python', owner, code, sessionId, timeoutSeconds: 5 })
      .then((result) => count(result, { name: 'cell', code, ends, ...(stdout ? { stdout } : {}) }));
  await cell('x = 41', ['ok']);
  await cell('1 / 0', ['error']);
  await cell('print(x + 1)', ['ok'], '42\n');
  await engine.closeSession(sessionId);
}

/** Ids of the containers that are left when no more end by themselves. */
async function leaked(): Promise<readonly string[]> {
  const host = testHost();
  const until = performance.now() + GONE_SECONDS * 1000;
  for (;;) {
    const left = await host.list({ [LABEL.machine]: machine });
    if (left.length > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      continue;
    }
    await Promise.allSettled(left.map(({ id }) => host.remove(id)));
    await host.dispose();
    return left.map(({ id }) => id);
  }
}

async function work(engine: Engine, owner: Owner, until: number): Promise<void> {
  while (performance.now() < until) {
    const roll = Math.random();
    if (roll < SESSION_SHARE) await runSession(engine, owner);
    else if (roll < SESSION_SHARE + HOSTILE_SHARE / 2) await runJob(engine, pick(HOSTILE), pick(ATTACKERS));
    else await runJob(engine, pick(roll < SESSION_SHARE + HOSTILE_SHARE ? HOSTILE : HONEST), owner);
  }
}

const engine = createEngine({
  connect: () => countingHost(used, counts),
  agent: await loadAgent(path.join(images, 'agent')),
  options: Options.parse({ limits: { memoryMb: 192, tmpMb: 32 }, pool: { size: 6 }, python: { preload: ['numpy'] } }),
  clock: systemClock,
  log: silentLog,
  identity: { machine, owner: await thisOwner() },
  languages: LANGUAGES,
  images: imageSources(images, async () => ({ buildArgs: {} })),
});
await engine.run({ language: 'python', owner: pick(OWNERS), code: 'print(1)' });
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const before = { memory: memoryMb(), fds: fds(), free: freeMb() };
const started = performance.now();
const workers = Array.from({ length: CONCURRENCY }, (_, index) =>
  work(engine, OWNERS[index % OWNERS.length] ?? pick(OWNERS), started + minutes * 60_000),
);
const telling = setInterval(() => {
  const done = [...outcomes.values()].reduce((sum, n) => sum + n, 0);
  console.log(
    `${((performance.now() - started) / 60_000).toFixed(1)} min: ${done} runs, ${memoryMb()} MB, ${fds()} fds`,
  );
}, 30_000);
await Promise.all(workers);
clearInterval(telling);
const workedFor = performance.now();
await engine.dispose();
const endedFor = performance.now();
const left = await leaked();

const runs = [...outcomes.values()].reduce((sum, n) => sum + n, 0);
console.log(`
${minutes} minutes, ${CONCURRENCY} at a time: ${runs} runs, ${sessions} sessions
event loop  late by ${(delay.percentile(99.9) / 1e6).toFixed(0)} ms at the 99.9th percentile, ${(delay.max / 1e6).toFixed(0)} ms at most
outcomes    ${[...outcomes].map(([name, n]) => `${name} ${n}`).join(', ')}
unexpected  ${surprises.length}
sandboxes   ${counts.made} made, ${counts.destroyed} destroyed, ${left.length} leaked
the end       ${seconds(workedFor, endedFor)} s for the engine, ${seconds(endedFor, performance.now())} s more until no container was left
this process  memory ${before.memory} MB at the start, ${memoryMb()} MB at the end; fds ${before.fds} and ${fds()}
the machine   ${before.free} MB free at the start, ${freeMb()} MB at the end`);
for (const surprise of [...new Set(surprises)].slice(0, 20)) console.log(`  ${surprise}`);
process.exit(surprises.length === 0 && left.length === 0 && counts.made === counts.destroyed ? 0 : 1);
