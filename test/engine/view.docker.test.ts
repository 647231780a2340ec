import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VIEW_FOLDER } from '../../src/engine/files/types.ts';
import { type Isolated, isolationEngine, OWNER } from '../isolation/harness.ts';
import { isOnLocalHost } from '../testHost.ts';

let isolated: Isolated;
let session: string;
beforeAll(async () => {
  isolated = await isolationEngine();
  const opened = await isolated.engine.openSession('python', OWNER);
  if (!opened.ok) throw new Error(opened.error.message);
  session = opened.value.id;
});
afterAll(() => isolated.dispose());

const lines = (...code: string[]) => code.join('\n');
let time = 1_700_000_000_000;

/** The folder as the test has it: path → content. */
const folder = new Map<string, string | Buffer>();
const modified = new Map<string, number>();

function write(path: string, content: string | Buffer): void {
  folder.set(path, content);
  time += 1000;
  modified.set(path, time);
}

async function sync(signal?: AbortSignal) {
  const files = [...folder].map(([path, content]) => ({
    path,
    size: Buffer.byteLength(content),
    modifiedMs: modified.get(path) ?? 0,
    content: async function* () {
      yield Buffer.from(content);
    },
  }));
  return isolated.engine.view(session).sync(files, {}, signal);
}

async function run(code: string): Promise<string> {
  const result = await isolated.engine.run({ language: 'python', code, owner: OWNER, sessionId: session });
  return result.status === 'ok' ? result.stdout : `${result.error?.name}: ${result.error?.message}`;
}

it('shows files that the session reads and imports, and follows each change', async () => {
  write('data/sales.csv', 'month,total\n1,20\n');
  write('helpers.py', 'def double(x): return 2 * x\n');
  write('deep/er/note.txt', 'deep');
  expect(await sync()).toEqual({ ok: true, value: { put: 3, removed: 0, bytes: 49, isFirst: true } });
  expect(await run(`import os, sys; os.chdir("${VIEW_FOLDER}"); sys.path.insert(0, "${VIEW_FOLDER}")`)).toBe('');
  const code = lines(
    'import helpers, pandas as pd',
    'print(helpers.double(int(pd.read_csv("data/sales.csv").total.sum())), sorted(os.listdir()))',
  );
  expect(await run(code)).toBe("40 ['data', 'deep', 'helpers.py']\n");
  write('data/sales.csv', 'month,total\n1,21\n');
  expect(await sync()).toMatchObject({ value: { put: 1, removed: 0, isFirst: false } });
  expect(await run(code)).toBe("42 ['data', 'deep', 'helpers.py']\n");
  expect(await sync()).toMatchObject({ value: { put: 0, removed: 0 } });
});

it('sends changes while a cell runs', async () => {
  const code = lines(
    'import time',
    'for _ in range(300):',
    '    if os.path.exists("live.txt"): break',
    '    time.sleep(0.05)',
    'print(open("live.txt").read())',
  );
  const running = run(code);
  write('live.txt', 'arrived');
  expect(await sync()).toMatchObject({ ok: true });
  expect(await running).toBe('arrived\n');
});

it('refuses every change by the session, with a message that says where to write', async () => {
  for (const code of [
    'open("helpers.py", "a")',
    'open("new.txt", "w")',
    'os.remove("helpers.py")',
    'os.rename("helpers.py", "x.py")',
    'os.mkdir("data/x")',
    'os.chmod("helpers.py", 0o777)',
    `open("/view/x", "w")`,
  ]) {
    expect(await run(code), code).toMatch(
      /^(?:PermissionError|OSError): .*read-only view here\. Write to \/workspace/s,
    );
  }
  // Without a container engine it is a file of the same user, and says no more than the view shows.
  if (!isOnLocalHost) {
    expect(await run('os.listdir("/view/.new") if os.path.isdir("/view/.new") else open("/view/.index")')).toMatch(
      'PermissionError',
    );
  }
  expect(await run('open("/workspace/out.txt", "w").write("saved"); print(sorted(os.listdir()))')).toContain(
    'helpers.py',
  );
});

it('removes what is gone, keeps the rest, and leaves nothing of it anywhere', async () => {
  const large = randomBytes(3 * 1024 * 1024);
  write('data/large.bin', large);
  write('deep/secret.txt', 'once allowed');
  await sync();
  for (const path of ['deep/secret.txt', 'live.txt', 'deep/er/note.txt']) folder.delete(path);
  expect(await sync()).toMatchObject({ value: { put: 0, removed: 3, bytes: 0 } });
  const find = lines(
    `os.chdir("${VIEW_FOLDER}")`,
    'print(sorted(os.path.join(at, name) for at, _, names in os.walk(".") for name in names))',
    'print(os.path.getsize("data/large.bin"))',
  );
  expect(await run(find)).toBe(`['./data/large.bin', './data/sales.csv', './helpers.py']\n${large.length}\n`);
  write('data', 'a file now');
  folder.delete('data/sales.csv');
  folder.delete('data/large.bin');
  expect(await sync()).toMatchObject({ value: { put: 1, removed: 2 } });
  expect(await run(`os.chdir("${VIEW_FOLDER}"); print(sorted(os.listdir()), open("data").read())`)).toBe(
    "['data', 'helpers.py'] a file now\n",
  );
});

it('rejects paths that leave it, and sends everything again after a failure', async () => {
  write('../../etc/x', 'x');
  expect(await sync()).toMatchObject({ ok: false, error: { kind: 'outside_workspace' } });
  folder.delete('../../etc/x');
  const broken = {
    path: 'broken',
    size: 100,
    modifiedMs: 1,
    content: async function* () {
      yield Buffer.from('short');
    },
  };
  const failed = await isolated.engine.view(session).sync([broken]);
  expect(failed).toMatchObject({ ok: false, error: { kind: 'changed', message: expect.stringContaining('shorter') } });
  expect(await sync()).toMatchObject({ ok: true, value: { put: 2 } });
  expect(await run(`os.chdir("${VIEW_FOLDER}"); print(sorted(os.listdir()))`)).toBe("['data', 'helpers.py']\n");
  const huge = { ...broken, size: 1e15 };
  expect(await isolated.engine.view(session).sync([huge])).toMatchObject({ ok: false, error: { kind: 'no_space' } });
});

it('is gone with the sandbox, and another session has none', async () => {
  const other = await isolated.engine.openSession('python', OWNER);
  if (!other.ok) throw new Error(other.error.message);
  const code = 'import os; print(os.listdir("/view"))';
  const seen = await isolated.engine.run({ language: 'python', code, owner: OWNER, sessionId: other.value.id });
  expect(seen.stdout).toBe('[]\n');
  await isolated.engine.closeSession(other.value.id);
  expect(await isolated.engine.view(other.value.id).sync([])).toMatchObject({
    ok: false,
    error: { kind: 'unknown_session' },
  });
});
