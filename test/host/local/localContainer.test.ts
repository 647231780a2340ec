import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { HostError } from '../../../src/host/host.ts';
import { LocalContainer } from '../../../src/host/local/localContainer.ts';

const SURROUNDINGS = { volumes: new Map(), compiled: async (agent: Buffer) => agent, cleanUp: async () => {} };

/** Starts a shell in place of bubblewrap, which has ended before any process below it was seen. */
const startOf = (script: string) => LocalContainer.start('id', { program: 'sh', args: ['-c', script] }, SURROUNDINGS);

it.runIf(process.platform === 'linux')('tells a program that ends at once from a bubblewrap that fails', async () => {
  const container = await startOf('echo it is broken >&2; exit 3');
  expect(await container.ended).toMatchObject({ exitCode: 3, reason: 'its first process ended with status 3' });
  expect(await text(container.stderr)).toBe('it is broken\n');
  expect(await container.isRunning()).toBe(false);
  await container.remove();
  const failed = startOf('echo "bwrap: Can\'t find source path /nothing" >&2; exit 1');
  await expect(failed).rejects.toThrow(HostError);
  await expect(failed).rejects.toThrow("Bubblewrap cannot start a process: bwrap: Can't find source path /nothing");
});
