import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Container, type Host, HostError } from '../../src/host/host.ts';
import { LABEL } from '../../src/host/labels.ts';
import { type ContainerSpec, containerSpec, type SandboxLimits } from '../../src/host/spec.ts';
import { encodeFrame, FrameDecoder, FrameType, NONCE_BYTES } from '../../src/protocol/frames.ts';
import { type Hello, PROTOCOL_VERSION, Ready } from '../../src/protocol/messages.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { withWalls } from '../../src/sandbox/wallPlan.ts';

/** Small limits in which the agent works well. */
export const LIMITS: SandboxLimits = {
  memoryBytes: 128 << 20,
  cpus: 1,
  pids: 64,
  workspaceBytes: 16 << 20,
  tmpBytes: 16 << 20,
  network: 'none',
  readOnlyRoot: true,
  runtime: null,
};

/** A spec with labels of its own. */
export function ownSpec(image = 'hothouse/python:latest'): ContainerSpec {
  const test = randomBytes(8).toString('hex');
  return containerSpec(image, LIMITS, {
    [LABEL.managed]: 'true',
    [LABEL.environment]: 'python',
    'dev.hothouse.test': test,
  });
}

/** The problem that a call rejects with. */
export async function problemOf(call: Promise<unknown>) {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HostError);
  return (error as HostError).problem;
}

/** Holds a host to the promises of `src/host/host.ts`; `image` has Python for the agent. */
export function hostContract(name: string, makeHost: () => Host, image?: string): void {
  describe(`${name} keeps the host's contract`, () => {
    let host: Host;
    let spec: ContainerSpec;
    const made: Container[] = [];

    const create = async () => {
      const container = await host.create(spec);
      made.push(container);
      return container;
    };
    const listed = async () => (await host.list(spec.labels)).map(({ id }) => id);
    const nothingLeft = () => expect.poll(() => listed()).toEqual([]);

    beforeEach(() => {
      host = makeHost();
      spec = ownSpec(image);
    });
    afterEach(async () => {
      await Promise.all(made.splice(0).map((container) => container.remove().catch(() => {})));
      await host.dispose();
    });

    it('returns streams that the agent answers on', async () => {
      const ready = await handshake(await create());
      expect(ready).toMatchObject({ version: PROTOCOL_VERSION });
    });

    it('ends the container when its first process exits', async () => {
      const container = await create();
      await handshake(container);
      container.stdin.end();
      expect(await container.ended).toMatchObject({ oomKilled: false });
      await nothingLeft();
    });

    it('reports the end of a container that another client removed', async () => {
      const container = await create();
      await host.remove(container.id);
      expect(await container.ended).toMatchObject({ oomKilled: false });
      expect(await listed()).toEqual([]);
    });

    it('ends the output of a container that has ended', async () => {
      const container = await create();
      container.stdout.resume();
      const ended = once(container.stdout, 'end');
      await container.remove();
      await ended;
    });

    it('accepts writes to a container that has ended', async () => {
      const container = await create();
      container.stdin.on('error', () => {});
      await container.remove();
      container.stdin.write('too late');
      await container.ended;
    });

    it('lists containers by all of the labels given', async () => {
      const container = await create();
      const [found, ...others] = await host.list(spec.labels);
      expect(others).toEqual([]);
      expect(found).toMatchObject({ id: container.id, labels: spec.labels, running: true });
      expect(Math.abs((found?.createdAt ?? 0) - Date.now())).toBeLessThan(60_000);
      expect(await host.list({ ...spec.labels, 'dev.hothouse.test': 'another' })).toEqual([]);
    });

    it('removes a container several times without an error', async () => {
      const container = await create();
      await Promise.all([container.remove(), container.remove(), host.remove(container.id)]);
      await container.remove();
      expect(await listed()).toEqual([]);
      await host.remove('0'.repeat(64));
    });

    it('reports a missing image and does not pull it', async () => {
      spec = { ...spec, image: 'hothouse/nothing:here' };
      expect(await problemOf(host.create(spec))).toMatchObject({
        kind: 'image_missing',
        message: 'There is no image hothouse/nothing:here.',
        command: 'hothouse build python',
      });
      expect(await host.images?.find(spec.image)).toBeNull();
      expect(await listed()).toEqual([]);
    });

    it('finds an image that exists', async () => {
      expect(await host.images?.find(spec.image)).toMatchObject({ id: expect.any(String) });
    });

    it('rejects a creation that was cancelled before it started', async () => {
      expect(await problemOf(host.create(spec, AbortSignal.abort()))).toMatchObject({ kind: 'cancelled' });
      expect(await listed()).toEqual([]);
    });

    it.each([0, 10, 30, 60, 100, 150])('leaves no container when a creation is cancelled after %i ms', async (ms) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), ms);
      const outcome = await host.create(spec, controller.signal).catch((error: unknown) => error);
      if (outcome instanceof HostError) expect(outcome.problem.kind).toBe('cancelled');
      else await (outcome as Container).remove();
      await nothingLeft();
    });

    it('keeps a container when the signal of its creation aborts later', async () => {
      const controller = new AbortController();
      const container = await host.create(spec, controller.signal);
      made.push(container);
      controller.abort();
      expect(await handshake(container)).toMatchObject({ version: PROTOCOL_VERSION });
    });

    it('describes itself', async () => {
      const { name: text, defaultRuntime, isolation, warnings } = await host.info();
      expect(text).toMatch(/^(\w+ Engine|Podman|Bubblewrap) .+ (at|on) /);
      expect(isolation).toMatchObject({ networkIsolation: true, readOnlyRoot: true, unprivilegedUser: true });
      expect(warnings.every((warning) => /^[A-Z\w].+\.$/.test(warning))).toBe(true);
      expect(await host.runtimeProblem(defaultRuntime)).toBeNull();
      expect(await host.runtimeProblem('no-such-runtime')).toMatchObject({ kind: 'runtime_unknown' });
    });

    it('ends streams and rejects calls after dispose; the agents then exit by themselves', async () => {
      const container = await create();
      await handshake(container);
      await host.dispose();
      await container.ended;
      expect(await problemOf(host.info())).toMatchObject({ kind: 'host_failed' });
      expect(await problemOf(host.create(spec))).toMatchObject({ kind: 'host_failed' });
      const another = makeHost();
      await expect.poll(() => another.list(spec.labels)).toEqual([]);
      await another.dispose();
    });
  });
}

/** Does the engine's part of a handshake, byte by byte as in the protocol. */
export async function handshake(container: Container): Promise<Ready> {
  const nonce = randomBytes(NONCE_BYTES);
  const terms = { silenceMs: 30_000, outputBytes: 1 << 20, eventBytes: 1 << 20, events: 1000 };
  const hello: Hello = { version: PROTOCOL_VERSION, nonce: nonce.toString('hex'), ...terms };
  const decoder = new FrameDecoder();
  decoder.expect(nonce);
  const ready = new Promise<Ready>((resolve, reject) => {
    container.stdout.on('data', (chunk: Buffer) => {
      for (const { type, payload } of decoder.push(chunk)) {
        if (type === FrameType.ready) resolve(Ready.parse(JSON.parse(payload.toString('utf8'))));
      }
    });
    void container.ended.then(({ reason }) => reject(new Error(reason)));
  });
  const agent = await loadAgent(fileURLToPath(new URL('../../images/agent', import.meta.url)));
  container.stdin.write(withWalls(agent, ownSpec()));
  container.stdin.write(encodeFrame(FrameType.hello, 0, JSON.stringify(hello)));
  return ready;
}
