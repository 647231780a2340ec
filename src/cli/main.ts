#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { systemClock } from '../base/clock.ts';
import { messageOf } from '../base/log.ts';
import { createEngine } from '../engine/engine.ts';
import { imageSources } from '../engine/environment/images.ts';
import { dockerHost } from '../host/docker/dockerHost.ts';
import { machineId, thisOwner } from '../host/identity.ts';
import { machineBuildSettings } from '../host/machine.ts';
import { loadAgent } from '../sandbox/agent.ts';
import { type Cli, runCli } from './cli.ts';
import { FAILURE_STATUS } from './exitStatus.ts';
import { stopOnSignals } from './signals.ts';
import { flush, say, type Terminal } from './terminal.ts';

const terminal: Terminal = process;
const { env } = process;
const home = homedir();

const createRealEngine: Cli['createEngine'] = async (options, log) => {
  const images = join(rootFolder(), 'images');
  const [agent, machine, owner] = await Promise.all([loadAgent(join(images, 'agent')), machineId(), thisOwner()]);
  return createEngine({
    connect: ({ host }) => dockerHost({ host, env, home, log }),
    agent,
    options,
    clock: systemClock,
    log,
    identity: { machine, owner },
    images: imageSources(images, () => machineBuildSettings(env)),
  });
};

/** Where the program is installed: one folder up from the bundle, two from this file. */
function rootFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const parent = dirname(here);
  return existsSync(join(parent, 'package.json')) ? parent : dirname(parent);
}

async function programVersion(): Promise<string> {
  const text = await readFile(join(rootFolder(), 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

/** Does what the command line says; what nobody expected is told without a stack, which would help nobody. */
async function main(signal: AbortSignal): Promise<number> {
  try {
    const cli: Cli = { version: await programVersion(), terminal, env, home, signal, createEngine: createRealEngine };
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
