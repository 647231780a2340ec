import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { dockerHost } from '../../../src/host/docker/dockerHost.ts';
import { problemOf } from '../../contract/hostContract.ts';
import { ManualClock } from '../manualClock.ts';

describe('the search for Docker', () => {
  let folder: string;
  let socket: string;
  const servers: Server[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hothouse-engine-'));
    socket = join(folder, 'engine.sock');
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) server.close();
    await rm(folder, { recursive: true });
  });

  const listen = async (server: Server) => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(socket, resolve));
  };
  const engine = (api: string) =>
    http.createServer((request, response) => {
      const images = request.url?.startsWith('/images/');
      response.writeHead(images ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(images ? { message: 'none' } : { ApiVersion: api, Version: '0' }));
    });
  const makeHost = (host = `unix://${socket}`, clock = new ManualClock()) =>
    dockerHost({ host, env: {}, home: folder, log: silentLog, clock });

  it('names the source of an address where Docker does not respond', async () => {
    expect(await problemOf(makeHost().images.find('x'))).toMatchObject({
      kind: expect.stringMatching(/^host_(missing|stopped)$/),
      message: `Nothing listens at unix://${socket}, which the option docker.host names.`,
    });
  });

  it('rejects an invalid address', async () => {
    expect(await problemOf(makeHost('ftp://x').images.find('x'))).toMatchObject({
      kind: 'host_missing',
      message: expect.stringContaining('the option docker.host is "ftp://x"'),
    });
  });

  it('names the certificates that cannot be read', async () => {
    const host = dockerHost({
      env: { DOCKER_HOST: 'tcp://localhost:2376', DOCKER_CERT_PATH: folder },
      home: folder,
      log: silentLog,
    });
    const { message, advice } = await problemOf(host.images.find('x'));
    expect(message).toBe(`The certificates for tcp://localhost:2376 cannot be read from ${folder} (ENOENT).`);
    expect(advice).toContain('DOCKER_CERT_PATH');
  });

  it('rejects a version of Docker that is too old', async () => {
    await listen(engine('1.39'));
    expect(await problemOf(makeHost().images.find('x'))).toEqual({
      kind: 'host_too_old',
      message: `The Docker Engine at unix://${socket} speaks API 1.39; 1.40 or newer is needed.`,
      advice: 'Update Docker to version 19.03 or newer.',
    });
  });

  it('rejects a version of Podman that is too old', async () => {
    const version = { ApiVersion: '1.40', Version: '3.0.1', Components: [{ Name: 'Podman Engine', Version: '3.0.1' }] };
    await listen(http.createServer((_, response) => response.end(JSON.stringify(version))));
    expect(await problemOf(makeHost().images.find('x'))).toEqual({
      kind: 'host_too_old',
      message: `Podman at unix://${socket} has version 3.0.1; 4.0 or newer is needed.`,
      advice: 'Update Podman to version 4.0 or newer.',
    });
  });

  it('finds Docker when it was started after a first attempt', async () => {
    const host = makeHost();
    await problemOf(host.images.find('x'));
    await listen(engine('1.41'));
    expect(await host.images.find('x')).toBeNull();
    await host.dispose();
  });

  it('searches again after Docker was lost', async () => {
    await listen(engine('1.41'));
    const host = makeHost();
    expect(await host.images.find('x')).toBeNull();
    servers.splice(0).forEach((server) => {
      server.close();
    });
    expect(await problemOf(host.images.find('x'))).toMatchObject({ kind: 'host_stopped' });
    await listen(engine('1.41'));
    expect(await host.images.find('x')).toBeNull();
    await host.dispose();
  });

  it('rejects when Docker accepts the connection and does not answer', async () => {
    await listen(createServer(() => {}));
    const clock = new ManualClock();
    const problem = problemOf(makeHost(`unix://${socket}`, clock).images.find('x'));
    // The deadline counts from when the question is asked.
    for (let at = 0; at < 100 && clock.pending < 2; at += 1) await new Promise((resolve) => setTimeout(resolve, 10));
    clock.advance(10_000);
    expect(await problem).toMatchObject({ kind: 'host_hung' });
  });

  it('rejects at once when the caller aborts', async () => {
    await listen(createServer(() => {}));
    const controller = new AbortController();
    const problem = problemOf(makeHost().images.find('x', controller.signal));
    controller.abort();
    expect(await problem).toMatchObject({ kind: 'cancelled' });
  });
});
