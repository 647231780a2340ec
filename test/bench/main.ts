import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { silentLog } from '../../src/base/log.ts';
import { DEFAULT_OPTIONS } from '../../src/engine/options.ts';
import type { Engine } from '../../src/engine/types.ts';
import { startHttpServer } from '../../src/mcp/http/server.ts';
import { OWNER, realEngine, run, SETTLE_MS, warm } from './engine.ts';
import { dockerTimings, pythonDockerMcp } from './peers.ts';
import { resetTimings } from './resets.ts';
import { type Timing, table, time, timing } from './stats.ts';

const IMAGE = DEFAULT_OPTIONS.python.image;
const CODES = ['print(1)', 'import numpy, pandas'] as const;
/** Pause between calls as of somebody who reads the answers; back to back, resets are part of the time. */
const PACE_MS = 25;
const out = path.resolve(import.meta.dirname, '../../out/bench');
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Row {
  readonly what: string;
  readonly code: string;
  readonly timing: Timing | null;
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

async function mcp(engine: Engine, code: string, count: number, pauseMs: number): Promise<Timing> {
  const server = await startHttpServer({ engine, log: silentLog, version: '0' });
  const client = new Client({ name: 'bench', version: '0' });
  const headers = { Authorization: `Bearer ${server.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
  try {
    const call = async () => {
      const answer = await client.callTool({ name: 'run_code', arguments: { language: 'python', code } });
      if (answer.isError) throw new Error(JSON.stringify(answer.structuredContent));
    };
    return await time(count, call, 20, pauseMs);
  } finally {
    await client.close();
    await server.dispose();
  }
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

/** One-shot runs a second, `concurrency` at a time, over `seconds`. */
async function throughput(engine: Engine, concurrency: number, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const worker = async () => {
    while (performance.now() < end) {
      await run(engine, 'print(1)');
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return done / seconds;
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
  const engine = await realEngine({ pool: { size: count, prewarm: true } });
  try {
    const start = performance.now();
    await warm(engine, count);
    return performance.now() - start;
  } finally {
    await engine.dispose();
  }
}

async function machine(): Promise<string> {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const system = (await readFile('/etc/os-release', 'utf8').catch(() => '')).match(/^PRETTY_NAME="(.+)"$/m)?.[1];
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memory}, ${system ?? process.platform}, Node ${process.version}`;
}

const rows: Row[] = [];
const engine = await realEngine({});
try {
  await run(engine, 'print(1)');
  await pause(SETTLE_MS);
  for (const code of CODES) rows.push(...(await ours(engine, code)));
} finally {
  await engine.dispose();
}
for (const code of CODES) {
  const resets = await resetTimings(code, 200);
  rows.push({ what: 'Hothouse, verified reset after the run', code, timing: resets.whole });
  rows.push({ what: 'of it in the sandbox: kill, wipe and look', code, timing: resets.agent });
}
for (const code of CODES) rows.push(...(await peers(code)));

// Twice as many sandboxes as cores: one runs while another is reset; more only wait for a core.
const wide = await realEngine({ pool: { size: 2 * cpus().length, prewarm: true } });
let perSecond: number;
try {
  await warm(wide, 2 * cpus().length);
  await pause(2 * SETTLE_MS);
  await throughput(wide, 8, 2);
  perSecond = await throughput(wide, 8, 10);
} finally {
  await wide.dispose();
}

const figures = {
  'one-shot runs a second, 8 at a time': perSecond,
  'idle warm sandbox, preloaded, MB': await idleMemory(DEFAULT_OPTIONS.python.preload),
  'idle warm sandbox, nothing preloaded, MB': await idleMemory([]),
  'eight warm sandboxes, ms': await timeToWarm(8),
};

const ms = (value: number) => value.toFixed(value < 10 ? 2 : 0);
const described = await machine();
const report = [
  described,
  '',
  table(
    ['what', 'code', 'median ms', 'p95 ms'],
    rows.map(({ what, code, timing: t }) => [what, `\`${code}\``, t ? ms(t.median) : '–', t ? ms(t.p95) : '–']),
  ),
  '',
  table(
    ['figure', 'value'],
    Object.entries(figures).map(([name, value]) => [name, value.toFixed(0)]),
  ),
].join('\n');
await mkdir(out, { recursive: true });
await writeFile(path.join(out, 'bench.json'), JSON.stringify({ machine: described, rows, figures }, null, 2));
await writeFile(path.join(out, 'bench.md'), `${report}\n`);
console.log(report);
process.exit(0);
