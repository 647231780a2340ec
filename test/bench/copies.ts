import type { Engine } from '../../src/engine/types.ts';
import { OWNER, run } from './engine.ts';
import type { Row } from './report.ts';
import { time, timing } from './stats.ts';

/** Written to, so that each page is the session's own. */
const DATA = 'import time; data = bytearray(b"x") * 100_000_000';
/** When its code runs, by the clock that this process has too. Milliseconds. */
const CODE = 'time.time() * 1000';
const MOST = 20;

/** Copies of a session with 100 MB of data: until their code runs, and until they have ended. */
export async function copyRows(engine: Engine): Promise<Row[]> {
  const opened = await engine.openSession('python', OWNER);
  if (!opened.ok) throw new Error(opened.error.message);
  const { id } = opened.value;
  await run(engine, DATA, id);
  const begun: number[] = [];
  const attempt = async (count: number) => {
    const calledAt = Date.now();
    const tried = await engine.tryCode(id, Array(count).fill({ code: CODE }));
    if (!tried.ok) throw new Error(tried.error.message);
    for (const { result } of tried.value.candidates) {
      if (result.status !== 'ok') throw new Error(`${CODE}: ${result.status} ${result.error?.message}`);
      begun.push(Number(result.result?.['text/plain']) - calledAt);
    }
  };
  const one = await time(100, () => attempt(1), 5);
  const fork = timing(begun.splice(0));
  const many = await time(20, () => attempt(MOST), 2);
  await engine.closeSession(id);
  return [
    { what: 'Hothouse, fork of a session with 100 MB of data', code: 'time.time()', timing: fork },
    { what: 'the same, with the result and the end of the copy', code: 'time.time()', timing: one },
    { what: `the same, ${MOST} copies side by side`, code: 'time.time()', timing: many },
  ];
}
