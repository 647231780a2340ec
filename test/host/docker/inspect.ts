import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';

/** Where the engine of the Docker tests listens: the one that `DOCKER_HOST` names, on a socket, or the machine's. */
export const ENGINE_SOCKET = process.env.DOCKER_HOST?.replace(/^unix:\/\//, '') ?? '/var/run/docker.sock';

/** Docker's own description of a container, without the code under test. */
export async function inspectContainer(
  id: string,
): Promise<
  Record<'Config' | 'HostConfig' | 'State', Record<string, unknown>> & { readonly Mounts: readonly unknown[] }
> {
  return JSON.parse(await ask('GET', `/containers/${id}/json`));
}

/** The one number of a container's `User`, which is its user and its group. */
export function idOf(user: unknown): number {
  const [, id, group] = /^(\d+):(\d+)$/.exec(String(user)) ?? [];
  if (id === undefined || id !== group) throw new Error(`the user is ${user}`);
  return Number(id);
}

/** Removes an image that a test has built, and what its failed builds have left: they carry the test's label. */
export async function removeImages(tag: string, label: string): Promise<void> {
  await ask('DELETE', `/images/${tag}?force=true`);
  const filters = JSON.stringify({ dangling: ['true'], label: [label] });
  await ask('POST', `/images/prune?filters=${encodeURIComponent(filters)}`);
}

/** Removes a container as `docker rm --force` does: without its volumes. */
export async function removeContainer(id: string): Promise<void> {
  await ask('DELETE', `/containers/${id}?force=true`);
}

/** Names of the volumes that carry every one of these labels. */
export async function volumesWith(labels: Readonly<Record<string, string>>): Promise<string[]> {
  const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const { Volumes } = JSON.parse(await ask('GET', `/volumes?filters=${encodeURIComponent(JSON.stringify({ label }))}`));
  return (Volumes ?? []).map(({ Name }: { Name: string }) => Name);
}

/** Creates a container by the Engine API's own options; its id. */
export async function createByOptions(options: object): Promise<string> {
  const { Id, message } = JSON.parse(await ask('POST', '/containers/create', options));
  if (!Id) throw new Error(message);
  return Id;
}

async function ask(method: string, path: string, body?: object): Promise<string> {
  const headers = body ? { 'content-type': 'application/json' } : {};
  const request = http.request({ socketPath: ENGINE_SOCKET, method, path, headers, agent: false });
  request.end(body && JSON.stringify(body));
  const [response] = await once(request, 'response');
  return text(response);
}
