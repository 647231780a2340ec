import { appendFileSync } from 'node:fs';

const tests: { readonly name: string; readonly body: () => Promise<void> }[] = [];

/** Adds a test. Tests run in order, and later ones build on earlier ones. */
export function test(name: string, body: () => Promise<void>): void {
  tests.push({ name, body });
}

/** Writes a line to the terminal and to the file in E2E_RESULTS. */
export function report(line: string): void {
  console.log(line);
  if (process.env.E2E_RESULTS) appendFileSync(process.env.E2E_RESULTS, `${line}\n`);
}

/** Runs every test; rejects when one failed. */
export async function runTests(): Promise<void> {
  let failed = 0;
  for (const { name, body } of tests) {
    try {
      await body();
      report(`ok ${name}`);
    } catch (error) {
      failed += 1;
      report(`not ok ${name}`);
      report(`# ${(error instanceof Error ? (error.stack ?? error.message) : String(error)).replaceAll('\n', '\n# ')}`);
    }
  }
  if (failed > 0) throw new Error(`${failed} of ${tests.length} failed.`);
}

/** Waits until `probe` returns a truthy value; throws with `what` after `seconds`. */
export async function until<T>(what: string, probe: () => T | Promise<T>, seconds = 120): Promise<NonNullable<T>> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) throw new Error(`Waited ${seconds} s in vain for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
