import { writeFile } from 'node:fs/promises';
import { cell, installingEngine, openSession } from './installing.ts';

// An engine in a process of its own, to be killed by a test while it installs. Arguments: the label of what it makes, the
// index, the package, and the file that gets the session's record.
const [machine = '', index = '', name = '', record = ''] = process.argv.slice(2);

const engine = await installingEngine(
  machine,
  { packages: { index } },
  { save: (kept) => writeFile(record, JSON.stringify(kept)), remove: async () => {} },
);
const id = await openSession(engine);
await cell(engine, id, 'x = 41');
await cell(engine, id, `%pip install ${name}`);
