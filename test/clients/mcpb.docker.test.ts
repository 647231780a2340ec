import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { unpackExtension } from '@anthropic-ai/mcpb';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call, newClient, textOf } from '../mcp/connect.ts';

const ROOT = resolve(import.meta.dirname, '../..');
// Setup runs before TypeScript is installed, so it has no types to import.
const load = (name: string) => import(new URL(`../../src/setup/${name}`, import.meta.url).href);
const { bundle } = await load('bundle.mjs');
const { packServer, serverManifest } = await load('mcpb.mjs');

/** What of a bundle's manifest tells a client how to start the server. */
const Manifest = z.object({
  version: z.string(),
  server: z.object({
    entry_point: z.string(),
    mcp_config: z.object({ command: z.literal('node'), args: z.array(z.string()) }),
  }),
});

describe('the bundle of the MCP server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hothouse-mcpb-'));
  const unpacked = join(folder, 'unpacked');

  beforeAll(async () => {
    if (!existsSync(join(ROOT, 'dist/cli.js'))) await bundle();
    const file = join(folder, 'hothouse.mcpb');
    await packServer(file);
    expect(await unpackExtension({ mcpbPath: file, outputDir: unpacked, silent: true })).toBe(true);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has the version of the package, and no sources or dependencies', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(manifest().version).toBe(version);
    expect(existsSync(join(unpacked, manifest().server.entry_point))).toBe(true);
    for (const name of ['src', 'node_modules', 'test']) expect(existsSync(join(unpacked, name))).toBe(false);
  });

  it('starts a server that lists its tools and runs code', async () => {
    const { args } = manifest().server.mcp_config;
    const client = newClient();
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        // As a client replaces it.
        args: args.map((argument) => argument.replace(['$', '{__dirname}'].join(''), unpacked)),
        cwd: tmpdir(),
        stderr: 'pipe',
      }),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('run_code');
    const ran = await call(client, 'run_code', { language: 'python', code: 'print(6 * 7)' });
    expect(textOf(ran)).toContain('42');
    await client.close();
  });

  function manifest() {
    return Manifest.parse(JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')));
  }
});

/** What the registry's schema of 2025-12-11 and its checks of bundles require of the fields that ours has. */
const ServerJson = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/),
  repository: z.strictObject({ url: z.url(), source: z.string() }),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('mcpb'),
        identifier: z.url({ protocol: /^https$/ }).regex(/mcp/i),
        version: z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/),
        fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
        transport: z.strictObject({ type: z.literal('stdio') }),
      }),
    )
    .min(1),
});

describe('the manifest for the MCP registry', () => {
  const packageJson = () => JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

  it('is what the schema of the registry requires', () => {
    const parsed = ServerJson.parse(serverManifest(packageJson(), 'a'.repeat(64)));
    expect(parsed.version).toBe(packageJson().version);
  });

  it.each(['https://github.com/Some-One/tools', 'git+https://github.com/Some-One/tools.git'])(
    'has the name that the owner of the repository %s may publish',
    (url) => {
      const { name, repository, packages } = ServerJson.parse(
        serverManifest({ ...packageJson(), repository: { type: 'git', url } }, '0'.repeat(64)),
      );
      expect(name).toBe('io.github.Some-One/tools');
      expect(repository.url).toBe('https://github.com/Some-One/tools');
      expect(packages[0]?.identifier).toMatch(/^https:\/\/github\.com\/Some-One\/tools\/releases\/download\/v/);
    },
  );

  it('is not written for a repository elsewhere', () => {
    const repository = 'https://example.org/a/b';
    expect(() => serverManifest({ ...packageJson(), repository }, '0'.repeat(64))).toThrow(/not on GitHub/);
  });
});
