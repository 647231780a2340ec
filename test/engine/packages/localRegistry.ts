import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { dockerAddress } from './localIndex.ts';

/** Name, version, files, and what else `package.json` has. */
export type RegisteredPackage = readonly [string, string, Readonly<Record<string, string>>, object?];

/** A registry of npm packages that sandboxes of this machine reach. */
export interface LocalRegistry {
  readonly url: string;
  close(): void;
}

/** Serves packages of npm, by default at the address that Docker's network has on this machine; the last version is the latest. */
export async function localRegistry(
  packages: readonly RegisteredPackage[],
  host: string = dockerAddress(),
): Promise<LocalRegistry> {
  const archives = new Map<string, Buffer>();
  const pages = new Map<string, Record<string, object>>();
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').slice(1));
    const archive = archives.get(name);
    const versions = pages.get(name);
    if (archive) return void response.end(archive);
    response.statusCode = versions ? 200 : 404;
    response.setHeader('content-type', 'application/json');
    const latest = Object.keys(versions ?? {}).at(-1);
    response.end(JSON.stringify(versions ? { name, 'dist-tags': { latest }, versions } : { error: 'not_found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  for (const [name, version, files, more = {}] of packages) {
    const about = { name, version, main: 'index.js', ...more };
    const archive = pack();
    for (const [file, text] of Object.entries({ ...files, 'package.json': JSON.stringify(about) }))
      archive.entry({ name: `package/${file}`, mode: 0o755 }, text);
    archive.finalize();
    const content = await buffer(archive.pipe(createGzip()));
    const file = `files/${name.replace('/', '-')}-${version}.tgz`;
    archives.set(file, content);
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
    const hasInstallScript = 'scripts' in more;
    const dist = { tarball: `${url}/${file}`, integrity };
    pages.set(name, { ...pages.get(name), [version]: { ...about, dist, hasInstallScript } });
  }
  return { url, close: () => server.close() };
}
