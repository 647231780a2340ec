import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';

/** A call that the client has no method for, or makes in a way that Podman does not understand. */
interface Dialed {
  readonly path: string;
  /** HTTP status → `true`, or what it means. */
  readonly statusCodes: Readonly<Record<number, true | string>>;
  /** The body as JSON; for a path that ends with `?` also its query. */
  readonly options: object;
  /** A body in place of `options`. */
  readonly file?: Buffer;
  readonly hijack?: boolean;
  readonly openStdin?: boolean;
  readonly abortSignal?: AbortSignal;
}

/** Sends a POST request; its answer as the client reads it. */
export function dial(docker: Docker, call: Dialed): Promise<unknown> {
  return new Promise((resolve, reject) => {
    docker.modem.dial({ method: 'POST', ...call }, (error: unknown, answer: unknown) => {
      if (error) reject(error);
      else resolve(answer);
    });
  });
}

/**
 * Attaches to a container of Podman. The client's own call has a body, which Podman hands to the container as input; and
 * without `detachKeys`, two certain bytes of input would end the connection.
 */
export async function attachInPodman(docker: Docker, id: string, abortSignal: AbortSignal): Promise<Duplex> {
  const stream = await dial(docker, {
    path: `/containers/${id}/attach?`,
    statusCodes: { 200: true, 404: 'no such container', 409: 'conflict', 500: 'server error' },
    options: { stream: true, stdin: true, stdout: true, stderr: true, detachKeys: '' },
    file: Buffer.alloc(0),
    hijack: true,
    openStdin: true,
    abortSignal,
  });
  return stream as Duplex;
}
