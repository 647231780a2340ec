import { defineConfig } from 'vitest/config';

const attacks = ['test/isolation/**', 'test/faults/**'];
/** Rows 35 to 39: attacks on the MCP server. */
const clients = 'test/isolation/3[5-9]-*.test.ts';

/**
 * `unit` needs nothing but Node; `docker`, `isolation`, `faults` and `clients` need a Docker Engine and the Python image;
 * `lean` needs a Docker Engine and the image with Lean that HOTHOUSE_TEST_LEAN_IMAGE names.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.docker.test.ts', 'test/**/*.lean.test.ts', 'test/e2e/**', ...attacks],
          // Some start programs, which takes long on a busy machine.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'docker',
          include: ['test/**/*.docker.test.ts'],
          exclude: attacks,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Sandboxes share two cores and some tests measure; one file at a time keeps them honest.
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'lean',
          include: ['test/**/*.lean.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'isolation',
          include: ['test/isolation/**/*.test.ts'],
          exclude: [clients],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'clients',
          include: [clients],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
