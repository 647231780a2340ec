import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { homedir, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOnLocalHost } from '../testHost.ts';
import { type Isolated, isolationEngine, look } from './harness.ts';

const MARK = `canary${randomBytes(6).toString('hex')}`;
const each = (count: number, kind: string) => Array.from({ length: count }, (_, at) => `${MARK}-${kind}-${at}`);
/** Fifty in all. */
const VARIABLES = each(15, 'variable');
const FILES = each(20, 'file');
const SOCKETS = each(10, 'socket');
const ABSTRACT = each(5, 'abstract');

// Everything that can be read: names of files, what is in small ones, environments and command lines, sockets.
const SEARCH = `
import os, re
needle = re.compile((mark + r"-[a-z]+-\\w+").encode())
found = set()
def search(data): found.update(hit.decode() for hit in needle.findall(data))
def read(path):
    try:
        with open(path, "rb") as file: search(file.read(1 << 20))
    except OSError: pass
for folder, _, names in os.walk("/"):
    if folder.startswith("/sys"): continue
    search(("\\0".join([folder, *names])).encode("utf-8", "surrogateescape"))
    if folder.startswith(("/usr", "/proc", "/dev")): continue
    for name in names: read(os.path.join(folder, name))
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("environ", "cmdline", "maps", "mountinfo", "cgroup"): read("/proc/%s/%s" % (pid, name))
for name in ("net/unix", "net/tcp", "mounts", "cmdline", "keys", "sys/kernel/hostname"): read("/proc/" + name)
search(repr(os.environ).encode())
seen = sorted(found)`;

const PATHS = `
import os, socket
seen = [path for path in paths if os.path.lexists(path)]
for name in abstract:
    with socket.socket(socket.AF_UNIX) as link:
        if link.connect_ex("\\0" + name) == 0: seen.append(name)`;

const MACHINE = `
import os, socket
words = " ".join(open(path).read() for path in filter(os.path.exists, ("/etc/hostname", "/etc/hosts", "/etc/resolv.conf", "/proc/sys/kernel/hostname")))
seen = {"host": socket.gethostname(), "words": words,
    "sockets": [path for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd", "/run/podman") if os.path.exists(path)],
    "home": os.environ["HOME"], "disks": [line for line in open("/proc/mounts") if line.startswith("/dev/")
        and line.split()[1] not in ("/etc/resolv.conf", "/etc/hostname", "/etc/hosts", "/packages", "/view", "/run/.containerenv")]}
for name in ("packages", "view"):
    about = os.stat("/" + name)
    seen[name] = {"roots": [line.split()[3] for line in open("/proc/self/mountinfo") if line.split()[4] == "/" + name],
        "owner": [about.st_uid, about.st_gid], "writable": about.st_mode & 0o022, "files": os.listdir("/" + name)}`;

/** What a sandbox without a container engine may see of this machine's disks. */
const OF_THE_MACHINE =
  /^\/(usr|lib\w*|s?bin|environment|etc\/(alternatives|fonts|ld\.so\.(cache|conf|conf\.d)|localtime|R|mono))$/;

let isolated: Isolated;
let folders: string[];
const servers: Server[] = [];

const listen = async (at: string) => {
  const server = createServer().listen(at);
  await once(server, 'listening');
  servers.push(server);
};

beforeAll(async () => {
  for (const name of VARIABLES) process.env[name] = name;
  folders = await Promise.all(
    // An ordinary user may not write to the checkout.
    [homedir(), tmpdir(), '/dev/shm', isOnLocalHost ? '/var/tmp' : process.cwd()].map((base) =>
      mkdtemp(join(base, `.${MARK}-folder-`)),
    ),
  );
  // Readable for every user, so that only the container protects them.
  await Promise.all(folders.map((folder) => chmod(folder, 0o755)));
  const places = FILES.map((name, at) => join(folders[at % folders.length] ?? '', name));
  await Promise.all(places.map((place, at) => writeFile(place, FILES[at] ?? '')));
  // The path of a socket is short.
  const nested = join(folders[2] ?? '', 'run');
  await mkdir(nested);
  for (const name of SOCKETS) await listen(join(nested, name));
  for (const name of ABSTRACT) await listen(`\0${name}`);
  isolated = await isolationEngine();
});
afterAll(async () => {
  for (const name of VARIABLES) delete process.env[name];
  for (const server of servers) server.close();
  await isolated.dispose();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

describe('row 5: host leakage', () => {
  it('a search of all files finds none of fifty canaries', async () => {
    expect([VARIABLES, FILES, SOCKETS, ABSTRACT].flat()).toHaveLength(50);
    // The search finds what is there to be found.
    const own = `import os\nos.environ["X"] = open("x", "w").name\nopen("y", "w").write(mark + "-own-1")\n${SEARCH}`;
    // A machine's /usr has many files.
    const rest = { state: { mark: MARK }, timeoutSeconds: 150 };
    expect(await look(isolated, own, rest)).toEqual([`${MARK}-own-1`]);
    expect(await look(isolated, SEARCH, rest)).toEqual([]);
  });

  it('no path of a canary exists, and none of their sockets can be reached', async () => {
    const paths = [...folders, ...folders.flatMap((folder) => FILES.map((name) => join(folder, name)))];
    expect(await look(isolated, PATHS, { state: { paths, abstract: ABSTRACT } })).toEqual([]);
  });

  it("nothing reveals the machine's name, hosts file, disks or Docker", async () => {
    const seen = await look(isolated, MACHINE);
    expect(seen).toMatchObject({ host: 'sandbox', sockets: [], home: '/workspace' });
    // Volumes of Docker's, empty and not writable: nothing of the machine's own. Without a container engine they are folders.
    const root = isOnLocalHost ? /\/volumes\/[0-9a-f]{32}\/[01]$/ : /\/volumes\/[0-9a-f]{64}\/_data$/;
    const volume = { roots: [expect.stringMatching(root)], writable: 0, files: [] };
    expect(seen).toMatchObject({ packages: volume, view: volume });
    const { words, disks, packages } = seen as { words: string; disks: string[]; packages: { owner: number[] } };
    if (!isOnLocalHost) expect(packages.owner).toEqual([0, 0]);
    const mounts = disks.map((line) => line.split(' ')).map(([, at = '', , flags = '']) => [at, flags.split(',')[0]]);
    expect(mounts.filter(([at = '']) => !(isOnLocalHost && OF_THE_MACHINE.test(at)))).toEqual([]);
    expect(mounts.filter(([, flag]) => flag !== 'ro')).toEqual([]);
    expect(words).not.toContain(hostname());
    expect(words).not.toMatch(/^(search|domain)/m);
  });
});
