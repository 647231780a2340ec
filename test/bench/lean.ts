import { existsSync } from 'node:fs';
import path from 'node:path';
import type { OptionsInput } from '../../src/engine/options.ts';
import type { Engine } from '../../src/engine/types.ts';
import { type LeanByHand, leanOfMachine, withContainer, withFiles } from './byHand.ts';
import { type Call, withClient } from './client.ts';
import { OWNER, realEngine, warm } from './engine.ts';
import { type CellRunner, cellTimes, serverOf, sessionOf } from './leanCells.ts';
import type { Measured, Row } from './report.ts';
import { type Timing, time, timing } from './stats.ts';
import { theoremOf } from './theorems.ts';

// Set-up runs before TypeScript is installed, so it has no types to import.
const { ensureLeanImage, leanSource, leanToolchain } = await import(
  new URL('../../src/setup/leanImage.mjs', import.meta.url).href
);

/** A header, and how many files of a loop with it are worth waiting for; the rest is reckoned from these. */
interface Headed {
  readonly header: string;
  readonly looped: number;
}

const HEADS: readonly Headed[] = [
  { header: '', looped: 100 },
  { header: 'import Lean', looped: 20 },
];
const PROOFS = 100;
const CELLS = 200;
/** The last ones, which represent the 200th. */
const LAST_CELLS = 20;
const CALLS = { check: 100, file: 30, checks: 7, loop: 1 };

/** Measures Lean beside the same Lean used by hand; null where the machine has none, with a note on stderr. */
export async function measureLean(): Promise<Measured | null> {
  const source = await leanSource();
  const image: string | null = await ensureLeanImage(source);
  if (image === null) {
    console.error('Lean was left out: install elan, or name a toolchain in LEAN_TOOLCHAIN_DIR.');
    return null;
  }
  const toolchain: string | null = await leanToolchain(source);
  return withFiles(filesOf(HEADS), (folder) =>
    withContainer(image, folder, async (container) => {
      const machine = toolchain ? leanOfMachine(toolchain, folder) : null;
      const parts = [await cells(image, container, machine)];
      const heads = HEADS.filter(({ header }) => header === '' || hasLibrary(toolchain));
      if (heads.length < HEADS.length)
        console.error('import Lean was left out: this toolchain has a small library only.');
      for (const head of heads) parts.push(await withHeader(image, head, container, machine));
      return { rows: parts.flatMap(({ rows }) => rows), figures: Object.assign({}, ...parts.map((p) => p.figures)) };
    }),
  );
}

/** Whether `import Lean` loads the usual library; unknown for a named image. */
function hasLibrary(toolchain: string | null): boolean {
  return toolchain === null || existsSync(path.join(toolchain, 'lib/lean/Lean/Elab.olean'));
}

async function withHeader(
  image: string,
  { header, looped }: Headed,
  container: LeanByHand,
  machine: LeanByHand | null,
): Promise<Measured> {
  const files = namesOf(header);
  const [first = ''] = files;
  const theorem = header ? `${header}; theorem …` : 'theorem …';
  const ours = await hothouse(image, header);
  const exec = await time(CALLS.file, () => container.file(first));
  const bare = machine && (await time(CALLS.file, () => machine.file(first)));
  const byHand = machine ?? container;
  const loop = scaled(await time(CALLS.loop, () => byHand.loop(files.slice(0, looped)), 0), PROOFS / looped);
  const share = looped < PROOFS ? `, ${looped} of them measured` : '';
  const rows: Row[] = [
    { what: 'Hothouse, engine, one-shot check', code: theorem, timing: ours.check },
    { what: 'Hothouse, MCP over HTTP, one-shot check', code: theorem, timing: ours.overMcp },
    { what: 'docker exec lean file', code: theorem, timing: exec },
    { what: 'lean file on the machine itself', code: theorem, timing: bare },
    { what: `Hothouse, MCP over HTTP, lean_check of ${PROOFS}`, code: theorem, timing: ours.checks },
    { what: `loop of lean file ${byHand.where}, ${PROOFS} files${share}`, code: theorem, timing: loop },
  ];
  const name = header ? `, ${header}` : '';
  const figures = {
    [`one-shot check, times as fast as docker exec lean file${name}`]: exec.median / ours.check.median,
    [`lean_check of ${PROOFS}, times as fast as the loop${name}`]: loop.median / ours.checks.median,
  };
  return { rows, figures };
}

