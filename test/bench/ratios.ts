import { cpus } from 'node:os';
import { DEFAULT_OPTIONS } from '../../src/engine/options.ts';
import type { Engine } from '../../src/engine/types.ts';
import { withServed } from './client.ts';
import { type Calls, compare, repeat, type Side } from './compare.ts';
import { containerCpu, containersCpu, dockerCpu, endedChildrenCpu, ownCpu, processCpu, sumOf } from './cpu.ts';
import { containersOf, OWNER, PYTHON_ALONE, realEngine, run, SETTLE_MS, warm } from './engine.ts';
import { type PlainContainer, withPlainContainer } from './plainContainer.ts';
import type { Measured, Ratio } from './report.ts';
import { withResets } from './resets.ts';

const IMAGE = DEFAULT_OPTIONS.python.image;
const CODES = ['print(1)', 'import numpy, pandas'] as const;
const AT_A_TIME = 8;
const CORES = cpus().length;
/** How often each code runs in one round of an interpreter without Hothouse, which takes one to three seconds. */
const COUNTS: Readonly<Record<string, number>> = { [CODES[0]]: 60, [CODES[1]]: 6 };
const SECONDS = 1;
/** Calls before the engine's share is measured, and calls that count: the compiler of Node.js works for the first ones. */
const SHARE_CALLS = 1_000;
const RESETS = 30;
const FORKS = 300;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Measures Hothouse beside the same code without it, in turns: time and CPU time for each call. */
export async function measureRatios(): Promise<Measured> {
  return withPlainContainer(IMAGE, async (plain) => {
    const mcp = await overMcp(plain);
    const ratios = [...(await manyAtATime(plain)), ...(await oneAtATime(plain)), ...mcp.ratios, await resets(plain)];
    return { rows: [], figures: { 'CPU of the engine for a run over MCP, ms': mcp.share }, ratios };
  });
}

/** Isolated runs, eight at a time, beside as many interpreters at a time as there are cores. */
async function manyAtATime(plain: PlainContainer): Promise<Ratio[]> {
  // Twice as many sandboxes as cores: one runs while another is reset.
  return withEngine(2 * CORES, async (engine) => {
    const ratios: Ratio[] = [];
    for (const code of CODES) {
      const ours = { work: () => repeat(SECONDS, () => run(engine, code), AT_A_TIME), cpu: await cpuOf(engine) };
      const other = { work: () => plain.many(code, COUNTS[code] ?? 1, CORES), cpu: await containerCpu(plain.id) };
      const beside = `xargs -P${CORES} python3 -c in a container`;
      ratios.push({
        what: `isolated run, ${AT_A_TIME} at a time`,
        code,
        beside,
        compared: await compare(ours, other),
      });
    }
    return ratios;
  });
}

/** Isolated runs one after the other, and cells of a session. */
async function oneAtATime(plain: PlainContainer): Promise<Ratio[]> {
  const [code] = CODES;
  return withEngine(2, async (engine) => {
    const cpu = await cpuOf(engine);
    const isolated = { work: () => repeat(SECONDS, () => run(engine, code)), cpu };
    const bare = { work: () => plain.many(code, COUNTS[code] ?? 1, 1), cpu: await containerCpu(plain.id) };
    const beside = 'python3 -c in a container';
    const one = { what: 'isolated run, one after the other', code, beside, compared: await compare(isolated, bare) };
    const session = await engine.openSession('python', OWNER);
    if (!session.ok) throw new Error(session.error.message);
    const cell = { work: () => repeat(SECONDS / 2, () => run(engine, code, session.value.id)), cpu };
    const cells = await compare(cell, await execSide(plain, code));
    await engine.closeSession(session.value.id);
    return [one, { what: 'session cell', code, beside: 'docker exec', compared: cells }];
  });
}

/** One-shot calls over MCP, back to back; the engine has a process of its own. */
async function overMcp(plain: PlainContainer): Promise<{ ratios: Ratio[]; share: number }> {
  return withServed(async ({ call, pid, sandboxes }) => {
    const once = (code: string) => call('run_code', { language: 'python', code });
    await once(CODES[0]);
    await pause(SETTLE_MS);
    for (let warmUp = 0; warmUp < SHARE_CALLS; warmUp += 1) await once(CODES[0]);
    const before = await processCpu(pid)();
    for (let counted = 0; counted < SHARE_CALLS; counted += 1) await once(CODES[0]);
    const share = ((await processCpu(pid)()) - before) / SHARE_CALLS;
    const cpu = sumOf(processCpu(pid), containersCpu(sandboxes), await dockerCpu(await sandboxes()));
    const ratios: Ratio[] = [];
    for (const code of CODES) {
      const ours = { work: () => repeat(SECONDS, () => once(code)), cpu };
      const compared = await compare(ours, await execSide(plain, code));
      ratios.push({ what: 'one-shot over MCP, back to back', code, beside: 'docker exec', compared });
    }
    return { ratios, share };
  });
}

/** The verified reset of a light run, as the agent measures it, beside the fork and exit of a bare interpreter. */
async function resets(plain: PlainContainer): Promise<Ratio> {
  const [code] = CODES;
  return withResets(DEFAULT_OPTIONS.python.preload, async (times) => {
    const work = async (): Promise<Calls> => ({ count: 1, ms: (await times(code, RESETS)).agent.median });
    const compared = await compare({ work }, { work: () => plain.forks(FORKS) });
    return { what: 'verified reset, as the agent measures it', code, beside: 'fork and exit of python3', compared };
  });
}

async function execSide(plain: PlainContainer, code: string): Promise<Side> {
  const cpu = sumOf(endedChildrenCpu, await containerCpu(plain.id), await dockerCpu([plain.id]));
  return { work: () => repeat(SECONDS, () => plain.exec(code)), cpu };
}

/** An engine in this process, its sandboxes, and what Docker does for them. */
async function cpuOf(engine: Engine) {
  const ids = async () => containersOf(engine);
  return sumOf(ownCpu, containersCpu(ids), await dockerCpu(await ids()));
}

async function withEngine<T>(size: number, use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await realEngine({ pool: { size, prewarm: true } }, PYTHON_ALONE);
  try {
    await warm(engine, size);
    await pause(SETTLE_MS * (size / 2));
    return await use(engine);
  } finally {
    await engine.dispose();
  }
}
