#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { messageOf } from '../base/log.ts';
import { LANGUAGES } from '../languages/registry.ts';
import { createLocalEngine } from '../local/localEngine.ts';
import { type Cli, runCli } from './cli.ts';
import { FAILURE_STATUS } from './exitStatus.ts';
import { stopOnSignals } from './signals.ts';
import { flush, say, type Terminal } from './terminal.ts';

const terminal: Terminal = process;
const { env } = process;
const home = homedir();

/** The folder of package.json: one level above the bundle, two above this file. */
function rootFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const parent = dirname(here);
  return existsSync(join(parent, 'package.json')) ? parent : dirname(parent);
}

async function programVersion(): Promise<string> {
  const text = await readFile(join(rootFolder(), 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

/** Runs the command line; an unexpected error prints its message, without a stack. */
async function main(signal: AbortSignal): Promise<number> {
  const imagesFolder = join(rootFolder(), 'images');
  const createEngine: Cli['createEngine'] = (options, log, isLasting = false) =>
    createLocalEngine({ options, log, env, home, imagesFolder, isLasting });
  try {
    const version = await programVersion();
    const cli: Cli = { version, languages: LANGUAGES, terminal, env, home, signal, createEngine };
    return await runCli(process.argv.slice(2), cli);
  } catch (error) {
    say(terminal, messageOf(error));
    return FAILURE_STATUS;
  }
}

const stop = stopOnSignals(terminal);
const status = await main(stop.signal);
await Promise.all([flush(process.stdout), flush(process.stderr)]);
process.exit(stop.status() ?? status);
