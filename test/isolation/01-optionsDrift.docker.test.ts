import { describe, expect, it } from 'vitest';
import { specOf } from '../../src/engine/environment/sandboxSpec.ts';
import { Options } from '../../src/engine/options.ts';
import { createOptions } from '../../src/host/docker/createOptions.ts';
import { thisOwner } from '../../src/host/identity.ts';
import { LABEL } from '../../src/host/labels.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { fileFixture } from '../fileFixture.ts';
import { idOf, inspectContainer } from '../host/docker/inspect.ts';
import { isolationEngine, OWNER, run } from './harness.ts';

const OPTIONS = { pool: { size: 3 }, limits: { memoryMb: 300, cpus: 0.5, pids: 99, workspaceMb: 32, tmpMb: 16 } };

/** What Docker fills in by itself and is harmless. Everything else outside the spec has to be empty. */
const FILLED_IN = {
  CgroupnsMode: expect.stringMatching(/^(private|host)$/),
  ConsoleSize: [0, 0],
  MaskedPaths: expect.arrayContaining(['/proc/kcore', '/proc/keys', '/proc/timer_list', '/sys/firmware']),
  ReadonlyPaths: expect.arrayContaining(['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger']),
  RestartPolicy: { Name: expect.stringMatching(/^(no)?$/), MaximumRetryCount: 0 },
  Runtime: expect.any(String),
};

const isolated = fileFixture(() => isolationEngine(OPTIONS));

describe('row 1: options drift', () => {
  it('every container of pool and sessions has exactly the options of the spec', async () => {
    await isolated.engine.openSession('python', OWNER);
    await Promise.all([1, 2, 3].map(() => run(isolated, 'import time; time.sleep(0.5)')));
    const ids = await isolated.containers();
    expect(ids.length).toBeGreaterThanOrEqual(4);
    const spec = await expectedSpec(ids);
    const users = new Set<number>();
    for (const id of ids) {
      const { Config, HostConfig, Mounts } = await inspectContainer(id);
      const user = idOf(Config.User);
      users.add(user);
      const { HostConfig: wantedHost = {}, ...wanted } = createOptions(spec, user);
      expect(filled({ ...HostConfig })).toEqual({ ...FILLED_IN, ...filled({ ...wantedHost }) });
      // The image's own settings, which do not affect isolation.
      const { Labels, Image, ...config } = Config;
      const { Labels: wantedLabels, Image: wantedImage, ...wantedConfig } = wanted;
      expect(filled(config)).toEqual(filled({ ...wantedConfig }));
      expect(Labels).toMatchObject({ ...wantedLabels });
      expect(Image).toBe(wantedImage);
      // The folders of packages and of a view, which go with the container and belong to root. They are found by their
      // labels should another program remove the container without them.
      const volume = (Destination: string) => expect.objectContaining({ Type: 'volume', Destination, Driver: 'local' });
      expect(Mounts).toHaveLength(2);
      expect(Mounts).toEqual(expect.arrayContaining([volume('/packages'), volume('/view')]));
    }
    expect(users.size).toBe(ids.length);
  });
});

async function expectedSpec(ids: readonly string[]) {
  const { Labels } = (await inspectContainer(ids[0] ?? '')).Config;
  const machine = String(Object.entries(Labels ?? {}).find(([name]) => name === LABEL.machine)?.[1]);
  return specOf(LANGUAGES[0], Options.parse(OPTIONS), { machine, owner: await thisOwner() });
}

/** The options that are not empty. */
function filled(options: Record<string, unknown>): Record<string, unknown> {
  const shown = Object.entries(options).map(
    ([name, value]) => [name, name === 'Mounts' ? mounts(value) : value] as const,
  );
  return Object.fromEntries(shown.filter(([, value]) => !isEmpty(value)));
}

/** Docker shows what is empty in a mount as missing. */
function mounts(given: unknown): unknown {
  return JSON.parse(JSON.stringify(given), (_, value) => (isEmpty(value) ? undefined : value));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === undefined || value === '' || value === 0 || value === false;
}
