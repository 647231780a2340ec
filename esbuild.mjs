#!/usr/bin/env node
// Bundles the extension and the command line: `node esbuild.mjs [--production] [--watch] [--outdir=dist]`; or, with
// `--program=FILE`, that program as the command line is bundled.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, parse, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, context } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const production = process.argv.includes('--production');
const [outdir = 'dist'] = valuesOf('outdir');
const programs = valuesOf('program');

const CHUNKS = 'chunks';
/** Docker over ssh with its library, a fifth of the command line; read for ssh:// hosts only. */
const SSH = `${CHUNKS}/ssh.cjs`;

/** Zod carries its messages in fifty languages, a third of the bundle; ours are English. */
const englishOnly = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.(js|cjs)$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: dirname(path),
    }));
  },
};

/** Dockerode's sessions of BuildKit bring a gRPC stack, a third of the bundle; our builds need none. */
const noBuildKit = {
  name: 'no-buildkit',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dockerode[\\/]lib[\\/](session|buildkit)\.js$/ }, () => ({
      contents: "module.exports = () => { throw new Error('Sessions of BuildKit are not part of this bundle.'); };",
    }));
  },
};

/**
 * For bundles in `folder` of the output: Docker's client loads ssh at its first use, and formats a request for its log,
 * which takes milliseconds of CPU, only when it logs.
 */
function slimModem(folder) {
  const ssh = relative(folder, SSH);
  return {
    name: 'slim-modem',
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /[\\/]docker-modem[\\/]lib[\\/]modem\.js$/ }, async ({ path }) => ({
        contents: replaceAllOnce(await readFile(path, 'utf8'), {
          "ssh = require('./ssh')": `ssh = (options) => require('./ssh')(options)`,
          "debug('Sending: %s', util.inspect": "debug.enabled && debug('Sending: %s', util.inspect",
        }),
      }));
      onResolve({ filter: /^\.\/ssh$/ }, ({ importer }) =>
        importer.endsWith('modem.js') ? { path: `./${ssh}`, external: true } : undefined,
      );
    },
  };
}

/** MCP's library asks of each request whether it is a response, and each no formats an error with its stack. */
const quickGuards = {
  name: 'quick-guards',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@modelcontextprotocol[\\/]server[\\/]dist[\\/]src-\w+\.mjs$/ }, async ({ path }) => ({
      contents: replaceAllOnce(await readFile(path, 'utf8'), {
        '(value) => JSONRPCResultResponseSchema.safeParse(value)':
          '(value) => value?.result !== undefined && JSONRPCResultResponseSchema.safeParse(value)',
        '(value) => JSONRPCErrorResponseSchema.safeParse(value)':
          '(value) => value?.error !== undefined && JSONRPCErrorResponseSchema.safeParse(value)',
      }),
    }));
  },
};

function valuesOf(option) {
  return process.argv.flatMap((argument) => argument.match(`^--${option}=(.*)`)?.[1] ?? []);
}

/** Throws when a text to replace is not there, or is there twice. */
function replaceAllOnce(source, replacements) {
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (text.split(from).length !== 2) throw new Error(`a dependency has changed: ${from} is not there once`);
    return text.replace(from, () => to);
  }, source);
}

/** MCP's library brings Ajv, a tenth of the bundle, to check forms that clients fill in; we send none. */
const noForms = {
  name: 'no-forms',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@modelcontextprotocol[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/ }, () => ({
      contents: "export { default as process } from 'node:process';\nexport class DefaultJsonSchemaValidator {}",
    }));
  },
};

/** Names that dependencies written as CommonJS expect. */
const COMMONJS_NAMES = [
  "import { createRequire as hothouseRequire } from 'node:module';",
  'const require = hothouseRequire(import.meta.url);',
  'const __dirname = import.meta.dirname;',
].join('\n');

const common = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  platform: 'node',
  // Its main file loads its parts in a way that cannot be bundled.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  format: 'esm',
  target: 'node20',
  banner: { js: COMMONJS_NAMES },
  minify: production,
  sourcemap: production ? false : 'linked',
  metafile: true,
  legalComments: 'none',
  logLevel: 'info',
};

const plugins = [englishOnly, noBuildKit, noForms, quickGuards];

const program = (entryPoints) => ({ ...common, entryPoints, plugins: [...plugins, slimModem('')] });

const shipped = [
  {
    ...common,
    // The program is what other MCP clients start; it shares the extension's chunks.
    entryPoints: { extension: 'src/vscode/extension.ts', program: 'src/cli/main.ts' },
    external: ['vscode'],
    plugins: [...plugins, slimModem(CHUNKS)],
    // Activation reads what registers features; the engine and the MCP server are read at their first use.
    splitting: true,
    chunkNames: `${CHUNKS}/[name]-[hash]`,
  },
  // `vscode` is missing here on purpose: a leak of the editor into the command line must fail the build.
  program({ cli: 'src/cli/main.ts' }),
  {
    ...common,
    entryPoints: { ssh: 'docker-modem/lib/ssh.js' },
    outdir: join(outdir, CHUNKS),
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    banner: {},
    // ssh2's native helpers are optional, and it does without them.
    loader: { '.node': 'empty' },
    external: ['cpu-features'],
  },
];

const bundles = programs.length > 0 ? programs.map((path) => program({ [parse(path).name]: path })) : shipped;

async function once() {
  // Their names change with their contents, and old ones would be packed.
  await rm(resolve(root, outdir, CHUNKS), { recursive: true, force: true });
  await mkdir(join(root, 'out'), { recursive: true });
  for (const options of bundles) {
    const { metafile } = await build(options);
    const [name] = Object.keys(options.entryPoints);
    await writeFile(join(root, 'out', `${name}.meta.json`), JSON.stringify(metafile));
  }
}

async function watch() {
  for (const options of bundles) await (await context(options)).watch();
}

try {
  await (process.argv.includes('--watch') ? watch() : once());
} catch (error) {
  // What is wrong with the sources has been said by esbuild itself.
  if (!error.errors) throw error;
  process.exitCode = 1;
}
