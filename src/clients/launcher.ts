import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Place, ServerProgram } from './client.ts';

/** A program that moves, as an extension does with each update, and the file that starts it from a place that stays. */
export interface Launcher {
  /** What an entry in a client's file says, before and after a move. */
  readonly program: ServerProgram;
  readonly file: string;
  readonly text: string;
}

/** The launcher of a program whose first argument is a script. On Windows clients start no batch files. */
export function launcherOf({ platform, home }: Pick<Place, 'platform' | 'home'>, program: ServerProgram): Launcher {
  const { command, args, env } = program;
  const [script = '', ...rest] = args;
  const folder = join(home, '.hothouse', 'bin');
  if (platform === 'win32') {
    const file = join(folder, 'hothouse.cjs');
    return { program: { ...program, args: [file, ...rest] }, file, text: windowsText(script) };
  }
  const file = join(folder, 'hothouse');
  return { program: { command: file, args: rest }, file, text: shellText(command, script, env) };
}

/** Writes the file at once, and its folder where it is missing. */
export async function writeLauncher({ file, text }: Launcher): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, text, { mode: 0o700, flag: 'wx', flush: true });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Makes a launcher that an earlier version has written start this one; without one nothing is written. */
export async function renewLauncher(launcher: Launcher): Promise<void> {
  const old = await readFile(launcher.file, 'utf8').catch(() => null);
  if (old !== null && old !== launcher.text) await writeLauncher(launcher);
}

const GONE = 'Hothouse is not where it was: start its editor once, install the extension again, or remove this server.';

function shellText(command: string, script: string, env: ServerProgram['env'] = {}): string {
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  return `#!/bin/sh
# Starts Hothouse for MCP clients. The extension writes this file anew after each of its updates.
if ! [ -f ${quoted(script)} ]; then echo ${quoted(GONE)} >&2; exit 1; fi
${variables.join('')}exec ${quoted(command)} ${quoted(script)} "$@"
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function windowsText(script: string): string {
  const path = JSON.stringify(script);
  return `// Starts Hothouse for MCP clients. The extension writes this file anew after each of its updates.
if (!require('node:fs').existsSync(${path})) {
  console.error(${JSON.stringify(GONE)});
  process.exit(1);
}
require(${path});
`;
}
