import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A context of the docker command line: a name for an engine's address. */
export interface DockerContext {
  readonly name: string;
  readonly host: string;
  /** Folder with `ca.pem`, `cert.pem` and `key.pem`, for addresses that use TLS. */
  readonly certificates: string;
}

/** The name of the context that `~/.docker/config.json` makes current, or null for docker's own default. */
export async function currentContext(folder: string): Promise<string | null> {
  const name = property(await readJson(join(folder, 'config.json')), 'currentContext');
  return typeof name === 'string' && name !== '' && name !== 'default' ? name : null;
}

/** The context of that name in docker's folder, or null when there is none or it names no engine. */
export async function readContext(folder: string, name: string): Promise<DockerContext | null> {
  const id = createHash('sha256').update(name).digest('hex');
  const meta = await readJson(join(folder, 'contexts', 'meta', id, 'meta.json'));
  const host = property(property(property(meta, 'Endpoints'), 'docker'), 'Host');
  if (typeof host !== 'string' || host === '') return null;
  return { name, host, certificates: join(folder, 'contexts', 'tls', id, 'docker') };
}

/** The JSON in a file; undefined when it cannot be read, since a broken context must not hide a working socket. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
