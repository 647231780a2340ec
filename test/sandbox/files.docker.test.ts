import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FILE_WINDOW_BYTES } from '../../src/protocol/fileMessages.ts';
import type { FileError } from '../../src/sandbox/files/fileError.ts';
import { SandboxFiles } from '../../src/sandbox/files/sandboxFiles.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { once, realSandbox } from '../languages/python/harness.ts';
import { isOnLocalHost } from '../testHost.ts';

const MB = 1 << 20;
const WORKSPACE_BYTES = 256 * MB;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await realSandbox(MB, { memoryBytes: 512 * MB, workspaceBytes: WORKSPACE_BYTES });
});
afterAll(() => sandbox.dispose());
afterEach(async () => {
  expect(await sandbox.reset(10_000)).toMatchObject({ clean: true });
});

const open = () => new SandboxFiles(sandbox);
const python = async (code: string) => (await once(sandbox, code)).stdout;

/** Pseudo-random pieces of odd sizes, `bytes` together. */
async function* pieces(bytes: number) {
  const block = Buffer.from(Array.from({ length: 997 }, (_, index) => (index * index) % 251));
  const piece = Buffer.concat(Array(333).fill(block));
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
}

/** Reads to the end. */
async function restOf(reading: AsyncIterator<unknown>): Promise<'all'> {
  while (!(await reading.next()).done);
  return 'all';
}

/** The most memory that this process has while something happens, beyond what it has before, in bytes. */
async function growthDuring(act: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  await act();
  clearInterval(timer);
  return most - before;
}

describe('a large file', () => {
  const BYTES = 200 * MB;

  it('passes in and out in bounded memory', async () => {
    const sent = createHash('sha256');
    const received = createHash('sha256');
    async function* hashed() {
      for await (const piece of pieces(BYTES)) {
        sent.update(piece);
        yield piece;
      }
    }
    // Code and buffers that every transfer needs.
    await open().put('first', pieces(8 * MB));
    const growth = await growthDuring(async () => {
      expect(await open().put('large', hashed())).toMatchObject({ size: BYTES });
      const { content, size } = await open().get('large');
      expect(size).toBe(BYTES);
      for await (const chunk of content) received.update(chunk);
    });
    expect(received.digest('hex')).toBe(sent.digest('hex'));
    expect(growth).toBeLessThan(64 * MB);
  });

  it('waits in the sandbox for a slow reader, and blocks nothing else', async () => {
    await open().put('large', pieces(BYTES));
    const { processes } = await sandbox.measure();
    const unread = await Promise.all(Array.from({ length: 6 }, () => open().get('large')));
    const growth = await growthDuring(async () => {
      for (const { content } of unread) content.read(1);
      for (let run = 0; run < 3; run += 1) expect(await python('print(1)')).toBe('1\n');
      const files = open();
      expect(await files.stat('large')).toMatchObject({ size: BYTES });
      files.close();
    });
    expect(growth).toBeLessThan(64 * MB);
    for (const { content } of unread) expect(content.readableLength).toBeLessThanOrEqual(2 * FILE_WINDOW_BYTES);
    for (const { content } of unread) content.destroy();
    await expect.poll(async () => (await sandbox.measure()).processes).toBeLessThanOrEqual(processes);
  });
});

describe('names', () => {
  it('of every kind are listed, read, reported and removed', async () => {
    const code = [
      'import os',
      'names = [b"new\\nline", b"\\xff\\xfe", b"x" * 255, "\\u00e4\\U0001f600".encode(), b"\\x1b[31m", b"-rf", b"..."]',
      'for name in names: open(b"/workspace/" + name, "wb").write(name)',
      'print(len(names))',
    ].join('\n');
    const count = Number(await python(code));
    const files = open();
    const { entries } = await files.list('');
    expect(entries).toHaveLength(count);
    expect((await files.changes('0', 100)).count).toBe(count);
    for (const { path } of entries) {
      const { content } = await open().get(path);
      expect((await content.toArray()).length).toBe(1);
      expect(await files.remove(path)).toMatchObject({ files: 1 });
    }
    expect((await files.list('')).entries).toEqual([]);
  });

  it('deeper than any path are counted and removed', async () => {
    const code = [
      'import os',
      'for _ in range(1000):',
      '    os.mkdir("d" * 200)',
      '    os.chdir("d" * 200)',
      'os.chmod(".", 0)',
    ].join('\n');
    await python(code);
    const files = open();
    expect(await files.list('', { recursive: true })).toMatchObject({ folders: 20, skipped: 1, next: null });
    expect(await files.remove('d'.repeat(200), true)).toMatchObject({ folders: 1000 });
  });

  it('of links, pipes and sockets are listed and never read', async () => {
    const code = [
      'import os, socket',
      'os.symlink("/etc", "link"); os.symlink("/proc/1/root", "magic"); os.symlink("link", "again"); os.mkfifo("pipe")',
      'socket.socket(socket.AF_UNIX).bind("socket")',
      'open("one", "w").write("x"); os.link("one", "two")',
    ].join('\n');
    await python(code);
    const files = open();
    const types = (await files.list('')).entries.map(({ path, type }) => `${path} ${type}`);
    expect(types).toEqual([
      'again link',
      'link link',
      'magic link',
      'one file',
      'pipe other',
      'socket other',
      'two file',
    ]);
    for (const path of ['link', 'link/passwd', 'magic/etc/passwd', 'again/passwd']) {
      await expect(files.get(path)).rejects.toMatchObject({ kind: 'outside_workspace' });
      await expect(files.put(`${path}/x`, 'x')).rejects.toMatchObject({ kind: 'outside_workspace' });
    }
    for (const path of ['pipe', 'socket']) await expect(files.get(path)).rejects.toMatchObject({ kind: 'not_a_file' });
    expect(await files.stat('one')).toMatchObject({ links: 2 });
    await files.put('one', 'new');
    expect(await python('print(open("one").read(), open("two").read())')).toBe('new x\n');
  });
});

