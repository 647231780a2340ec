import { Readable, Writable } from 'node:stream';
import { deferred } from '../../src/base/deferred.ts';
import type { Container, ContainerEnd } from '../../src/host/host.ts';
import type { ContainerSpec } from '../../src/host/spec.ts';
import { type AgentHome, FakeAgent } from './fakeAgent.ts';

/** A container in memory with a fake agent in it. */
export class FakeContainer implements Container {
  readonly createdAt = Date.now();
  readonly stdin: Writable;
  readonly stdout = new Readable({ read() {} });
  readonly stderr = new Readable({ read() {} });
  readonly #ended = deferred<ContainerEnd>();
  readonly #agent: FakeAgent;
  #alive = true;
  running = false;
  readonly ended = this.#ended.promise;

  constructor(
    readonly id: string,
    readonly spec: ContainerSpec,
    home: Omit<AgentHome, 'send' | 'die'>,
    readonly onEnd: () => void,
  ) {
    this.#agent = new FakeAgent({
      ...home,
      send: (bytes) => this.#alive && this.stdout.push(bytes),
      die: () => this.die({ exitCode: 1, oomKilled: false, reason: 'its first process ended with status 1' }),
    });
    this.stdin = this.#openStdin();
  }

  /** Ends it from outside. */
  die(end: ContainerEnd = { exitCode: null, oomKilled: false, reason: 'it was removed' }): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#agent.stop();
    this.stdin.destroy();
    this.stdout.push(null);
    this.stderr.push(null);
    this.onEnd();
    this.#ended.resolve(end);
  }

  async isRunning(): Promise<boolean> {
    return this.#alive;
  }

  async remove(): Promise<void> {
    this.die();
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
      // An agent without an engine exits.
      final: (done) => {
        done();
        this.die({ exitCode: 0, oomKilled: false, reason: 'its first process ended with status 0' });
      },
    });
  }
}
