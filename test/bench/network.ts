import type { OptionsInput } from '../../src/engine/options.ts';
import { OWNER, realEngine, run, warm } from './engine.ts';
import type { Measured, Row } from './report.ts';
import { time, timing } from './stats.ts';

const CODE = 'print(1)';
const STARTS = 12;
const PROXIED: OptionsInput['network'] = { policy: 'allow', allow: ['example.org'] };

/** Measures what the proxy of allowed hosts adds: to the start that a pool waits for, and to a run in a warm sandbox. */
export async function measureNetwork(): Promise<Measured> {
  const rows: Row[] = [];
  for (const [name, network] of [
    ['no network', {}],
    ['allowed hosts', PROXIED],
  ] as const) {
    const { first, starts, runs } = await measure(network);
    rows.push(
      { what: `first sandbox of an engine, ${name}`, code: '', timing: first },
      { what: `each further sandbox, ${name}`, code: '', timing: starts },
      { what: `one-shot run in a warm sandbox, ${name}`, code: CODE, timing: runs },
    );
  }
  return { rows, figures: {} };
}

/** Every run gets a sandbox of its own, as with a network; so only the proxy differs. */
async function measure(network: OptionsInput['network']) {
  const options: OptionsInput = { network, pool: { size: 1, reuse: 'never' }, python: { preload: [] } };
  const firsts: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const engine = await realEngine(options);
    const start = performance.now();
    await run(engine, CODE);
    firsts.push(performance.now() - start);
    await engine.dispose();
  }
  const engine = await realEngine(options);
  try {
    await run(engine, CODE);
    const starts: number[] = [];
    const opening = async () => {
      await warm(engine, 1);
      const start = performance.now();
      const held = await engine.openSession('python', OWNER);
      if (!held.ok) throw new Error(held.error.message);
      await warm(engine, 1);
      starts.push(performance.now() - start);
      await engine.closeSession(held.value.id);
    };
    for (let count = 0; count < STARTS; count += 1) await opening();
    const runs: number[] = [];
    for (let count = 0; count < STARTS; count += 1) {
      await warm(engine, 1);
      runs.push((await time(1, () => run(engine, CODE), 0)).median);
    }
    return { first: timing(firsts), starts: timing(starts), runs: timing(runs) };
  } finally {
    await engine.dispose();
  }
}
