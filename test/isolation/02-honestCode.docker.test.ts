import { describe, expect, it } from 'vitest';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, look, run } from './harness.ts';

/** Ordinary code; each example ends with its findings in `seen`. */
const HONEST: Readonly<Record<string, readonly [code: string, seen: unknown]>> = {
  NumPy: [
    'import numpy as n\na = n.random.rand(300, 300)\nseen = bool(n.allclose(a @ n.linalg.inv(a), n.eye(300)))',
    true,
  ],
  pandas: [
    `
import io, pandas as p
frame = p.DataFrame({"k": ["a", "b", "a"], "v": [1, 2, 3]})
frame.to_csv("f.csv", index=False); frame.to_pickle("f.pkl"); frame.to_json("f.json")
same = p.read_csv("f.csv").equals(frame) and p.read_pickle("f.pkl").equals(frame)
seen = [same, p.read_json("f.json").groupby("k").v.sum().to_dict()]`,
    [true, { a: 4, b: 2 }],
  ],
  Matplotlib: [
    `
import matplotlib.pyplot as plot
plot.hist([1, 2, 2, 3]); plot.title("$\\\\sqrt{x}$")
for kind in ("png", "svg", "pdf"): plot.savefig("f." + kind)
plot.close()
seen = [open("f." + kind, "rb").read(4).hex() for kind in ("png", "pdf")]`,
    ['89504e47', '25504446'],
  ],
  'scikit-learn, with worker processes': [
    `
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
data = load_iris()
model = RandomForestClassifier(20, random_state=0)
seen = bool(cross_val_score(model, data.data, data.target, n_jobs=2).mean() > 0.9)`,
    true,
  ],
  SymPy: ['from sympy import *\nx = symbols("x")\nseen = str(integrate(exp(-x**2), (x, -oo, oo)))', 'sqrt(pi)'],
  'multiprocessing, in every way': [
    `
import multiprocessing as m, operator
from multiprocessing import shared_memory
seen = []
for way in ("fork", "spawn", "forkserver"):
    with m.get_context(way).Pool(2) as pool: seen.append(pool.map(operator.neg, [1, 2, 3]))
memory = shared_memory.SharedMemory(create=True, size=4096); memory.buf[0] = 7
again = shared_memory.SharedMemory(memory.name); seen.append(again.buf[0]); again.close(); memory.close(); memory.unlink()
with m.Manager() as manager: seen.append(len(manager.list([1, 2])))`,
    [...Array(3).fill([-1, -2, -3]), 7, 2],
  ],
  threads: [
    `
import concurrent.futures as c, threading
with c.ThreadPoolExecutor(20) as pool: seen = sum(pool.map(abs, range(-500, 0)))
with c.ProcessPoolExecutor(2) as pool: seen += sum(pool.map(abs, range(-500, 0)))`,
    250_500,
  ],
  programs: [
    `
import os, signal, subprocess
seen = [subprocess.run(["sh", "-c", "seq 3 | sort -r | head -1"], capture_output=True, text=True).stdout]
seen.append(os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn("/bin/false", ["false"], {}), 0)[1]))
sleeper = subprocess.Popen(["sleep", "60"], start_new_session=True, preexec_fn=lambda: os.nice(5))
try: sleeper.wait(0.01)
except subprocess.TimeoutExpired: os.killpg(sleeper.pid, signal.SIGTERM)
seen.append(sleeper.wait())
child = os.pidfd_open(os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "60"))
signal.pidfd_send_signal(child, signal.SIGKILL)
seen.append(os.waitid(os.P_PIDFD, child, os.WEXITED).si_status)`,
    ['3\n', 1, -15, 9],
  ],
  asyncio: [
    `
import asyncio
async def serve(reader, writer):
    writer.write((await reader.readline()).upper()); await writer.drain(); writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"hello\\n")
    program = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    said = [(await reader.read()).decode(), (await program.communicate(b"cat"))[0].decode()]
    said.append(await asyncio.to_thread(lambda: "thread"))
    async with asyncio.timeout(5): await asyncio.sleep(0.01)
    server.close()
    return said
seen = await main()`,
    ['HELLO\n', 'cat', 'thread'],
  ],
  'files of every kind': [
    `
import fcntl, mmap, os, shutil, sqlite3, tempfile, zipfile
os.mkfifo("fifo"); os.symlink("fifo", "link"); os.link("fifo", "hard"); os.chmod("fifo", 0o600, follow_symlinks=True)
base = sqlite3.connect("base.db"); base.execute("pragma journal_mode=wal"); base.execute("create table t (x)")
base.execute("insert into t values (1)"); base.commit()
with open("map", "w+b") as file:
    os.posix_fallocate(file.fileno(), 0, 8192); os.fsync(file.fileno()); fcntl.flock(file, fcntl.LOCK_EX)
    with mmap.mmap(file.fileno(), 0) as view: view[:3] = b"abc"; view.flush()
os.setxattr("map", "user.note", b"n")
with open("map", "rb") as one, open("copy", "wb") as two: os.sendfile(two.fileno(), one.fileno(), 0, 3)
with open("map", "rb") as one, open("copy2", "wb") as two: os.copy_file_range(one.fileno(), two.fileno(), 3)
memory = os.memfd_create("m"); os.write(memory, b"x"); os.truncate("map", 5); os.utime("map", (1, 2))
os.makedirs("a/b"); shutil.copytree("a", "c"); shutil.make_archive("z", "zip", "a"); os.rename("a", "d"); shutil.rmtree("d")
with tempfile.NamedTemporaryFile() as file: file.write(b"t")
seen = [base.execute("select x from t").fetchall()[0][0], open("copy").read(), open("copy2").read(), os.stat("map").st_mtime]`,
    [1, 'abc', 'abc', 2],
  ],
  'clocks, limits and signals': [
    `
import os, resource, select, signal, socket, threading, time
ticks = []
signal.signal(signal.SIGALRM, lambda *_: ticks.append(1)); signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(0.05)
resource.setrlimit(resource.RLIMIT_NOFILE, (512, 1024))
os.sched_setaffinity(0, os.sched_getaffinity(0)); os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
one, two = socket.socketpair(); socket.send_fds(one, [b"f"], [0]); received = socket.recv_fds(two, 1, 1)
poll = select.epoll(); poll.register(one, select.EPOLLOUT)
names = [line.split(":")[0].strip() for line in open("/proc/net/dev").read().splitlines()[2:]]
seen = [len(ticks), len(received[1]), len(poll.poll(0)), names, len(os.getrandom(8)), os.cpu_count() > 0, bool(os.times())]`,
    [1, 1, 1, ['lo'], 8, true, true],
  ],
};

const isolated = fileFixture(() => isolationEngine({ limits: { memoryMb: 768 } }));

describe('row 2: honest code that the profile must not block', () => {
  it.each(Object.entries(HONEST))('%s', async (_, [code, seen]) => {
    expect(await look(isolated, code)).toEqual(seen);
  });

  it('IPython with its history and its magics', async () => {
    const program = `python3 -m IPython --no-banner --quick -c "get_ipython().run_line_magic('timeit', '-n1 -r1 1+1')"`;
    const result = await run(
      isolated,
      `import subprocess\nsubprocess.run(${JSON.stringify(program)}, shell=True, check=True)`,
    );
    expect(result).toMatchObject({ status: 'ok', stdout: expect.stringContaining('per loop') });
  });
});
