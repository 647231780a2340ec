import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import type { Compared } from './compare.ts';
import { type Timing, table } from './stats.ts';

const OUT = path.resolve(import.meta.dirname, '../../out/bench');

/** One kind of call, timed; null where it could not be had on this machine. */
export interface Row {
  readonly what: string;
  readonly code: string;
  readonly timing: Timing | null;
}

/** Hothouse beside something else, measured in turns. */
export interface Ratio {
  readonly what: string;
  readonly code: string;
  readonly beside: string;
  readonly compared: Compared;
}

/** What a part of the benchmark measured; figures carry their unit in their name. */
export interface Measured {
  readonly rows: readonly Row[];
  readonly figures: Readonly<Record<string, number>>;
  readonly ratios?: readonly Ratio[];
}

/** Prints what was measured, and keeps it as `out/bench/NAME.md` and `.json`. */
export async function report(name: string, measured: Measured): Promise<void> {
  const described = await machine();
  const text = [described, ...tablesOf(measured)].join('\n\n');
  await mkdir(OUT, { recursive: true });
  await writeFile(path.join(OUT, `${name}.json`), JSON.stringify({ machine: described, ...measured }, null, 2));
  await writeFile(path.join(OUT, `${name}.md`), `${text}\n`);
  console.log(text);
}

function tablesOf({ rows, figures, ratios = [] }: Measured): string[] {
  const tables = [
    table(
      ['what', 'code', 'median ms', 'p95 ms'],
      rows.map(({ what, code, timing }) => [
        what,
        `\`${code}\``,
        timing ? rounded(timing.median) : '–',
        timing ? rounded(timing.p95) : '–',
      ]),
    ),
    table(
      ['figure', 'value'],
      Object.entries(figures).map(([figure, value]) => [figure, rounded(value)]),
    ),
    table(
      ['what', 'code', 'ms', 'CPU ms', 'beside', 'ms', 'CPU ms', 'time', 'CPU'],
      ratios.map(({ what, code, beside, compared: { ours, other, ratio } }) => [
        ...[what, `\`${code}\``, rounded(ours.ms), rounded(ours.cpuMs)],
        ...[beside, rounded(other.ms), rounded(other.cpuMs)],
        ...[fraction(ratio.ms), fraction(ratio.cpuMs)],
      ]),
    ),
  ];
  return tables.filter((text) => text !== '');
}

function rounded(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(Math.abs(value) < 10 ? 2 : 0);
}

/** A ratio under one as in `1/15`, since the aims are written so. */
function fraction(ratio: number): string {
  if (Number.isNaN(ratio)) return '–';
  return ratio < 1 ? `1/${rounded(1 / ratio)}` : rounded(ratio);
}

async function machine(): Promise<string> {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const system = (await readFile('/etc/os-release', 'utf8').catch(() => '')).match(/^PRETTY_NAME="(.+)"$/m)?.[1];
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memory}, ${system ?? process.platform}, Node ${process.version}`;
}
