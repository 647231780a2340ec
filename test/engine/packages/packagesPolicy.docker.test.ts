import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path, { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { imageSources } from '../../../src/engine/environment/images.ts';
import { Options, type OptionsInput } from '../../../src/engine/options.ts';
import type { Engine, Owner } from '../../../src/engine/types.ts';
import { machineBuildSettings } from '../../../src/host/buildSettings.ts';
import { dockerHost } from '../../../src/host/docker/dockerHost.ts';
import { thisOwner } from '../../../src/host/identity.ts';
import { LANGUAGES } from '../../../src/languages/registry.ts';
import { installerPrograms } from '../../../src/local/installerPrograms.ts';
import { loadAgent } from '../../../src/sandbox/agentBundle.ts';

const IMAGES = path.resolve(import.meta.dirname, '../../../images');
const PERSON: Owner = { id: 'person', kind: 'notebook', label: 'notebook' };

/** An engine with this machine's own settings: its package index, its certificates and its proxies. */
async function withEngine<T>(network: OptionsInput['network'], use: (engine: Engine) => Promise<T>): Promise<T> {
  const machine = `test-${randomBytes(8).toString('hex')}`;
  const engine = createEngine({
    connect: () => dockerHost({ env: process.env, home: process.env.HOME ?? '/', log: silentLog }),
    agent: await loadAgent(join(IMAGES, 'agent')),
    languages: LANGUAGES,
    options: Options.parse({ network, pool: { size: 1 }, python: { preload: [] } }),
    clock: systemClock,
    log: silentLog,
    identity: { machine, owner: await thisOwner() },
    installers: installerPrograms(IMAGES),
    images: imageSources(IMAGES, () => machineBuildSettings(process.env)),
  });
  try {
    return await use(engine);
  } finally {
    await engine.dispose();
    await promisify(execFile)('docker', ['volume', 'rm', '--force', `hothouse-packages-${machine}`]);
  }
}

async function install(engine: Engine) {
  const session = await engine.openSession('python', PERSON);
  if (!session.ok) throw new Error(session.error.message);
  const sessionId = session.value.id;
  const installed = await engine.installPackages({ sessionId, owner: PERSON, packages: ['iniconfig'] });
  const run = await engine.run({
    language: 'python',
    owner: PERSON,
    sessionId,
    code: 'import iniconfig\nprint("there")',
  });
  return { installed, stdout: run.stdout, decisions: engine.snapshot().network.decisions };
}

it('installs from the registries of this machine through the proxy, and reaches nothing else', async () => {
  await withEngine({ policy: 'packages' }, async (engine) => {
    const { installed, stdout, decisions } = await install(engine);
    expect(installed).toMatchObject({ ok: true });
    expect(stdout).toBe('there\n');
    expect(decisions.filter(({ denied }) => denied === null).length).toBeGreaterThan(0);
    expect(decisions.filter(({ denied }) => denied !== null)).toEqual([]);
  });
});

it('installs nothing when the registries are other hosts', async () => {
  await withEngine({ policy: 'packages', registries: ['registry.invalid'] }, async (engine) => {
    const { installed, decisions } = await install(engine);
    expect(installed).toMatchObject({ ok: false, error: { kind: 'install_failed' } });
    expect(decisions).toContainEqual(expect.objectContaining({ denied: 'host' }));
  });
});
