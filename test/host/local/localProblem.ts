/**
 * A process that builds the environment of Bash in the home folder that its argument names, unless there is one, and starts a
 * sandbox with its agent; prints the problem, or null, and the host's warnings and details as JSON.
 */
import path from 'node:path';
import { HostError } from '../../../src/host/host.ts';
import { LABEL } from '../../../src/host/labels.ts';
import { containerSpec } from '../../../src/host/spec.ts';
import { loadAgent } from '../../../src/sandbox/agentBundle.ts';
import { bootSandbox } from '../../../src/sandbox/boot.ts';
import { hostIn, IMAGES } from './hostIn.ts';

const MB = 1 << 20;
const TAG = 'hothouse/bash:latest';
const limits = { memoryBytes: 128 * MB, cpus: 1, pids: 64, workspaceBytes: MB, tmpBytes: MB };
const spec = containerSpec(
  TAG,
  { ...limits, network: 'none', readOnlyRoot: true, runtime: null },
  { [LABEL.environment]: 'bash' },
);
const host = hostIn(process.argv[2] ?? '');

async function tried() {
  const context = path.join(IMAGES, 'bash');
  if (!(await host.images.find(TAG)))
    await host.images.build({ tag: TAG, context, buildArgs: {}, labels: {} }, () => {});
  await bootSandbox(host, {
    spec: { ...spec, volumes: [{ path: '/packages', name: null, isWritable: false }] },
    agent: await loadAgent(path.join(IMAGES, 'agent')),
    outputBytes: MB,
    eventBytes: MB,
    events: 100,
  });
}

const problem = await tried().then(
  () => null,
  (error: unknown) => (error instanceof HostError ? error.problem : String(error)),
);
const { warnings, details } = problem ? { warnings: [], details: [] } : await host.info();
console.log(JSON.stringify({ problem, warnings, details }));
await host.dispose();
