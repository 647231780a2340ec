import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { LABEL } from '../../src/host/labels.ts';
import { ENGINE_SOCKET } from '../host/docker/inspect.ts';
import { isOnLocalHost } from '../testHost.ts';

/** Requests to Docker's API, without the code under test. */
export interface EngineAnswer {
  readonly status: number;
  readonly body: string;
}

/** One request to Docker's API on a socket. Rejects when nothing listens there. */
export async function askEngine(method: string, path: string, socketPath = ENGINE_SOCKET): Promise<EngineAnswer> {
  const request = http.request({ socketPath, method, path, agent: false }).end();
  const [response] = await once(request, 'response');
  return { status: response.statusCode, body: await text(response) };
}

/** Ids of the containers with a label, running or not. */
export async function labelled(name: string, value: string): Promise<string[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`${name}=${value}`] }));
  const { body } = await askEngine('GET', `/containers/json?all=true&filters=${filters}`);
  const containers: { Id: string }[] = JSON.parse(body);
  return containers.map(({ Id }) => Id);
}

/** Names of the volumes of containers with a label, whether these still exist or not. */
export async function labelledVolumes(name: string, value: string, socketPath = ENGINE_SOCKET): Promise<string[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: [LABEL.owner, `${name}=${value}`] }));
  const { body } = await askEngine('GET', `/volumes?filters=${filters}`, socketPath);
  const { Volumes }: { Volumes: { Name: string }[] | null } = JSON.parse(body);
  return (Volumes ?? []).map(({ Name }) => Name);
}

/** Removes a container and its volumes. */
export function removeCompletely(id: string): Promise<EngineAnswer> {
  return askEngine('DELETE', `/containers/${id}?force=true&v=true`);
}

/** The names of the processes in a container, as the machine's kernel has them; without a container engine, of all of this user. */
export async function processNames(id: string): Promise<string[]> {
  if (isOnLocalHost) return ownProcessNames();
  const { status, body } = await askEngine('GET', `/containers/${id}/top?ps_args=${encodeURIComponent('-o pid,comm')}`);
  if (status !== 200) return [];
  const { Processes }: { Processes: string[][] } = JSON.parse(body);
  return Processes.map(([, name = '']) => name);
}

async function ownProcessNames(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const names = pids.map(async (pid) => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const isOurs = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) === process.getuid?.();
    return isOurs ? (/^Name:\s+(.*)$/m.exec(status)?.[1] ?? '') : '';
  });
  return (await Promise.all(names)).filter(Boolean);
}

/** An event of Docker about containers or images. */
export interface ReportedEvent {
  readonly Type: string;
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
}

/** Calls `onEvent` with each event of Docker that passes the filters, until the returned function is called. */
export async function watchEngine(
  filters: Readonly<Record<string, readonly string[]>>,
  onEvent: (event: ReportedEvent) => void,
): Promise<() => void> {
  const path = `/events?filters=${encodeURIComponent(JSON.stringify(filters))}`;
  const request = http.request({ socketPath: ENGINE_SOCKET, path, agent: false }).end();
  const [response] = await once(request, 'response');
  let rest = '';
  response.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line) onEvent(JSON.parse(line));
  });
  response.on('error', () => {});
  return () => request.destroy();
}
