import { writeFile } from 'node:fs/promises';
import { cell, installingEngine, openSession } from './installing.ts';
import { stallingHost } from './stallingHost.ts';

// An engine in a process of its own, to be killed by a test while it installs. Arguments: the label of what it makes, the
// index, the package, the file that gets the session's record, and after how many bytes a copy of packages into the session
// stops, if it is to stop; the process then prints a line.
const [machine = '', index = '', name = '', record = '', afterBytes = 'Infinity'] = process.argv.slice(2);

const engine = await installingEngine(
  machine,
  { packages: { index } },
  { save: (kept) => writeFile(record, JSON.stringify(kept)), remove: async () => {} },
  (host) => stallingHost(host, Number(afterBytes), () => process.stdout.write('stalled\n')),
);
const id = await openSession(engine);
await cell(engine, id, 'x = 41');
await cell(engine, id, `%pip install ${name}`);
