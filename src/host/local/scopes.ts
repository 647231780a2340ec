import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { OtherLimits } from '../host.ts';
import type { ContainerSpec } from '../spec.ts';
import type { Command } from './localContainer.ts';

/** Which limits of a sandbox a cgroup holds. */
export interface HeldLimits {
  readonly memory: boolean;
  readonly swap: boolean;
  readonly cpu: boolean;
  readonly processes: boolean;
}

/** Sandboxes in cgroups, or none with the reason. */
export interface Scopes {
  readonly held: HeldLimits;
  /** Why not all limits are held, a sentence with the next step where there is one; null when they are. */
  readonly problem: string | null;
  /** What starts a sandbox with this id in a cgroup of its own. Null where there are none. */
  readonly scopeOf: ((id: string, spec: ContainerSpec) => Scope) | null;
}

/** The cgroup of one sandbox, which systemd makes for it and removes after its last process. */
export interface Scope {
  /** The folder of the cgroup, once `command` runs. */
  readonly folder: string;
  /** A program in it, whose limits can be changed where they are held. */
  command(program: string, args: readonly string[]): Command;
}

const PROGRAM = 'systemd-run';
const CGROUPS = '/sys/fs/cgroup';
const ASK_MS = 5_000;
const MB = 1 << 20;
/** The limits of the probe, of which only whether they arrive matters. */
const PROBE_LIMITS = { memoryBytes: 64 * MB, cpus: 1, pids: 64 };
/** Prints its cgroup, and then what that holds, a line each. */
const PROBE = `
cd "${CGROUPS}$(sed -n 's/^0:://p' /proc/self/cgroup)" && [ -e cgroup.controllers ] || exit 3
pwd
for name in memory.max memory.swap.max cpu.max pids.max; do echo "$(cat "$name" 2>&-)"; done
`;
const NO_CGROUP = 3;
const NONE: HeldLimits = { memory: false, swap: false, cpu: false, processes: false };
const CONTROLLERS = { memory: 'memory', cpu: 'cpu', processes: 'pids' } as const;

/** Asks systemd for one cgroup, to see which limits it can hold for this user. Never rejects. */
export async function findScopes(env: NodeJS.ProcessEnv = process.env): Promise<Scopes> {
  const uid = process.getuid?.() ?? 0;
  const variables = withBus(env, uid);
  const user = uid === 0 ? [] : ['--user'];
  const start = [...user, '--scope', '--quiet', '--collect', '--no-ask-password'];
  // Engines of one process may ask at the same time.
  const unit = unitOf(`probe-${randomUUID()}`);
  try {
    const args = [...start, ...propertiesOf(unit, PROBE_LIMITS), 'sh', '-c', PROBE];
    const { stdout } = await promisify(execFile)(PROGRAM, args, { timeout: ASK_MS, env: variables });
    const [folder = '', ...values] = stdout.split('\n');
    const held = heldBy(values);
    const scopeOf = (id: string, spec: ContainerSpec): Scope => {
      const name = unitOf(id);
      return {
        folder: join(dirname(folder), name),
        command: (program, rest) => ({
          program: PROGRAM,
          args: [...start, ...propertiesOf(name, spec), program, ...rest],
          env: variables,
          limit: async (limits) => {
            const isHeld = (limits.memoryBytes === undefined || held.memory) && (limits.cpus === undefined || held.cpu);
            const change = [...user, 'set-property', '--runtime', name, ...assignmentsOf(limits)];
            if (isHeld) await promisify(execFile)('systemctl', change, { timeout: ASK_MS, env: variables });
            return isHeld;
          },
        }),
      };
    };
    return { held, problem: lackOf(held, uid), scopeOf };
  } catch (error) {
    return without(reasonOf(error));
  }
}

function without(problem: string): Scopes {
  return { held: NONE, problem, scopeOf: null };
}

function unitOf(id: string): string {
  return `hothouse-${id}.scope`;
}

function propertiesOf(unit: string, limits: typeof PROBE_LIMITS): string[] {
  const given = [
    ...assignmentsOf(limits),
    'MemorySwapMax=0',
    `TasksMax=${limits.pids}`,
    // Or systemd would end the whole sandbox when the kernel ends one run for its memory.
    'Delegate=yes',
  ];
  return [`--unit=${unit}`, '--description=Hothouse sandbox', ...given.map((one) => `--property=${one}`), '--'];
}

function assignmentsOf({ memoryBytes, cpus }: OtherLimits): string[] {
  return [
    ...(memoryBytes === undefined ? [] : [`MemoryMax=${memoryBytes}`]),
    ...(cpus === undefined ? [] : [`CPUQuota=${Math.ceil(cpus * 100)}%`]),
  ];
}

/** Programs that no session has started often lack the address of the user's systemd. */
function withBus(env: NodeJS.ProcessEnv, uid: number): NodeJS.ProcessEnv {
  return uid === 0 ? env : { ...env, XDG_RUNTIME_DIR: env.XDG_RUNTIME_DIR || `/run/user/${uid}` };
}

/** From the lines of the probe. A controller that is not delegated has no file, or one without its limit. */
function heldBy([memory = '', swap = '', cpu = '', processes = '']: readonly string[]): HeldLimits {
  const isNumber = (text: string) => /^\d+\b/.test(text);
  return { memory: isNumber(memory), swap: isNumber(swap), cpu: isNumber(cpu), processes: isNumber(processes) };
}

function lackOf(held: HeldLimits, uid: number): string | null {
  const lacking = Object.entries(CONTROLLERS).flatMap(([name, controller]) =>
    held[name as keyof typeof CONTROLLERS] ? [] : [controller],
  );
  if (lacking.length === 0) return null;
  const which = `systemd has no cgroup controller ${lacking.join(', ')} for sandboxes`;
  return uid === 0
    ? `${which}.`
    : `${which}. Run \`sudo systemctl edit user@.service\`, add Delegate=cpu memory pids below [Service], and restart.`;
}

function reasonOf(error: unknown): string {
  const { code, stderr } = (error ?? {}) as { code?: unknown; stderr?: unknown };
  if (code === NO_CGROUP) return 'There is no cgroup v2; boot with systemd.unified_cgroup_hierarchy=1.';
  if (code === 'ENOENT') return `There is no ${PROGRAM}, by which systemd would give each sandbox a cgroup.`;
  if (/not been booted with systemd/.test(String(stderr)))
    return 'There is no systemd, which would give each sandbox a cgroup.';
  const [said = ''] = String(stderr ?? '')
    .trim()
    .split('\n');
  return `systemd gives sandboxes no cgroup: ${said || 'it does not answer'}. Log in with a session, or run \`loginctl enable-linger\`.`;
}
