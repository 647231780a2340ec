import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { createOptions } from '../../../src/host/docker/createOptions.ts';
import { dockerHost } from '../../../src/host/docker/dockerHost.ts';
import type { Container, HostWithImages } from '../../../src/host/host.ts';
import { LABEL } from '../../../src/host/labels.ts';
import type { ContainerSpec } from '../../../src/host/spec.ts';
import { PROTOCOL_VERSION } from '../../../src/protocol/messages.ts';
import { handshake, ownSpec, problemOf } from '../../contract/hostContract.ts';
import { idOf, inspectContainer, removeContainer, removeImages, volumesWith } from './inspect.ts';

describe('a container on Docker', () => {
  let host: HostWithImages;
  const made: Container[] = [];
  const create = async (spec: ContainerSpec) => {
    const container = await host.create(spec);
    made.push(container);
    return container;
  };
  /** A container that runs `program` instead of the agent. */
  const run = (...program: string[]) => create({ ...ownSpec(), argv: ['python3', '-c', program.join('\n')] });

  beforeEach(() => {
    host = dockerHost({ env: process.env, home: homedir(), log: silentLog });
  });
  afterEach(async () => {
    await Promise.all(made.splice(0).map((container) => container.remove()));
    await host.dispose();
  });

  it('has every option of the policy', async () => {
    const spec = ownSpec();
    const container = await create(spec);
    const { Config, HostConfig } = await inspectContainer(container.id);
    const { HostConfig: wantedHost, Labels, ...wanted } = createOptions(spec, idOf(Config.User));
    // Docker shows an empty list or map as missing.
    const isEmpty = (value: unknown) => typeof value === 'object' && Object.keys(value ?? {}).length === 0;
    const pairs: (readonly [object, Readonly<Record<string, unknown>>])[] = [
      [wantedHost ?? {}, HostConfig],
      [wanted, Config],
    ];
    for (const [given, shown] of pairs) {
      for (const [option, value] of Object.entries(given))
        expect({ [option]: shown[option] ?? (isEmpty(value) ? value : undefined) }).toEqual({ [option]: value });
    }
    expect(Config.Labels).toMatchObject({ ...Labels });
    // Options outside the policy have their safe defaults.
    for (const open of [
      'Binds',
      'CapAdd',
      'Devices',
      'DeviceCgroupRules',
      'GroupAdd',
      'VolumesFrom',
      'PidMode',
      'UTSMode',
      'UsernsMode',
    ]) {
      expect({ [open]: HostConfig[open] || null }).toEqual({ [open]: Array.isArray(HostConfig[open]) ? [] : null });
    }
  });

  it('is sealed when seen from inside', async () => {
    const container = await run(
      'import json, resource as r',
      'status = dict(l.split(":\\t") for l in open("/proc/self/status").read().splitlines() if ":\\t" in l)',
      'mounts = {l.split()[1]: sorted(l.split()[3].split(",")) for l in open("/proc/mounts")}',
      'limits = [r.getrlimit(x) for x in (r.RLIMIT_CORE, r.RLIMIT_NOFILE, r.RLIMIT_MSGQUEUE)]',
      'print(json.dumps({"status": status, "mounts": mounts, "limits": limits, "net": open("/proc/net/dev").read()}))',
    );
    const seen = JSON.parse(Buffer.concat(await container.stdout.toArray()).toString());
    expect(seen.status).toMatchObject({ CapEff: '0000000000000000', CapBnd: '0000000000000000', NoNewPrivs: '1' });
    expect(seen.status.Uid).toBe(Array(4).fill(seen.status.Groups.trim()).join('\t'));
    expect(seen.status).toMatchObject({ Gid: seen.status.Uid, Seccomp: '2' });
    expect(Number(seen.status.Groups)).toBeGreaterThanOrEqual(10_000);
    expect(seen.limits).toEqual([
      [1, 1],
      [1024, 1024],
      [0, 0],
    ]);
    expect(seen.mounts['/']).toContain('ro');
    for (const path of ['/workspace', '/tmp', '/dev/shm']) {
      expect(seen.mounts[path]).toEqual(expect.arrayContaining(['nosuid', 'nodev', 'size=16384k', 'nr_inodes=1024']));
    }
    expect(seen.mounts['/dev/shm']).toContain('noexec');
    expect(seen.net.match(/^\s*\w+:/gm)?.map((name: string) => name.trim())).toEqual(['lo:']);
  });

  it('transfers megabytes unchanged in both directions, however slowly they are read', async () => {
    const container = await run(
      'import os',
      'left = 8 << 20',
      'while left:',
      ' data = os.read(0, 65536)',
      ' left -= len(data)',
      ' while data: data = data[os.write(1, data):]',
    );
    const sent = Buffer.alloc(8 << 20, 'all the bytes there are, ');
    container.stdin.write(sent);
    const pieces: Buffer[] = [];
    for await (const piece of container.stdout) {
      pieces.push(piece);
      if (pieces.length % 16 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(Buffer.concat(pieces).equals(sent)).toBe(true);
    expect(await container.ended).toMatchObject({ exitCode: 0 });
  });

  it('keeps stdout and stderr apart, up to the end', async () => {
    const container = await run('import sys', 'print("out")', 'print("err", file=sys.stderr)', 'sys.exit(3)');
    const [stdout, stderr] = await Promise.all([container.stdout.toArray(), container.stderr.toArray()]);
    expect(Buffer.concat(stdout).toString()).toBe('out\n');
    expect(Buffer.concat(stderr).toString()).toBe('err\n');
    expect(await container.ended).toEqual({
      exitCode: 3,
      oomKilled: false,
      reason: 'its first process ended with status 3',
    });
  });

  it('reports that its first process was killed for memory', async () => {
    const container = await run('x = []', 'while True: x.append(bytearray(1 << 20))');
    expect(await container.ended).toEqual({ exitCode: 137, oomKilled: true, reason: 'it ran out of memory' });
  });

  it('does not report out of memory when another process was killed', async () => {
    const container = await run(
      'import os, sys',
      'if os.fork() == 0:',
      ' open("/proc/self/oom_score_adj", "w").write("1000")',
      ' x = []',
      ' while True: x.append(bytearray(1 << 20))',
      'sys.exit(os.wait()[1])',
    );
    expect(await container.ended).toMatchObject({ exitCode: 9, oomKilled: false });
  });

  it('is rejected with the reason: program, runtime, limits', async () => {
    const labels = { ...ownSpec().labels, [LABEL.owner]: 'test' };
    const spec = { ...ownSpec(), labels, volumes: [{ path: '/data', name: null, isWritable: true }] };
    expect(await problemOf(host.create({ ...spec, argv: ['no-such-program'] }))).toMatchObject({
      kind: 'image_unusable',
      message: expect.stringContaining('hothouse/python:latest cannot run no-such-program'),
    });
    expect(await problemOf(host.create({ ...spec, runtime: 'no-such-runtime' }))).toMatchObject({
      kind: 'runtime_unknown',
      message: expect.stringContaining('"no-such-runtime"'),
    });
    expect(await problemOf(host.create({ ...spec, memoryBytes: 1 }))).toMatchObject({ kind: 'spec_refused' });
    expect(await host.list(spec.labels)).toEqual([]);
    expect(await volumesWith(spec.labels)).toEqual([]);
  });

  it('takes its volume along when it ends, and leaves one when it is removed without it', async () => {
    const labels = { ...ownSpec().labels, [LABEL.owner]: 'test' };
    const spec = { ...ownSpec(), labels, volumes: [{ path: '/data', name: null, isWritable: true }] };
    const pause = ['python3', '-c', 'import time; time.sleep(60)'];
    const ends = await create({ ...spec, argv: ['python3', '-c', 'print(1)'] });
    const killed = await create({ ...spec, argv: pause });
    const removed = await create({ ...spec, argv: pause });
    const lives = await create({ ...spec, argv: pause });
    const another = await create({ ...spec, argv: pause, labels: { ...labels, 'dev.hothouse.test': 'another' } });
    await ends.ended;
    await killed.remove();
    await expect.poll(async () => (await volumesWith(labels)).length).toBe(2);
    await removeContainer(removed.id);
    expect((await volumesWith(labels)).length).toBe(2);
    await host.removeUnusedVolumes(labels);
    expect((await volumesWith(labels)).length).toBe(1);
    await removeContainer(another.id);
    await lives.remove();
    await host.removeUnusedVolumes(labels);
    expect(await volumesWith(labels)).toEqual([]);
    const others = { ...labels, 'dev.hothouse.test': 'another' };
    expect((await volumesWith(others)).length).toBe(1);
    await host.removeUnusedVolumes(others);
    expect(await volumesWith(others)).toEqual([]);
  });

  describe('an image that is built', () => {
    const tag = `hothouse-test/build:${process.pid}`;
    // New each time, so that no step comes from the engine's cache.
    const word = `word-${randomBytes(8).toString('hex')}`;
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'hothouse-context-'));
    });
    afterEach(async () => {
      await Promise.all(made.splice(0).map((container) => container.remove()));
      await removeImages(tag, `dev.hothouse.test=${word}`);
      await rm(folder, { recursive: true });
    });

    const build = async (dockerfile: string[], files = {}) => {
      const lines: string[] = [];
      await writeFile(join(folder, 'Dockerfile'), dockerfile.join('\n'));
      const options = { tag, context: folder, buildArgs: { WORD: word }, labels: { 'dev.hothouse.kind': 'test' } };
      await host.images.build({ ...options, files }, (line) => lines.push(line));
      return lines;
    };
    const base = ['FROM hothouse/python:latest', `LABEL dev.hothouse.test=${word}`, 'USER root', 'ARG WORD'];

    it('has the context, its folders, the added files, arguments and labels', async () => {
      await mkdir(join(folder, 'sub'));
      await writeFile(join(folder, 'sub/file'), 'in the folder');
      const copied = [...base, 'COPY sub/file more.txt /copied/', 'RUN echo "$WORD" && cat /copied/*'];
      const lines = await build(copied, { 'more.txt': 'added' });
      expect(lines).toContain(word);
      expect(lines.join('\n')).toContain('in the folder');
      expect(lines.join('\n')).toContain('added');
      expect(await host.images.find(tag)).toMatchObject({ labels: { 'dev.hothouse.kind': 'test' } });
    });

    it('names the step that failed and its last output', async () => {
      const problem = await problemOf(build([...base, 'RUN echo the cause && exit 4']));
      expect(problem.kind).toBe('build_failed');
      expect(problem.message).toContain('returned a non-zero code: 4');
      expect(problem.message).toContain('the cause');
    });

    it('is not used when it declares a volume', async () => {
      await build([...base, 'VOLUME /data']);
      expect(await problemOf(host.create(ownSpec(tag)))).toMatchObject({
        kind: 'image_unusable',
        message: expect.stringContaining('/data'),
      });
    });

    it('does not run its entry point or its health check', async () => {
      await build([...base, 'ENTRYPOINT ["false"]', 'CMD ["false"]', 'HEALTHCHECK CMD touch /tmp/checked']);
      expect(await handshake(await create(ownSpec(tag)))).toMatchObject({ version: PROTOCOL_VERSION });
    });
  });
});
