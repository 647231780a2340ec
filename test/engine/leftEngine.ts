import { writeSync } from 'node:fs';
import type { SessionRecord } from '../../src/engine/types.ts';
import { begin, identity, open, run, start, UNTIL_RELEASED } from './resumeBench.ts';

/** What the program does with its session before it says that it is ready. */
export type LeftWork = 'trial' | 'answer' | 'cell';

/** What the program prints, one JSON value a line. */
export type LeftEngineLine = { readonly record: SessionRecord } | { readonly ready: string };

function print(line: LeftEngineLine): void {
  // At once: the process may end in this turn of the event loop.
  writeSync(1, `${JSON.stringify(line)}\n`);
}

// An engine in a process of its own, with a session in which `x` is 1. Arguments: what it does, and the machine label and
// the owner of its containers.
const [, program, work, machine, owner] = process.argv;
if (program === import.meta.filename) {
  Object.assign(identity, { machine, owner });
  const bench = await start();
  const record = await open(bench);
  print({ record });
  const { engine } = bench;
  await run(engine, record.sessionId, 'x = 1');
  if (work === 'trial') {
    const loop = { code: 'open(f"copy-{__import__(\'os\').getpid()}", "w").close()\nwhile True: pass' };
    void engine.tryCode(record.sessionId, [loop, loop], { timeoutSeconds: 60 });
    const files = engine.files(record.sessionId);
    for (let count = 0; count < 2; ) {
      const listed = await files.list('');
      count = listed.ok ? listed.value.entries.filter(({ path }) => path.startsWith('copy-')).length : 0;
    }
    print({ ready: 'begun' });
  } else if (work === 'answer') {
    const { runId } = await run(engine, record.sessionId, 'x += 1; print(x)');
    print({ ready: runId });
    process.kill(process.pid, 'SIGKILL');
  } else {
    const { ended } = await begin(engine, record.sessionId, `${UNTIL_RELEASED}\nx += 1; print(x)`);
    print({ ready: 'begun' });
    print({ ready: (await ended).status });
  }
}
