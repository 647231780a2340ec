import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/**
 * A proxy that adds the token of an endpoint, since the clients of the suite cannot. It changes nothing else but the port in
 * `Host` and `Origin`.
 */
export async function startTokenProxy({
  url,
  token,
}: {
  readonly url: string;
  readonly token: string;
}): Promise<Server> {
  const { hostname, port } = new URL(url);
  const proxy = createServer((incoming, response) => {
    const own = (incoming.socket.address() as AddressInfo).port;
    const headers = {
      ...renamed(incoming.headers, `:${own}`, `:${port}`),
      authorization: `Bearer ${token}`,
    };
    const outgoing = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, response, () => outgoing.destroy());
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
}

function renamed(headers: IncomingHttpHeaders, from: string, to: string): IncomingHttpHeaders {
  const { host, origin } = headers;
  return {
    ...headers,
    ...(host?.endsWith(from) && { host: host.replace(from, to) }),
    ...(origin?.endsWith(from) && { origin: origin.replace(from, to) }),
  };
}
