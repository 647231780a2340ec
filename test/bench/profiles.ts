import { PROFILES } from '../../src/mcp/profiles/profiles.ts';
import { withContainer, withFiles } from './byHand.ts';
import { type Call, withServed } from './client.ts';
import { SETTLE_MS } from './engine.ts';
import { dockerTimings, pythonDockerMcp } from './peers.ts';
import type { Measured, Row } from './report.ts';
import { type Timing, time, timing } from './stats.ts';

// Set-up runs before TypeScript is installed, so it has no types to import.
const { ensureLeanImage, leanSource } = await import(new URL('../../src/setup/leanImage.mjs', import.meta.url).href);

const PYTHON_IMAGE = 'hothouse/python:latest';
const PRINT = 'print(1)';
const MAIN = 'def main : IO Unit := IO.println "1"';
const COUNT = 100;
const PEER_COUNT = 20;

/** A call of a profile as its clients make it, back to back. */
interface Measure {
  readonly what: string;
  readonly code: string;
  /** Calls that count; 100 unless given. */
  readonly count?: number;
  run(call: Call): Promise<unknown>;
}

/** What comes before the calls of a profile, whose time does not count. */
const BEFORE: Readonly<Record<string, (call: Call) => Promise<unknown>>> = {
  'code-executer': (call) => call('start_code_executer', {}),
};

/** The one-shot and the persistent call of each profile. MCP-docker-executor has no sessions. */
const MEASURES: Readonly<Record<string, readonly Measure[]>> = {
  'python-docker-mcp': [
    { what: 'one-shot', code: PRINT, run: (call) => call('execute-transient', { code: PRINT }) },
    {
      what: 'persistent call',
      code: PRINT,
      run: (call) => call('execute-persistent', { code: PRINT, session_id: 'bench' }),
    },
  ],
  'lean-docker-mcp': [
    { what: 'one-shot', code: MAIN, count: 30, run: (call) => call('execute-lean', { code: MAIN }) },
    {
      what: 'persistent call',
      code: MAIN,
      count: 50,
      run: (call) => call('execute-lean-persistent', { code: MAIN, session_id: 'bench' }),
    },
  ],
  'code-executer': [
    { what: 'persistent call', code: PRINT, run: (call) => call('execute_code', { code: PRINT }) },
    { what: 'start, one call, stop', code: PRINT, count: 20, run: startAndStop },
  ],
  'docker-executor': [
    { what: 'one-shot', code: PRINT, run: (call) => call('execute_code', { language: 'python', code: PRINT }) },
    ...Object.entries({ node: 'console.log(1)', bash: 'echo 1' }).map(([language, code]) => ({
      ...{ what: 'one-shot', code, count: 30 },
      run: (call: Call) => call('execute_code', { language, code }),
    })),
  ],
};

/** Measures the calls of each profile over HTTP, beside the same code without Hothouse. */
export async function measureProfiles(): Promise<Measured> {
  const leanImage: string | null = await ensureLeanImage(await leanSource());
  if (leanImage === null) console.error('Lean was left out: install elan, or name a toolchain in LEAN_TOOLCHAIN_DIR.');
  const rows: Row[] = [];
  for (const { id } of PROFILES) {
    if (id === 'lean-docker-mcp' && leanImage === null) continue;
    rows.push(...(await ours(id, leanImage)));
  }
  return { rows: [...rows, ...(await python()), ...(leanImage === null ? [] : await lean(leanImage))], figures: {} };
}

/** Each profile by an engine of its own, so that sandboxes of another one take no core meanwhile. */
function ours(id: string, leanImage: string | null): Promise<Row[]> {
  const options = { lean: { prewarmHeaders: [], ...(leanImage !== null && { image: leanImage }) } };
  return withServed(
    ({ asProfile }) =>
      asProfile(id, async (call) => {
        await BEFORE[id]?.(call);
        const rows: Row[] = [];
        for (const { what, code, count = COUNT, run } of MEASURES[id] ?? []) {
          // The first call starts the sandboxes, which then preload.
          await run(call);
          await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
          rows.push({ what: `Hothouse, ${id}, ${what}`, code, timing: await time(count, () => run(call), 5) });
        }
        return rows;
      }),
    options,
  );
}

async function startAndStop(call: Call): Promise<void> {
  const started = JSON.stringify(await call('start_code_executer', {}));
  const [name] = /code_executer-[\d-]+/.exec(started) ?? [];
  await call('execute_code', { code: PRINT });
  await call('stop_code_executer', { name });
}

async function python(): Promise<Row[]> {
  const peer = await pythonDockerMcp(PYTHON_IMAGE, PRINT, PEER_COUNT);
  const { exec, run } = await dockerTimings(PYTHON_IMAGE, PRINT, { exec: PEER_COUNT, run: PEER_COUNT, bare: 1 });
  const timed = (samples: readonly number[] | undefined): Timing | null => (samples ? timing(samples) : null);
  return [
    { what: 'python-docker-mcp itself, pooled one-shot', code: PRINT, timing: timed(peer?.transient) },
    { what: 'python-docker-mcp itself, persistent call', code: PRINT, timing: timed(peer?.persistent) },
    { what: 'docker exec python3 -c', code: PRINT, timing: exec },
    { what: 'docker run --rm … python3 -c', code: PRINT, timing: run },
  ];
}

/** The program of the rows of lean-docker-mcp, by the same Lean in a container that is up. */
function lean(image: string): Promise<Row[]> {
  return withFiles({ 'Main.lean': `${MAIN}\n#eval main\n` }, (folder) =>
    withContainer(image, folder, async (container) => [
      { what: 'docker exec lean file', code: MAIN, timing: await time(PEER_COUNT, () => container.file('Main.lean')) },
    ]),
  );
}
