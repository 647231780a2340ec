import { DEFAULT_OPTIONS } from '../../src/engine/options.ts';
import type { Engine } from '../../src/engine/types.ts';
import { withClient } from './client.ts';
import { copyRows } from './copies.ts';
import { OWNER, PYTHON_ALONE, realEngine, run, SETTLE_MS, warm } from './engine.ts';
import { dockerTimings, pythonDockerMcp } from './peers.ts';
import type { Measured, Row } from './report.ts';
import { resetTimings } from './resets.ts';
import { type Timing, time, timing } from './stats.ts';

const IMAGE = DEFAULT_OPTIONS.python.image;
const CODES = ['print(1)', 'import numpy, pandas'] as const;
/** Pause between calls as of a client that reads the answers; back to back, resets are part of the time. */
const PACE_MS = 25;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Measures Python: our own runs, what the machine and a peer take for the same code, and what warmth costs. */
export async function measurePython(): Promise<Measured> {
  const rows = [...(await ourRows()), ...(await resetRows())];
  for (const code of CODES) rows.push(...(await peers(code)));
  const figures = {
    'idle warm sandbox, preloaded, MB': await idleMemory(DEFAULT_OPTIONS.python.preload),
    'idle warm sandbox, nothing preloaded, MB': await idleMemory([]),
    'eight warm sandboxes, ms': await timeToWarm(8),
  };
  return { rows, figures };
}

async function ourRows(): Promise<Row[]> {
  const engine = await realEngine({});
  try {
    await run(engine, 'print(1)');
    await pause(SETTLE_MS);
    const rows: Row[] = [];
    for (const code of CODES) rows.push(...(await ours(engine, code)));
    rows.push(...(await copyRows(engine)));
    return rows;
  } finally {
    await engine.dispose();
  }
}

async function ours(engine: Engine, code: string): Promise<Row[]> {
  const oneShot = await time(200, () => run(engine, code), 20);
  const paced = await time(100, () => run(engine, code), 5, PACE_MS);
  const overMcp = await mcp(engine, code, 200, 0);
  const pacedMcp = await mcp(engine, code, 100, PACE_MS);
  const session = await engine.openSession('python', OWNER);
  if (!session.ok) throw new Error(session.error.message);
  const cell = await time(300, () => run(engine, code, session.value.id), 20);
  await engine.closeSession(session.value.id);
  return [
    { what: 'Hothouse, engine, one-shot, back to back', code, timing: oneShot },
    { what: `Hothouse, engine, one-shot, every ${PACE_MS} ms`, code, timing: paced },
    { what: 'Hothouse, MCP over HTTP, one-shot, back to back', code, timing: overMcp },
    { what: `Hothouse, MCP over HTTP, one-shot, every ${PACE_MS} ms`, code, timing: pacedMcp },
    { what: 'Hothouse, session cell', code, timing: cell },
  ];
}

function mcp(engine: Engine, code: string, count: number, pauseMs: number): Promise<Timing> {
  return withClient(engine, (call) => time(count, () => call('run_code', { language: 'python', code }), 20, pauseMs));
}

async function resetRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const code of CODES) {
    const resets = await resetTimings(code, 200, DEFAULT_OPTIONS.python.preload);
    rows.push({ what: 'Hothouse, verified reset after the run', code, timing: resets.whole });
    rows.push({ what: 'of it in the sandbox: kill, wipe and look', code, timing: resets.agent });
  }
  const bare = await resetTimings(CODES[0], 200, []);
  rows.push({ what: 'Hothouse, verified reset, nothing preloaded', code: CODES[0], timing: bare.whole });
  return rows;
}

async function peers(code: string): Promise<Row[]> {
  const docker = await dockerTimings(IMAGE, code, { exec: 30, run: 10, bare: 30 });
  const peer = await pythonDockerMcp(IMAGE, code, 15);
  return [
    { what: 'docker exec python3 -c', code, timing: docker.exec },
    { what: 'docker run --rm … python3 -c', code, timing: docker.run },
    { what: 'python3 -c on the machine itself', code, timing: docker.bare },
    { what: 'python-docker-mcp, pooled one-shot', code, timing: peer && timing(peer.transient) },
    { what: 'python-docker-mcp, persistent call', code, timing: peer && timing(peer.persistent) },
  ];
}

async function idleMemory(preload: string[]): Promise<number> {
  const engine = await realEngine({ python: { preload }, pool: { size: 1 } });
  try {
    await run(engine, 'print(1)');
    await pause(SETTLE_MS);
    const off = engine.onDidChange(() => {});
    let memory: number | null = null;
    while (memory === null) {
      await pause(250);
      memory = engine.snapshot().environments[0]?.sandboxes[0]?.memoryBytes ?? null;
    }
    off.dispose();
    return memory / 2 ** 20;
  } finally {
    await engine.dispose();
  }
}

async function timeToWarm(count: number): Promise<number> {
  const engine = await realEngine({ pool: { size: count, prewarm: true } }, PYTHON_ALONE);
  try {
    const start = performance.now();
    await warm(engine, count);
    return performance.now() - start;
  } finally {
    await engine.dispose();
  }
}
