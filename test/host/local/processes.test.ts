import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { childrenOf, searchChildrenOf, startOf } from '../../../src/host/local/processes.ts';

const onLinux = it.runIf(process.platform === 'linux');

onLinux('finds the children of a process, where the kernel lists them and where it does not', async () => {
  const parent = spawn('sh', ['-c', 'sleep 60 & sleep 60 & echo $!; wait'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const { pid = 0 } = parent;
  try {
    const [last] = await once(parent.stdout, 'data');
    const children = await childrenOf(pid);
    expect(children).toHaveLength(2);
    expect(children).toContain(Number(last));
    expect(new Set(await searchChildrenOf(pid))).toEqual(new Set(children));
  } finally {
    process.kill(-pid, 'SIGKILL');
  }
  await once(parent, 'exit');
  expect([await childrenOf(pid), await startOf(pid)]).toEqual([[], null]);
});
