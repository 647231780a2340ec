import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A package for an index: a wheel's files, or a source archive's. */
export interface IndexedPackage {
  readonly name: string;
  readonly version: string;
  /** Path in the archive → text. With `pyproject.toml` it is a source archive, otherwise a wheel. */
  readonly files: Readonly<Record<string, string>>;
  readonly requires?: readonly string[];
  readonly extras?: readonly string[];
  /** The index says how large it is. */
  readonly isSized?: boolean;
}

/** A package index that containers of this machine reach. */
export interface LocalIndex {
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** Number of open connections. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

/** The address of this machine in Docker's network. */
export function dockerAddress(): string {
  return networkInterfaces().docker0?.[0]?.address ?? '172.17.0.1';
}

/** Serves packages, by default at the address that Docker's network has on this machine. The package `slow` is never answered. */
export async function localIndex(
  packages: readonly IndexedPackage[],
  host: string = dockerAddress(),
): Promise<LocalIndex> {
  const folder = await mkdtemp(join(tmpdir(), 'hothouse-index-'));
  const archives = new Map<string, { name: string; content: Buffer; isSized: boolean }>();
  for (const one of packages) {
    const content = await archiveOf(one, folder);
    archives.set(fileOf(one), { name: one.name.toLowerCase(), content, isSized: one.isSized ?? false });
  }
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const [, root, name = ''] = path.split('/');
    if (root === 'files') response.end(archives.get(name)?.content);
    else if (root === 'simple' && name === 'slow') return;
    else {
      const links = [...archives].filter(([, item]) => item.name === name);
      response.statusCode = links.length === 0 ? 404 : 200;
      if (links.some(([, { isSized }]) => isSized)) {
        const files = links.map(([filename, { content }]) => {
          const hashes = { sha256: sha(content) };
          return { filename, url: `/files/${filename}`, size: content.length, hashes };
        });
        response.setHeader('content-type', 'application/vnd.pypi.simple.v1+json');
        return void response.end(JSON.stringify({ meta: { 'api-version': '1.1' }, name, versions: [], files }));
      }
      response.setHeader('content-type', 'text/html');
      response.end(
        links.map(([file, { content }]) => `<a href="/files/${file}#sha256=${sha(content)}">${file}</a>`).join('\n'),
      );
    }
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/simple`,
    asked,
    connections: () => promisify(server.getConnections.bind(server))(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

function fileOf({ name, version, files }: IndexedPackage): string {
  return 'pyproject.toml' in files ? `${name}-${version}.tar.gz` : `${stemOf(name)}-${version}-py3-none-any.whl`;
}

/** The bytes of a package's archive. */
export async function archiveOf(item: IndexedPackage, folder: string): Promise<Buffer> {
  const { name, version, files, requires = [], extras = [] } = item;
  const isSource = 'pyproject.toml' in files;
  const info = `${stemOf(name)}-${version}.dist-info`;
  const metadata = ['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`];
  const all = isSource
    ? { ...files, 'PKG-INFO': `${metadata.join('\n')}\n` }
    : {
        ...files,
        [`${info}/METADATA`]: `${[...metadata, ...extras.map((one) => `Provides-Extra: ${one}`), ...requires.map((one) => `Requires-Dist: ${one}`)].join('\n')}\n`,
        [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
        [`${info}/RECORD`]: [...Object.keys(files), `${info}/METADATA`, `${info}/WHEEL`, `${info}/RECORD`]
          .map((path) => `${path},,\n`)
          .join(''),
      };
  const target = join(folder, fileOf(item));
  await writeFile(
    join(folder, 'input.json'),
    JSON.stringify({ all, target, prefix: isSource ? `${name}-${version}/` : '' }),
  );
  await promisify(execFile)('python3', ['-c', PACK, join(folder, 'input.json')]);
  return readFile(target);
}

const PACK = `
import io, json, sys, tarfile, zipfile
job = json.load(open(sys.argv[1]))
if job["prefix"]:
    with tarfile.open(job["target"], "w:gz") as archive:
        for path, text in job["all"].items():
            entry = tarfile.TarInfo(job["prefix"] + path)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
else:
    with zipfile.ZipFile(job["target"], "w") as archive:
        for path, text in job["all"].items():
            archive.writestr(path, text)
`;

function sha(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A name as file names spell it. */
function stemOf(name: string): string {
  return name.replaceAll('-', '_');
}
