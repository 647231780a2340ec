import { createInterface } from 'node:readline';
import type { RunRequest } from '../../src/engine/types.ts';
import { faultBench } from './harness.ts';

/** A request of a test to the engine in this process: one JSON object per line. */
export interface Ask {
  readonly code: string;
  /** Milliseconds by which the wall clock of this process is wrong from now on. */
  readonly clockShiftMs?: number;
  readonly rest?: Partial<RunRequest>;
}

// An engine in a process of its own, to be killed or stopped by a test. Arguments: the label of its containers, and options.
const bench = await faultBench(JSON.parse(process.argv[3] ?? '{}'), '', process.argv[2]);
process.stdout.write('"starting"\n');
await bench.warm();
const sessionId = await bench.open();
// No creation is in progress when a test continues.
await bench.warm();
process.stdout.write(`${JSON.stringify({ sessionId })}\n`);

const now = Date.now;
for await (const line of createInterface({ input: process.stdin })) {
  const { code, rest, clockShiftMs }: Ask = JSON.parse(line);
  if (clockShiftMs !== undefined) Date.now = () => now() + clockShiftMs;
  void bench.run(code, rest).then((result) => process.stdout.write(`${JSON.stringify(result)}\n`));
}
await bench.engine.dispose();
process.exit(0);
