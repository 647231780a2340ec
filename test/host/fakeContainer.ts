import { Readable, Writable } from 'node:stream';
import { pack } from 'tar-stream';
import { deferred } from '../../src/base/deferred.ts';
import type { Container, ContainerEnd } from '../../src/host/host.ts';
import type { ContainerSpec } from '../../src/host/spec.ts';
import { type AgentHome, FakeAgent } from './fakeAgent.ts';

/** A container in memory with a fake agent in it; it is its own first attachment. */
export class FakeContainer implements Container {
  readonly createdAt = Date.now();
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #ended = deferred<ContainerEnd>();
  readonly #agent: FakeAgent;
  readonly #attached = new Set<Container>();
  #alive = true;
  running = false;
  spared: { readonly owner: string; readonly seconds: number } | undefined;
  /** Where archives were unpacked. */
  readonly unpacked: string[] = [];
  readonly ended = this.#ended.promise;

  constructor(
    readonly id: string,
    readonly spec: ContainerSpec,
    home: Omit<AgentHome, 'send' | 'die'>,
    readonly onEnd: () => void,
  ) {
    this.#agent = new FakeAgent({
      ...home,
      send: (bytes) => {
        for (const { stdout } of this.#attached) if (this.#alive) stdout.push(bytes);
      },
      die: () => this.die({ exitCode: 1, oomKilled: false, reason: 'its first process ended with status 1' }),
    });
    const first = this.attach();
    this.stdin = first.stdin;
    this.stdout = first.stdout;
    this.stderr = first.stderr;
    this.detach = () => first.detach();
  }

  /** Streams of their own to the same agent; what it sends goes to all that are attached. */
  attach(): Container {
    const stdin = this.#openStdin();
    const container: Container = {
      id: this.id,
      stdin,
      stdout: new Readable({ read() {} }),
      stderr: new Readable({ read() {} }),
      ended: this.ended,
      isRunning: () => this.isRunning(),
      remove: () => this.remove(),
      putArchive: (path, archive) => this.putArchive(path, archive),
      getArchive: () => this.getArchive(),
      spare: (owner, seconds) => this.spare(owner, seconds),
      detach: async () => {
        this.#attached.delete(container);
        // As the real one: what was written arrives.
        await new Promise((resolve) => setImmediate(resolve));
        stdin.destroy();
      },
    };
    this.#attached.add(container);
    return container;
  }

  /** Ends it from outside. */
  die(end: ContainerEnd = { exitCode: null, oomKilled: false, reason: 'it was removed' }): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#agent.stop();
    for (const { stdin, stdout, stderr } of this.#attached) {
      stdin.destroy();
      stdout.push(null);
      stderr.push(null);
    }
    this.onEnd();
    this.#ended.resolve(end);
  }

  async isRunning(): Promise<boolean> {
    return this.#alive;
  }

  async putArchive(path: string, archive: Readable): Promise<void> {
    for await (const _ of archive);
    this.unpacked.push(path);
  }

  async getArchive(): Promise<Readable> {
    const archive = pack();
    archive.finalize();
    return archive;
  }

  async remove(): Promise<void> {
    this.die();
  }

  detach: () => Promise<void>;

  async spare(owner: string, seconds: number): Promise<void> {
    this.spared = { owner, seconds };
  }

  // As over a real connection, the answer to a write never arrives during the write.
  #openStdin(): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        setImmediate(() => {
          if (this.#alive) this.#agent.receive(chunk);
          done();
        });
      },
      // An agent without an engine exits, in less time than here.
      final: (done) => {
        done();
        if (!this.spared) this.die({ exitCode: 0, oomKilled: false, reason: 'its first process ended with status 0' });
      },
    });
  }
}
