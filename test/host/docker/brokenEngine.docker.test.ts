import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { dockerHost } from '../../../src/host/docker/dockerHost.ts';
import type { Host, HostWithImages } from '../../../src/host/host.ts';
import { PROTOCOL_VERSION } from '../../../src/protocol/messages.ts';
import { handshake, ownSpec, problemOf } from '../../contract/hostContract.ts';
import { ENGINE_SOCKET } from './inspect.ts';

/** A connection to Docker that a test can cut, freeze and restore. */
class Line {
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #frozen = false;

  constructor(readonly path: string) {}

  async restore(): Promise<void> {
    this.#frozen = false;
    const server = createServer({ allowHalfOpen: true }, (client) => this.#join(client));
    await new Promise<void>((resolve) => server.listen(this.path, resolve));
    this.#server = server;
  }

  cut(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Connections stay and open, and nothing passes. */
  freeze(): void {
    this.#frozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  #join(client: Socket): void {
    const engine = connect({ path: ENGINE_SOCKET, allowHalfOpen: true });
    for (const [from, to] of [
      [client, engine],
      [engine, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk) => to.write(chunk));
      from.on('end', () => to.end());
      if (this.#frozen) from.pause();
    }
  }
}

describe('Docker with faults', () => {
  let folder: string;
  let line: Line;
  let host: HostWithImages;
  let other: Host;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hothouse-line-'));
    line = new Line(join(folder, 'engine.sock'));
    await line.restore();
    host = dockerHost({ host: `unix://${line.path}`, env: {}, home: folder, log: silentLog });
    other = dockerHost({ host: `unix://${ENGINE_SOCKET}`, env: {}, home: folder, log: silentLog });
  });
  afterEach(async () => {
    await host.dispose();
    await other.dispose();
    line.cut();
    await rm(folder, { recursive: true });
  });

  it('ends containers when the connection breaks, and works again when it is back', async () => {
    const spec = ownSpec();
    const container = await host.create(spec);
    await handshake(container);
    line.cut();
    expect(await container.ended).toMatchObject({
      exitCode: null,
      reason: 'the connection to the Docker Engine was lost',
    });
    expect(await problemOf(host.list(spec.labels))).toMatchObject({
      kind: expect.stringMatching(/^host_(stopped|missing)$/),
    });
    await line.restore();
    // The agent read the end of its input and exited.
    await expect.poll(() => host.list(spec.labels)).toEqual([]);
    const next = await host.create(spec);
    expect(await handshake(next)).toMatchObject({ version: PROTOCOL_VERSION });
    await next.remove();
    expect(await next.ended).toMatchObject({ exitCode: 137 });
  });

  it('is reported within ten seconds when it does not answer', async () => {
    const spec = ownSpec();
    await host.info();
    line.freeze();
    const calls = [
      host.create(spec),
      host.list(spec.labels),
      host.images.find(spec.image),
      host.remove('0'.repeat(64)),
    ];
    const frozenAt = performance.now();
    const problems = await Promise.all(calls.map(problemOf));
    expect(problems.map(({ kind }) => kind)).toEqual(calls.map(() => 'host_hung'));
    expect(performance.now() - frozenAt).toBeLessThan(10_000 * systemClock.slowness());
  });

  it('is reported within ten seconds when it stops in the middle of a creation, which leaves nothing', async () => {
    const spec = ownSpec();
    await host.info();
    const creating = host.create(spec);
    await expect.poll(() => other.list(spec.labels), { interval: 1 }).toHaveLength(1);
    line.freeze();
    const frozenAt = performance.now();
    const outcome = await creating.then(
      (container) => container,
      (error: unknown) => error,
    );
    expect(performance.now() - frozenAt).toBeLessThan(10_000 * systemClock.slowness());
    line.cut();
    await line.restore();
    if (!(outcome instanceof Error)) await host.remove((outcome as { id: string }).id);
    await expect.poll(() => other.list(spec.labels)).toEqual([]);
  });
});
