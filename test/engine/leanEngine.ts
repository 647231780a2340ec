import path from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { imageSources } from '../../src/engine/environment/images.ts';
import { Options, type OptionsInput } from '../../src/engine/options.ts';
import type { Engine, Owner } from '../../src/engine/types.ts';
import { dockerHost } from '../../src/host/docker/dockerHost.ts';
import { machineId, thisOwner } from '../../src/host/identity.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { leanImage } from '../leanImage.ts';

const IMAGES = path.resolve(import.meta.dirname, '../../images');

export const OWNER: Owner = { id: 'prover', kind: 'mcp', label: 'prover' };

/** An engine of the test's own on the image with a real Lean. */
export async function leanEngine(options: OptionsInput = {}): Promise<Engine> {
  return createEngine({
    connect: () => dockerHost({ env: process.env, home: process.env.HOME ?? '/', log: silentLog }),
    agent: await loadAgent(path.join(IMAGES, 'agent')),
    // Only what hangs takes so long, however slow the machine.
    options: Options.parse({
      ...options,
      limits: { timeoutSeconds: 120, ...options.limits },
      lean: { image: leanImage(), ...options.lean },
    }),
    clock: systemClock,
    log: silentLog,
    identity: { machine: `${await machineId()}-lean-test`, owner: await thisOwner() },
    languages: LANGUAGES,
    images: imageSources(IMAGES, async () => ({ buildArgs: {}, files: {} })),
  });
}
