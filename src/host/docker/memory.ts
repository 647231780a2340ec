import type { MemoryStats } from 'dockerode';

/**
 * Bytes in use as `docker stats` counts them: without the page cache that the kernel would give back. A container that
 * is gone, or just going, uses none.
 */
export function usedMemory(memory: Partial<MemoryStats> | undefined): number {
  // cgroup v1 names the whole tree's figure `total_inactive_file`; v2 has only `inactive_file`.
  const cache = memory?.stats?.total_inactive_file ?? memory?.stats?.inactive_file ?? 0;
  return Math.max(0, (memory?.usage ?? 0) - cache);
}
