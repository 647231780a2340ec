import { defineConfig } from 'vitest/config';

/** `unit` needs nothing but Node; `docker` needs a Docker Engine and the Python image. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.docker.test.ts', 'test/e2e/**'],
        },
      },
      {
        test: {
          name: 'docker',
          include: ['test/**/*.docker.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Sandboxes share two cores and some tests measure; one file at a time keeps them honest.
          fileParallelism: false,
        },
      },
    ],
  },
});