/** Checks by an engine and a client of their own, since a sandbox serves one owner only. */
async function hothouse(image: string, header: string): Promise<{ check: Timing; overMcp: Timing; checks: Timing }> {
  const code = theoremOf(header, 0);
  const check = await withEngine(image, header, (engine) => time(CALLS.check, () => checkOne(engine, code), 10));
  return withEngine(image, header, (engine) =>
    withClient(engine, async (call) => {
      const one = () => call('run_code', { language: 'lean', code });
      const overMcp = await time(CALLS.check, one, 10);
      await checkMany(call, header);
      await warm(engine, 2, header);
      return { check, overMcp, checks: await time(CALLS.checks, () => checkMany(call, header), 1) };
    }),
  );
}

async function withEngine<T>(image: string, header: string, use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await warmEngine({ lean: { image, prewarmHeaders: [header] } }, header);
  try {
    return await use(engine);
  } finally {
    await engine.dispose();
  }
}

/** An engine with two sandboxes that have elaborated the header. */
async function warmEngine(options: OptionsInput, header = ''): Promise<Engine> {
  const engine = await realEngine(options);
  // The first use warms the header's sandboxes.
  await checkOne(engine, theoremOf(header, 0));
  await warm(engine, 2, header);
  return engine;
}

async function checkOne(engine: Engine, code: string): Promise<void> {
  const { report, error } = await engine.run({ language: 'lean', code, owner: OWNER });
  if (report?.verdict !== 'accepted') throw new Error(`${code}: ${report?.verdict} ${error?.message}`);
}

async function checkMany(call: Call, header: string): Promise<void> {
  const proofs = Array.from({ length: PROOFS }, (_, n) => ({ id: `${n}`, code: theoremOf('', n) }));
  const answer = await call('lean_check', { proofs, ...(header && { header }) });
  if (!isAccepted(answer)) throw new Error(`lean_check: ${JSON.stringify(answer).slice(0, 500)}`);
}

function isAccepted(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'accepted' in answer && answer.accepted === PROOFS;
}

/** Session cells beside servers that get the same without an engine; the difference is the cost of a session. */
async function cells(image: string, container: LeanByHand, machine: LeanByHand | null): Promise<Measured> {
  const engine = await warmEngine({ lean: { image } });
  const runners: (readonly [string, CellRunner])[] = [];
  try {
    runners.push(['Hothouse, session cell', await sessionOf(engine)]);
    for (const byHand of machine ? [container, machine] : [container]) {
      runners.push([`lean --server ${byHand.where}, the same edits`, await serverOf(byHand, 'edits')]);
    }
    runners.push([`lean --server ${container.where}, the cells' text alone`, await serverOf(container, 'text')]);
    return measuredCells(
      runners.map(([name]) => name),
      await cellTimes(
        runners.map(([, runner]) => runner),
        CELLS,
      ),
    );
  } finally {
    await Promise.all(runners.map(([, runner]) => runner.close()));
    await engine.dispose();
  }
}

function measuredCells(names: readonly string[], times: readonly (readonly number[])[]): Measured {
  const last = CELLS - LAST_CELLS;
  const rowsFrom = (from: number): Row[] =>
    names.map((name, index) => ({
      what: `${name}, ${from + 1} to ${CELLS}`,
      code: 'def …; theorem …; #eval …',
      timing: timing((times[index] ?? []).slice(from)),
    }));
  const [session = [], server = []] = times;
  const median = (of: readonly number[], from: number) => timing(of.slice(from)).median;
  const above = (from: number) => median(session, from) - median(server, from);
  return {
    rows: [...rowsFrom(0), ...rowsFrom(last)],
    figures: {
      'session cell above the same edits in a container, ms': above(0),
      [`session cell above the same edits in a container, ${last + 1} to ${CELLS}, ms`]: above(last),
    },
  };
}

function namesOf(header: string): string[] {
  const prefix = header.replaceAll(/\W/g, '');
  return Array.from({ length: PROOFS }, (_, n) => `${prefix}T${n}.lean`);
}

function filesOf(heads: readonly Headed[]): Record<string, string> {
  return Object.fromEntries(
    heads.flatMap(({ header }) => namesOf(header).map((name, n) => [name, theoremOf(header, n)])),
  );
}

function scaled({ median, p95, samples }: Timing, factor: number): Timing {
  return { median: median * factor, p95: p95 * factor, samples };
}
