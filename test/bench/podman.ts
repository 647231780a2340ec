import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DEFAULT_OPTIONS } from '../../src/engine/options.ts';
import { OWNER, PYTHON_ALONE, realEngine, run, SETTLE_MS } from './engine.ts';
import type { Measured, Row } from './report.ts';
import { type Timing, time } from './stats.ts';

const IMAGE = DEFAULT_OPTIONS.python.image;
const CODES = ['print(1)', 'import numpy, pandas'] as const;
const PACE_MS = 25;

/** Measures runs and session cells on Podman beside `podman exec` of the same. Null where DOCKER_HOST names no Podman. */
export async function measurePodman(): Promise<Measured | null> {
  const podman = await podmanOf(process.env.DOCKER_HOST);
  if (!podman) {
    console.error('The part podman was left out. Set DOCKER_HOST to the socket of a Podman that has the Python image.');
    return null;
  }
  const ours = await byHothouse();
  return { rows: [...ours, ...(await byExec(podman))], figures: {} };
}

type Podman = (...args: string[]) => Promise<string>;

/** Podman's own client for the service at an address; null where none answers there. */
async function podmanOf(address: string | undefined): Promise<Podman | null> {
  if (!address) return null;
  const podman: Podman = async (...args) => {
    const { stdout } = await promisify(execFile)('podman', ['--remote', '--url', address, ...args]);
    return stdout.trim();
  };
  return podman('image', 'inspect', IMAGE).then(
    () => podman,
    () => null,
  );
}

async function byHothouse(): Promise<Row[]> {
  const engine = await realEngine({}, PYTHON_ALONE);
  try {
    const session = await engine.openSession('python', OWNER);
    if (!session.ok) throw new Error(session.error.message);
    const rows: Row[] = [];
    for (const code of CODES) {
      await run(engine, code);
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      rows.push(
        {
          what: 'Hothouse, Podman, one-shot, back to back',
          code,
          timing: await time(100, () => run(engine, code), 10),
        },
        {
          what: `Hothouse, Podman, one-shot, every ${PACE_MS} ms`,
          code,
          timing: await time(100, () => run(engine, code), 10, PACE_MS),
        },
        {
          what: 'Hothouse, Podman, session cell',
          code,
          timing: await time(200, () => run(engine, code, session.value.id), 20),
        },
      );
    }
    return rows;
  } finally {
    await engine.dispose();
  }
}

async function byExec(podman: Podman): Promise<Row[]> {
  // Without limits of its own a container gets some that only a machine's full root may set.
  const limits = ['--ulimit', 'nproc=64:64', '--ulimit', 'nofile=1024:1024'];
  const id = await podman('run', '--detach', '--rm', '--network', 'none', ...limits, IMAGE, 'sleep', '600');
  const timing = (code: string): Promise<Timing> => time(15, () => podman('exec', id, 'python3', '-c', code), 1);
  try {
    const rows: Row[] = [];
    for (const code of CODES) rows.push({ what: 'podman exec python3 -c', code, timing: await timing(code) });
    return rows;
  } finally {
    await podman('rm', '--force', '--time', '0', id);
  }
}
