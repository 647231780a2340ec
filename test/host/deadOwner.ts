import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { LEASES } from '../../src/host/lease.ts';

const LEASE_TS = new URL('../../src/host/lease.ts', import.meta.url).href;

/** The lease of a process that was killed while it held it. */
export async function deadOwner(folder = LEASES): Promise<string> {
  const { child, id } = await leaseHolder(folder);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return id;
}

/** A process that holds a lease until it is killed. */
export async function leaseHolder(folder = LEASES) {
  const program = `
    const { holdLease } = await import(${JSON.stringify(LEASE_TS)});
    process.stdout.write(await holdLease(${JSON.stringify(folder)}));
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [id]: [Buffer] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, id: id.toString() };
}
