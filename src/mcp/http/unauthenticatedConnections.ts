import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections that have not sent the token yet. At most `max` are kept; the oldest are closed first, so that no
 * number of them keeps a client out.
 */
export class UnauthenticatedConnections {
  readonly #max: number;
  /** Oldest first. */
  readonly #sockets = new Set<Socket>();
  #trimming = false;

  constructor(server: Server, max: number) {
    this.#max = max;
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /** Removes a connection that has sent the token; it stays open whatever follows. */
  remove(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  #add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#trimming || this.#sockets.size <= this.#max) return;
    this.#trimming = true;
    // Two turns later, when requests that arrived together with the connections have been read.
    setImmediate(() => setImmediate(() => this.#trim()));
  }

  #trim(): void {
    this.#trimming = false;
    const excess = this.#sockets.size - this.#max;
    for (const socket of [...this.#sockets].slice(0, Math.max(0, excess))) socket.destroy();
  }
}
