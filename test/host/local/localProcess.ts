/**
 * A process with one sandbox of the host in the home folder that its argument names; prints what the sandbox's file says. Further
 * arguments are the program of the sandbox, in place of the agent.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { containerSpec } from '../../../src/host/spec.ts';
import { hostIn } from './hostIn.ts';

const [home = '', ...argv] = process.argv.slice(2);
const MB = 1 << 20;
const limits = { memoryBytes: 128 * MB, cpus: 1, pids: 64, workspaceBytes: MB, tmpBytes: MB };
const spec = containerSpec(
  'hothouse/bash:latest',
  { ...limits, network: 'none', readOnlyRoot: true, runtime: null },
  { 'dev.hothouse.test': 'killed' },
);
const { id } = await hostIn(home).create(argv.length > 0 ? { ...spec, argv } : spec);
console.log(await readFile(path.join(home, '.hothouse/local/sandboxes', `${id}.json`), 'utf8'));
