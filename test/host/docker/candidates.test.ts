import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { candidates, type DiscoveryEnvironment } from '../../../src/host/docker/candidates.ts';

describe('candidates', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'hothouse-home-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  const look = (more: Partial<DiscoveryEnvironment> = {}) =>
    candidates({ host: '', env: {}, home, platform: 'linux', ...more });
  const addContext = async (name: string, host: string) => {
    const id = createHash('sha256').update(name).digest('hex');
    await mkdir(join(home, '.docker/contexts/meta', id), { recursive: true });
    const meta = { Name: name, Endpoints: { docker: { Host: host } } };
    await writeFile(join(home, '.docker/contexts/meta', id, 'meta.json'), JSON.stringify(meta));
    return join(home, '.docker/contexts/tls', id, 'docker');
  };
  const makeCurrent = (name: string) =>
    writeFile(join(home, '.docker/config.json'), JSON.stringify({ currentContext: name }));

  it('are the default sockets when none is configured, Docker before Podman', async () => {
    const found = await look({ env: { XDG_RUNTIME_DIR: '/run/user/1000' } });
    expect(found.map(({ host }) => host)).toEqual([
      'unix:///var/run/docker.sock',
      'unix:///run/user/1000/docker.sock',
      `unix://${home}/.docker/run/docker.sock`,
      `unix://${home}/.colima/default/docker.sock`,
      `unix://${home}/.rd/docker.sock`,
      'unix:///run/user/1000/podman/podman.sock',
      'unix:///run/podman/podman.sock',
    ]);
  });

  it('are pipes on Windows', async () => {
    expect((await look({ platform: 'win32' }))[0]).toMatchObject({ host: 'npipe:////./pipe/docker_engine' });
  });

  it('are the setting alone when it is set, whatever the environment contains', async () => {
    const found = await look({ host: 'tcp://a:2375', env: { DOCKER_HOST: 'tcp://b:2375' } });
    expect(found).toMatchObject([{ host: 'tcp://a:2375', source: 'the option docker.host', secure: false }]);
  });

  it('are DOCKER_HOST alone when it is set, with its TLS variables', async () => {
    const env = {
      DOCKER_HOST: 'tcp://b:4000',
      DOCKER_TLS_VERIFY: '1',
      DOCKER_CERT_PATH: '/certs',
      DOCKER_CONTEXT: 'c',
    };
    const expected = { host: 'tcp://b:4000', source: 'DOCKER_HOST', secure: true, certificates: '/certs' };
    expect(await look({ env })).toEqual([expected]);
  });

  it('are the context that DOCKER_CONTEXT names, with its own certificates', async () => {
    const certificates = await addContext('far', 'tcp://far:2376');
    const found = await look({ env: { DOCKER_CONTEXT: 'far' } });
    expect(found).toEqual([{ host: 'tcp://far:2376', source: 'docker context "far"', secure: false, certificates }]);
  });

  it('name the context in DOCKER_CONTEXT when it does not exist', async () => {
    expect(await look({ env: { DOCKER_CONTEXT: 'gone' } })).toMatchObject([
      { host: '', source: 'docker context "gone"' },
    ]);
  });

  it('begin with the current context, followed by the default sockets', async () => {
    await addContext('desk', 'unix:///desk.sock');
    await makeCurrent('desk');
    const [first, second] = await look();
    expect(first).toMatchObject({ host: 'unix:///desk.sock', source: 'docker context "desk"' });
    expect(second).toMatchObject({ host: 'unix:///var/run/docker.sock', source: null });
  });

  it('are the default sockets when the current context is the default, missing or unreadable', async () => {
    await mkdir(join(home, '.docker'));
    await makeCurrent('default');
    expect((await look())[0]?.source).toBeNull();
    await makeCurrent('gone');
    expect((await look())[0]?.source).toBeNull();
    await writeFile(join(home, '.docker/config.json'), '{ broken');
    expect((await look())[0]?.source).toBeNull();
  });
});
