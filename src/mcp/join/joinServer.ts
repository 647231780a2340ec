import { request } from 'node:http';
import type { Socket } from 'node:net';
import type { Backend } from './bridge.ts';
import { JOIN_PATH, JOIN_PROTOCOL, PROFILE_HEADER } from './door.ts';

/** A server that lives answers at once: it listens on this machine. */
const CONNECT_MS = 3_000;

const LOSS =
  'The VS Code window whose engine served this call has ended, and with it the call and the sessions there. Call again: the next call starts in another engine.';

/** Joins the engine of a running server; null when it does not let this process join within three seconds. */
export function joinServer(
  { url, token }: { readonly url: string; readonly token: string },
  profile: string | undefined,
): Promise<Backend | null> {
  return new Promise((resolve) => {
    const asked = request(new URL(JOIN_PATH, url), {
      timeout: CONNECT_MS,
      headers: {
        Authorization: `Bearer ${token}`,
        Connection: 'Upgrade',
        Upgrade: JOIN_PROTOCOL,
        ...(profile !== undefined && { [PROFILE_HEADER]: profile }),
      },
    });
    asked.on('upgrade', (_response, socket: Socket, head) => {
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      const close = async () => void socket.destroy();
      resolve({ stream: socket, lossMessage: LOSS, close });
    });
    asked.on('response', (response) => {
      response.destroy();
      resolve(null);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(null));
    asked.on('close', () => resolve(null));
    asked.end();
  });
}
