import { expect, it } from 'vitest';
import { usedMemory } from '../../../src/host/docker/memory.ts';

// The engine's figures have many more fields than a test needs.
const figures = (usage: number, stats: Record<string, number>) => ({ usage, stats }) as never;

it.each([
  ['cgroup v1', figures(100, { total_inactive_file: 30, inactive_file: 10 }), 70],
  ['cgroup v2', figures(100, { inactive_file: 10 }), 90],
  ['more cache than usage', figures(10, { inactive_file: 30 }), 0],
  ['a container that ends', {}, 0],
  ['no container', undefined, 0],
])('memory without the page cache: %s', (_, memory, bytes) => {
  expect(usedMemory(memory)).toBe(bytes);
});
