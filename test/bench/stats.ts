/** Median and 95th percentile of one kind of call, in milliseconds. */
export interface Timing {
  readonly median: number;
  readonly p95: number;
  readonly samples: number;
}

/**
 * Times `count` calls of `action`, one after the other, with `pauseMs` between them; `warmUp` calls before are not
 * counted.
 */
export async function time(count: number, action: () => Promise<unknown>, warmUp = 3, pauseMs = 0): Promise<Timing> {
  const samples: number[] = [];
  for (let call = -warmUp; call < count; call += 1) {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const start = performance.now();
    await action();
    if (call >= 0) samples.push(performance.now() - start);
  }
  return timing(samples);
}

/** The timing of given samples, in milliseconds. Throws when there are none. */
export function timing(samples: readonly number[]): Timing {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  const median = at(0.5);
  const p95 = at(0.95);
  if (median === undefined || p95 === undefined) throw new Error('no samples');
  return { median, p95, samples: sorted.length };
}

/** Rows as a table for a terminal or a README (Markdown); empty when there are none. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) => `| ${widths.map((width, i) => (row[i] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}