describe('a full workspace', () => {
  it('rejects a file of known size before half of it is written', async () => {
    const files = open();
    await files.put('kept', 'x');
    await expect(files.put('large', Buffer.alloc(WORKSPACE_BYTES))).rejects.toMatchObject({ kind: 'no_space' });
    expect((await files.list('')).entries).toHaveLength(1);
  });

  it('ends a stream that does not fit, keeps the file to replace, and leaves nothing else', async () => {
    const files = open();
    await files.put('kept', 'x');
    await expect(files.put('kept', pieces(2 * WORKSPACE_BYTES))).rejects.toMatchObject({ kind: 'no_space' });
    expect(await python('import os; print(os.listdir(), open("kept").read())')).toBe("['kept'] x\n");
  });

  it('has no room for more files than it has inodes', async () => {
    await python('import itertools\nfor i in itertools.count(): open(str(i), "w").close()');
    await expect(open().put('one more', 'x')).rejects.toMatchObject({ kind: 'no_space' });
    expect((await open().stat('')).contents?.files).toBe(WORKSPACE_BYTES / (16 * 1024) - 1);
  });

  // What is left of the memory is known from the cgroup of the sandbox.
  it.skipIf(isOnLocalHost)('keeps the memory of running code', async () => {
    const holding = once(
      sandbox,
      'b = bytearray(330 << 20); print("up", flush=True); import time; time.sleep(4); print(len(b))',
    );
    await expect.poll(async () => (await sandbox.measure()).memoryBytes).toBeGreaterThan(330 * MB);
    await expect(open().put('large', pieces(200 * MB))).rejects.toMatchObject({ kind: 'no_space' });
    expect(await holding).toMatchObject({ status: 'ok', stdout: `up\n${330 * MB}\n` });
  });
});

describe('user code during a request', () => {
  it('can neither read nor trace its process, and can end only that process', async () => {
    await open().put('large', pieces(20 * MB));
    const { content } = await open().get('large');
    const reading = content[Symbol.asyncIterator]();
    await reading.next();
    const attack = [
      'import os',
      'own = {1, os.getpid(), os.getppid()}',
      'for pid in sorted(int(name) for name in os.listdir("/proc") if name.isdigit()):',
      '    if pid in own: continue',
      '    for name in ("mem", "fd/0", "fd/1", "environ", "maps"):',
      '        try: os.close(os.open(f"/proc/{pid}/{name}", os.O_RDWR if name == "mem" else os.O_RDONLY)); print(pid, name)',
      '        except OSError: pass',
      '    try: os.kill(pid, 9)',
      '    except OSError: pass',
    ].join('\n');
    // Where runs may signal the agent's processes they can end them, and with the first of them the sandbox.
    const { stdout, status } = await once(sandbox, attack);
    expect([stdout, ['ok', 'sandbox_lost']]).toEqual(['', expect.arrayContaining([status])]);
    const end = await restOf(reading).catch(({ kind }: FileError) => kind);
    expect(['all', 'sandbox_lost']).toContain(end);
    await sandbox.dispose();
    sandbox = await realSandbox(MB, { memoryBytes: 512 * MB, workspaceBytes: WORKSPACE_BYTES });
  });

  it('that shortens a file while it is read ends the stream with an error', async () => {
    await open().put('large', pieces(20 * MB));
    const { content } = await open().get('large');
    const reading = content[Symbol.asyncIterator]();
    await reading.next();
    await python('open("large", "w").close()');
    await expect(restOf(reading)).rejects.toMatchObject({ kind: 'changed' });
  });
});

describe('a put that is cancelled', () => {
  it('leaves neither a file nor a process', async () => {
    const files = open();
    let isUnderWay = () => {};
    const underWay = new Promise<void>((resolve) => {
      isUnderWay = resolve;
    });
    async function* endless() {
      yield Buffer.alloc(4 * MB);
      isUnderWay();
      yield* pieces(WORKSPACE_BYTES);
    }
    const putting = expect(files.put('large', endless())).rejects.toMatchObject({ kind: 'sandbox_lost' });
    await underWay;
    files.close();
    await putting;
    // Its process may still be ending.
    await expect.poll(() => python('import os; print(os.listdir())')).toBe('[]\n');
    await expect.poll(async () => (await sandbox.measure()).processes).toBeLessThanOrEqual(3);
  });
});
