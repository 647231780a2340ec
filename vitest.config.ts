import { defineConfig } from 'vitest/config';
import { useOwnTemporaryFolder } from './test/temporaryFolder.ts';

useOwnTemporaryFolder();

/**
 * Tests on real sandboxes: only what hangs takes so long, however slow the machine. One file at a time, since they share its
 * cores and some measure.
 */
const real = (name: string, include: string[], exclude: string[] = []) => ({
  test: {
    name,
    include,
    exclude,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    fileParallelism: false,
  },
});

/** The same on this machine without a container engine. */
const onLocal = (name: string, include: string[]) => {
  const { test } = real(name, include);
  return { test: { ...test, env: { HOTHOUSE_TEST_HOST: 'local' } } };
};

const attacks = ['test/isolation/**', 'test/faults/**'];
/** What measures the machine, which nothing else may use meanwhile. */
const measuring = 'test/**/*.measuring.test.ts';
/** What runs on Podman too: the host's contract, builds of environments, and rows that what Podman makes in its own way must hold. */
const onPodman = [
  'test/contract/dockerHost.docker.test.ts',
  'test/engine/environmentLists.docker.test.ts',
  'test/isolation/{04,13,15,38,39}-*.docker.test.ts',
];
/** What needs bubblewrap and no container engine. */
const local = 'test/**/*.local.test.ts';
/** What runs without a container engine too: the doors, sessions, files and what code does and leaves; no test of images. */
const withoutEngine = [
  'test/cli/{main,runFiles}.docker.test.ts',
  'test/mcp/{mcpServer,files}.docker.test.ts',
  'test/engine/{engine,files,view,tryCode,coldSession}.docker.test.ts',
  'test/languages/python/*.docker.test.ts',
  'test/languages/bash/*.docker.test.ts',
  'test/languages/newLanguage.docker.test.ts',
  'test/sandbox/*.docker.test.ts',
];
/** The other rows of 35 to 39: attacks on the MCP server. */
const clients = 'test/isolation/3[6-9]-*.test.ts';

/**
 * `unit` needs nothing but Node; `podman` needs DOCKER_HOST, which `npm run podman` sets; `local` needs bubblewrap; `lean` needs a Docker Engine and the image with Lean that HOTHOUSE_TEST_LEAN_IMAGE names;
 * all others need a Docker Engine and the Python image.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.{docker,lean,local}.test.ts', 'test/e2e/**', ...attacks, measuring],
          // Some start programs, which takes long on a busy machine. Only what hangs takes so long.
          testTimeout: 180_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      real('docker', ['test/**/*.docker.test.ts'], attacks),
      real('lean', ['test/**/*.lean.test.ts']),
      real('measuring', [measuring]),
      real('podman', onPodman),
      onLocal('local', [local, ...withoutEngine]),
      real('isolation', ['test/isolation/**/*.test.ts'], [measuring, clients, local]),
      real('clients', [clients]),
      real('faults', ['test/faults/**/*.test.ts']),
    ],
  },
});
