import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dockerAddress } from './localIndex.ts';

/** A package for a feed. */
export interface FeedPackage {
  readonly name: string;
  readonly version: string;
  /** Path in the archive → text, or the bytes of an assembly. */
  readonly files: Readonly<Record<string, string | Buffer>>;
  /** The inner text of `<dependencies>`. */
  readonly requires?: string;
}

/** A feed with version 3 of NuGet's protocol, which containers of this machine reach. */
export interface NugetFeed {
  /** Address of its service index. */
  readonly url: string;
  /** Paths that were asked for, with the `Authorization` of the request where it had one. */
  readonly asked: string[];
  /** Replaces a file, as a feed must not. */
  replace(one: FeedPackage): Promise<void>;
  /** Number of open connections. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

/** Serves packages at the address that Docker's network has on this machine. The package `slow` is never answered. */
export async function nugetFeed(packages: readonly FeedPackage[]): Promise<NugetFeed> {
  const files = new Map<string, Buffer | string>();
  const versions = new Map<string, string[]>();
  const asked: string[] = [];
  const put = async (one: FeedPackage) => {
    const { name, version } = one;
    const [id, folder] = [name.toLowerCase(), version.toLowerCase()];
    files.set(`/flat/${id}/${folder}/${id}.${folder}.nupkg`, await archiveOf(one));
    files.set(`/flat/${id}/${folder}/${id}.nuspec`, nuspecOf(one));
  };
  for (const one of packages) {
    await put(one);
    const id = one.name.toLowerCase();
    versions.set(id, [...(versions.get(id) ?? []), one.version]);
  }
  for (const [id, list] of versions) files.set(`/flat/${id}/index.json`, JSON.stringify({ versions: list }));
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push([path, request.headers.authorization].filter(Boolean).join(' '));
    if (path.startsWith('/flat/slow/')) return;
    const file = files.get(path);
    response.statusCode = file === undefined ? 404 : 200;
    response.end(file);
  });
  const host = dockerAddress();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  const resources = [
    { '@id': `${url}/query`, '@type': 'SearchQueryService' },
    { '@id': `${url}/flat/`, '@type': 'PackageBaseAddress/3.0.0' },
  ];
  files.set('/v3/index.json', JSON.stringify({ version: '3.0.0', resources }));
  return {
    url: `${url}/v3/index.json`,
    asked,
    replace: put,
    connections: () => promisify(server.getConnections.bind(server))(),
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The bytes of a `.nupkg`. */
export async function archiveOf(one: FeedPackage): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'hothouse-nuget-'));
  try {
    const target = join(folder, 'package.nupkg');
    const all = { ...one.files, [`${one.name}.nuspec`]: nuspecOf(one) };
    const entries = Object.entries(all).map(([path, content]) => [path, Buffer.from(content).toString('base64')]);
    await writeFile(join(folder, 'input.json'), JSON.stringify({ entries, target }));
    await promisify(execFile)('python3', ['-c', PACK, join(folder, 'input.json')]);
    return await readFile(target);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function nuspecOf({ name, version, requires = '' }: FeedPackage): string {
  const dependencies = requires && `<dependencies>${requires}</dependencies>`;
  const namespace = 'http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd';
  return `\uFEFF<?xml version="1.0" encoding="utf-8"?>
<package xmlns="${namespace}"><metadata><id>${name}</id><version>${version}</version><authors>tests</authors>
<description>A package.</description>${dependencies}</metadata></package>`;
}

const PACK = `
import base64, json, sys, zipfile
job = json.load(open(sys.argv[1]))
with zipfile.ZipFile(job["target"], "w", zipfile.ZIP_DEFLATED) as archive:
    for path, content in job["entries"]:
        archive.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), base64.b64decode(content))
`;
