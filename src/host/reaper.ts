import type { Clock } from '../base/clock.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { type Log, messageOf } from '../base/log.ts';
import type { ContainerSummary, Host } from './host.ts';
import { LABEL } from './labels.ts';

const SWEEP_MS = 60_000;

/** What a reaper works with. */
export interface ReaperOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Log;
  /** From `machineId`: containers of other machines and users are left alone. */
  readonly machine: string;
  /** Whether the process of an owner label is alive. */
  readonly isAlive: (owner: string) => Promise<boolean>;
}

/** Ids of spared containers without an owner → when they were first seen so, by the clock. */
type Sightings = Map<string, number>;

/** Sweeps now and every minute until disposed; a failed sweep is repeated with the next one. */
export function startReaper(options: ReaperOptions): Disposable {
  let timer: Disposable = toDisposable(() => {});
  let stopped = false;
  const sightings: Sightings = new Map();
  const turn = async () => {
    await sweep(options, sightings).catch((error) => options.log.debug(`no sweep for orphans: ${messageOf(error)}`));
    if (!stopped) timer = options.clock.schedule(SWEEP_MS, () => void turn());
  };
  void turn();
  return toDisposable(() => {
    stopped = true;
    timer.dispose();
  });
}

/**
 * Removes the containers of this machine whose owner has ended, and the volumes of this machine that no container has, and
 * resolves with the ids of the containers. Those that are spared are removed once they were seen without an owner for
 * longer than that: their agents should have ended them.
 */
export async function sweep(options: ReaperOptions, sightings: Sightings = new Map()): Promise<string[]> {
  const removed: string[] = [];
  for (const container of await options.host.list({ [LABEL.machine]: options.machine })) {
    if (!(await isOrphan(container, options)) || isSpared(container, options, sightings)) continue;
    const name = container.id.slice(0, 12);
    try {
      await options.host.remove(container.id);
      options.log.info(`removed container ${name}, whose owner is gone`);
      removed.push(container.id);
    } catch (error) {
      // One failed removal must not block the others; the next sweep retries it.
      options.log.warn(`container ${name}, whose owner is gone, could not be removed: ${messageOf(error)}`);
    }
  }
  await sweepVolumes(options.host, options.machine);
  return removed;
}

/** Removes the volumes of this machine that no container has: another program has removed theirs without them. */
export function sweepVolumes(host: Host, machine: string): Promise<void> {
  return host.removeUnusedVolumes({ [LABEL.managed]: 'true', [LABEL.machine]: machine });
}

function isSpared({ id, running, spared }: ContainerSummary, { clock }: ReaperOptions, sightings: Sightings): boolean {
  if (!running || !spared) return false;
  const since = sightings.get(id) ?? clock.now();
  sightings.set(id, since);
  return clock.now() - since <= spared.seconds * 1000 + SWEEP_MS;
}

async function isOrphan(container: ContainerSummary, { machine, isAlive }: ReaperOptions): Promise<boolean> {
  const { labels, running, spared } = container;
  // It ends with the container that it serves, which another engine may have.
  if (labels[LABEL.proxy] !== undefined && running) return false;
  const owner = spared?.owner ?? labels[LABEL.owner];
  // The host filters by machine; before a removal the label is checked again here.
  const ours = labels[LABEL.managed] !== undefined && labels[LABEL.machine] === machine;
  return ours && owner !== undefined && !(await isAlive(owner));
}
