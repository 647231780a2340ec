#!/usr/bin/env node
// `npm run package:mcpb`: bundles the MCP server for clients that install bundles, and writes the registry's manifest.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packExtension } from '@anthropic-ai/mcpb';
import { bundle, packedFiles, stage } from './bundle.mjs';
import { mcpb, out, registryManifest, root } from './paths.mjs';
import { fail, SetupProblem } from './steps.mjs';

const DESCRIPTION = 'Runs Python, Node.js, Bash, C#, R and Lean 4 in warm, sealed sandboxes.';
const REGISTRY_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const PROGRAM = 'dist/cli.js';
/** Beside the program; those of the images come from the list of the extension. */
const FILES = [PROGRAM, 'dist/chunks/ssh.cjs', 'media/icon.png', 'LICENSE'];

/** Writes the bundle of dist and the images to `file`. Rejects when its manifest is not valid. */
export async function packServer(file = mcpb) {
  const folder = join(out, 'mcpb');
  const images = (await packedFiles()).filter((path) => path.startsWith('images/'));
  stage(folder, [...FILES, ...images]);
  const { name, version, type } = packageJson();
  write(join(folder, 'package.json'), { name, version, type });
  write(join(folder, 'manifest.json'), bundleManifest(packageJson()));
  if (!(await packExtension({ extensionPath: folder, outputPath: file, silent: true }))) {
    throw new SetupProblem(`${folder} could not be packed.`);
  }
}

/** The manifest inside the bundle: how a client starts the server. */
export function bundleManifest({ name, displayName, version, license, keywords, engines }) {
  return {
    manifest_version: '0.3',
    ...{ name, display_name: displayName, version, description: DESCRIPTION },
    long_description:
      'Agents run code and check proofs in sandboxes without a network. Needs Docker or Podman on this machine; `hothouse build` builds the images.',
    author: { name: displayName },
    ...{ license, keywords, icon: 'media/icon.png' },
    server: {
      type: 'node',
      entry_point: PROGRAM,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the client replaces it by the folder of the bundle.
      mcp_config: { command: 'node', args: ['${__dirname}/dist/cli.js', 'mcp'] },
    },
    ...{ tools_generated: true, prompts_generated: true },
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
  };
}

/** The manifest for the MCP registry, of a bundle with that SHA-256, which is an asset of the release of its version. */
export function serverManifest({ name, displayName, version, publisher, repository }, sha256) {
  const url = repositoryUrl(repository) ?? `https://github.com/${publisher}/${name}`;
  const [, owner, project] = /^https:\/\/github\.com\/([^/]+)\/([^/]+)$/.exec(url) ?? [];
  if (!owner) throw new SetupProblem(`The repository ${url} is not on GitHub, which vouches for the server's name.`);
  return {
    $schema: REGISTRY_SCHEMA,
    name: `io.github.${owner}/${project}`,
    ...{ title: displayName, description: DESCRIPTION, version },
    repository: { url, source: 'github' },
    packages: [
      {
        registryType: 'mcpb',
        identifier: `${url}/releases/download/v${version}/hothouse.mcpb`,
        ...{ version, fileSha256: sha256, transport: { type: 'stdio' } },
      },
    ],
  };
}

/** Of a `repository` in package.json, which is a text or has `url`. */
function repositoryUrl(repository) {
  const given = typeof repository === 'string' ? repository : repository?.url;
  return given?.replace(/^git\+/, '').replace(/\.git$/, '');
}

function packageJson() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
}

function write(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

async function main() {
  await bundle();
  await packServer();
  const sha256 = createHash('sha256').update(readFileSync(mcpb)).digest('hex');
  write(registryManifest, serverManifest(packageJson(), sha256));
  console.log(`${mcpb}\n${registryManifest}`);
  if (!packageJson().repository) console.error('Set repository in package.json before you publish them.');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main().catch(fail);
