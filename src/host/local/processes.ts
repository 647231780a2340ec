import { readdir, readFile } from 'node:fs/promises';

/** When a process has started, in ticks since the start of the machine; null when there is none. Ids are used again. */
export async function startOf(pid: number): Promise<string | null> {
  const [state = '', ...fields] = await fieldsOf(pid);
  return state === '' || state === 'Z' || state === 'X' ? null : (fields[18] ?? null);
}

/** The processes that the main thread of a process has started. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => null);
  // Not every kernel lists them.
  return listed === null ? searchChildrenOf(pid) : listed.trim().split(' ').filter(Boolean).map(Number);
}

/** The same, for every thread of the process, by a look at all processes of the machine. */
export async function searchChildrenOf(pid: number): Promise<readonly number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(all.map(async (one) => ({ one, parent: (await fieldsOf(one))[1] })));
  return found.flatMap(({ one, parent }) => (parent === String(pid) ? [one] : []));
}

/** What the kernel says of a process, from its state on; empty when there is none. */
async function fieldsOf(pid: number): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The field before, a name, may have spaces and parentheses.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
