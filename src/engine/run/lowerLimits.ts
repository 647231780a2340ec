import type { OtherLimits } from '../../host/host.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Environment } from '../environment/environment.ts';
import type { MemoryLimit } from '../environment/profile.ts';
import type { RunLimits } from '../types.ts';

const MB = 1024 * 1024;

/** The limits that a run has. */
export interface Lowered {
  /** The sandbox has lower limits than others from now on. */
  readonly isLowered: boolean;
  readonly memory: MemoryLimit;
}

/**
 * Lowers the limits of a sandbox to those that a run asks for, where they are below its own. A sandbox that is ready takes
 * memory already, which the run does not pay for. Rejects when the sandbox is lost or its host does not answer.
 */
export async function lowerLimits(
  sandbox: Sandbox,
  { memory, cpus }: Pick<Environment, 'memory' | 'cpus'>,
  { memoryMb, cpus: askedCpus = cpus }: RunLimits,
): Promise<Lowered> {
  const memoryBytes = memoryMb === undefined ? null : await memoryFor(sandbox, memoryMb);
  const limits: OtherLimits = {
    ...(memoryBytes !== null && memoryBytes < memory.mb * MB && { memoryBytes }),
    ...(askedCpus < cpus && { cpus: askedCpus }),
  };
  const isLowered = Object.keys(limits).length > 0 && ((await sandbox.limit?.(limits)) ?? false);
  const hasLess = isLowered && limits.memoryBytes !== undefined && memoryMb !== undefined;
  return { isLowered, memory: hasLess ? { mb: memoryMb, option: null } : memory };
}

async function memoryFor(sandbox: Sandbox, memoryMb: number): Promise<number> {
  const { memoryBytes } = await sandbox.measure();
  return memoryBytes + memoryMb * MB;
}
