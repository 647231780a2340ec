import { afterEach, describe, expect, it } from 'vitest';
import { changedAgent } from './changedAgent.ts';
import { type Isolated, isolationEngine, OWNER, run } from './harness.ts';

const SWAPS = 10_000;
const SECRET = 'outside';

/** Swaps a folder and a link that leads out, until the file `stop` is there; then says how often. */
const SWAP = [
  'import os',
  'os.mkdir("/tmp/out"); open("/tmp/out/file", "w").write("outside")',
  'os.mkdir("a"); open("a/file", "w").write("inside")',
  'print("up", flush=True)',
  'count = 0',
  'while count < 10_000 or not os.path.exists("stop"):',
  '    os.rename("a", "b"); os.symlink("/tmp/out", "a")',
  '    os.unlink("a"); os.rename("b", "a")',
  '    count += 1',
  'print(count, sorted(os.listdir("/tmp/out")), open("/tmp/out/file").read())',
].join('\n');

const engines: Isolated[] = [];
afterEach(() => Promise.all(engines.splice(0).map((engine) => engine.dispose())));

/** Reads, writes and removes by the name that changes, and counts what came from outside; the code says what it found. */
async function race(agent?: Buffer): Promise<{ escapes: number; served: number; said: string }> {
  const isolated = await isolationEngine({}, agent ? { agent } : {});
  engines.push(isolated);
  const { engine } = isolated;
  const opened = await engine.openSession('python', OWNER);
  if (!opened.ok) throw new Error(opened.error.message);
  const sessionId = opened.value.id;
  const files = engine.files(sessionId);
  const swapping = run(isolated, SWAP, { sessionId, timeoutSeconds: 120 });
  let [escapes, served] = [0, 0];
  const isSwapping = async () => (await files.stat('/workspace/a')).ok || served > 0;
  while (!(await isSwapping()));
  const attack = async (worker: number) => {
    for (let round = 0; round < 60; round += 1) {
      const got = await files.get('a/file');
      if (got.ok) {
        const text = Buffer.concat(await got.value.content.toArray()).toString();
        served += 1;
        if (text === SECRET) escapes += 1;
      }
      const list = await files.list('a');
      if (list.ok) served += 1;
      const name = `a/put-${worker}-${round}`;
      if ((await files.put(name, 'put', { folders: false })).ok) served += 1;
      if ((await files.remove('a/file')).ok) await files.put('a/file', 'inside', { folders: false });
    }
  };
  await Promise.all([0, 1, 2].map(attack));
  await files.put('stop', '');
  return { escapes, served, said: (await swapping).stdout };
}

describe('a folder and a link that are swapped while files are put and read', () => {
  it('do not lead to the outside', async () => {
    const { escapes, served, said } = await race();
    expect(escapes).toBe(0);
    expect(served).toBeGreaterThan(50);
    const [, count, outside] = /^up\n(\d+) (.*)\n$/.exec(said) ?? [];
    expect(Number(count)).toBeGreaterThanOrEqual(SWAPS);
    expect(outside).toBe("['file'] outside");
  });

  it('do not lead to the outside where the kernel has no openat2', async () => {
    const code = 'def _openat2(*_):\n    raise OSError(errno.ENOSYS, "")';
    const { escapes, said } = await race(await changedAgent(code, 'contained'));
    expect([escapes, said.endsWith("['file'] outside\n")]).toEqual([0, true]);
  });

  it('lead to the outside where links are followed: the attack works', async () => {
    const { escapes, said } = await race(await changedAgent('_RESOLVE = 0', 'contained'));
    expect(escapes > 0 || !said.endsWith("['file'] outside\n")).toBe(true);
  });
});
