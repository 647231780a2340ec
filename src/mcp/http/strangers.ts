import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections over which nobody has shown the token yet. At most `max` of them are kept: the oldest make way for
 * newer ones, so that no number of them keeps a client out.
 */
export class Strangers {
  readonly #max: number;
  /** In the order of arrival. */
  readonly #sockets = new Set<Socket>();
  #trimming = false;

  constructor(server: Server, max: number) {
    this.#max = max;
    server.on('connection', (socket: Socket) => this.#admit(socket));
  }

  /** The token came over this connection: it is none of a stranger, whatever follows. */
  recognize(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  #admit(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#trimming || this.#sockets.size <= this.#max) return;
    this.#trimming = true;
    // Two turns later: what a client has sent by then is read, however many came in the same moment.
    setImmediate(() => setImmediate(() => this.#trim()));
  }

  #trim(): void {
    this.#trimming = false;
    const excess = this.#sockets.size - this.#max;
    for (const socket of [...this.#sockets].slice(0, Math.max(0, excess))) socket.destroy();
  }
}
