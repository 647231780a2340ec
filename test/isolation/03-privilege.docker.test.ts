import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOf, inspectContainer, removeImages } from '../host/docker/inspect.ts';
import { isOnLocalHost } from '../testHost.ts';
import { type Isolated, isolationEngine, look, sandboxes } from './harness.ts';

const TAG = `hothouse-test/setuid:${process.pid}`;
const LABEL = 'dev.hothouse.test=setuid';
// Root's own programs, as a careless image has them: one changes the user, one the group.
const DOCKERFILE = `
FROM hothouse/python:latest
LABEL ${LABEL}
USER root
RUN cp /usr/bin/python3 /usr/bin/user-root && chmod 4755 /usr/bin/user-root && \\
    cp /usr/bin/python3 /usr/bin/group-root && chmod 2755 /usr/bin/group-root`;

const STATUS = `
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
names = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Uid", "Gid", "Groups")`;
const IN_CODE = `${STATUS}
seen = {name: status[name].split() for name in names}`;
const IN_PROGRAM = `
import json, subprocess
script = '''${STATUS}
import json
print(json.dumps({name: status[name].split() for name in names}))'''
seen = json.loads(subprocess.check_output(["python3", "-c", script]))`;
const NONE = ['0000000000000000'];
const sealed = (user: number) => ({
  ...{ CapInh: NONE, CapPrm: NONE, CapEff: NONE, CapBnd: NONE, CapAmb: NONE, NoNewPrivs: ['1'] },
  ...{ Uid: Array(4).fill(`${user}`), Gid: Array(4).fill(`${user}`), Groups: isOnLocalHost ? [] : [`${user}`] },
});
/** The id of the user that the only sandbox runs as. */
async function userOf(isolated: Isolated): Promise<number> {
  if (isOnLocalHost) return Number(await look(isolated, 'import os\nseen = os.getuid()'));
  const [id = ''] = sandboxes(isolated);
  return idOf((await inspectContainer(id)).Config.User);
}

const GAIN = `
import json, subprocess
ask = '''
import json, os
gained = []
for step in (lambda: os.setresuid(0, 0, 0), lambda: os.setresgid(0, 0, 0), lambda: os.setgroups([0]),
             lambda: os.chown("/workspace", 0, 0), lambda: os.mknod("/tmp/device", 0o020666, os.makedev(1, 1))):
    try: step(); gained.append("a step")
    except OSError: pass
print(json.dumps([os.stat(PROGRAM).st_uid, oct(os.stat(PROGRAM).st_mode & 0o7000), os.getresuid(), os.getresgid(), gained]))
'''
seen = {}
for program in ("user-root", "group-root"):
    path = "/usr/bin/" + program
    script = "PROGRAM = %r\\n%s" % (path, ask)
    seen[program] = json.loads(subprocess.check_output([path, "-c", script]))`;

const SETUID_FILES = `
import os
seen = []
for folder, _, names in os.walk("/"):
    if folder.startswith(("/proc", "/sys")): continue
    for name in names:
        path = os.path.join(folder, name)
        if os.lstat(path).st_mode & 0o6000 and not os.path.islink(path): seen.append(path)`;

const UNTRUSTING = `
seen = [line.split()[4] for line in open("/proc/self/mountinfo") if "nosuid" not in line.split()[5].split(",")]`;

describe('row 3: privilege', () => {
  let isolated: Isolated;
  beforeAll(async () => {
    isolated = await isolationEngine();
  });
  afterAll(() => isolated.dispose());

  it.each([
    ['code', IN_CODE],
    ['a program that it starts', IN_PROGRAM],
  ])('gives %s no capability and no way to gain one', async (_, code) => {
    const seen = await look(isolated, code);
    const user = await userOf(isolated);
    expect(user).toBeGreaterThan(50_000);
    expect(seen).toEqual(sealed(user));
  });

  // Without a container engine /usr is the machine's own.
  it.skipIf(isOnLocalHost)('has no setuid or setgid file in its image', async () => {
    expect(await look(isolated, SETUID_FILES)).toEqual([]);
  });

  it.runIf(isOnLocalHost)('has no mount whose setuid files have an effect', async () => {
    expect(await look(isolated, UNTRUSTING)).toEqual([]);
  });
});

describe.skipIf(isOnLocalHost)('row 3: an image with setuid files', () => {
  let careless: Isolated;
  beforeAll(async () => {
    const building = promisify(execFile)('docker', ['build', '--network=none', `--tag=${TAG}`, '-']);
    building.child.stdin?.end(DOCKERFILE);
    await building;
    careless = await isolationEngine({ python: { image: TAG } });
  });
  afterAll(async () => {
    await careless.dispose();
    await removeImages(TAG, LABEL);
  });

  it('gives code nothing', async () => {
    const gained = await look(careless, GAIN);
    const ids = Array(3).fill(await userOf(careless));
    expect(gained).toEqual({
      'user-root': [0, '0o4000', ids, ids, []],
      'group-root': [0, '0o2000', ids, ids, []],
    });
  });
});
