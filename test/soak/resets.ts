import { homedir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { specOf } from '../../src/engine/environment/sandboxSpec.ts';
import { DEFAULT_OPTIONS } from '../../src/engine/options.ts';
import { dockerHost } from '../../src/host/docker/dockerHost.ts';
import { machineId, thisOwner } from '../../src/host/identity.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import type { ResetReport } from '../../src/protocol/messages.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { bootSandbox } from '../../src/sandbox/boot.ts';
import { python } from '../languages/python/language.ts';

// `npm run soak:resets -- 10000`: so many runs in one sandbox, each followed by a reset. Exit status 1 when a reset was not
// clean or when the sandbox grew.
const MODULES = ['numpy', 'pandas'];
const CODES = [
  'print(1)',
  'import numpy, pandas\nprint(pandas.DataFrame({"a": numpy.arange(9)}).a.sum())',
  'import subprocess, threading\nsubprocess.Popen(["sleep", "60"])\nthreading.Thread(target=print).start()',
  'for n in range(20): open(f"/tmp/f{n}", "w").write("x" * 1000)\nopen("/dev/shm/left", "w").write("x")',
  '1 / 0',
] as const;
const BYTES = 1024 * 1024;
/** Runs after which the sandbox has what it keeps. */
const WARM_UP = 200;
/** Memory that may differ between two looks at the same sandbox. */
const GROWTH_BYTES = 8 * BYTES;

const count = Number(process.argv[2] ?? 1_000);
if (!(Number.isInteger(count) && count > WARM_UP)) {
  console.error(`soak: "${process.argv[2]}" is not a number of resets over ${WARM_UP}.`);
  process.exit(1);
}

const host = dockerHost({ env: process.env, home: homedir(), log: silentLog });
const identity = { machine: await machineId(), owner: await thisOwner() };
const sandbox = await bootSandbox(host, {
  spec: specOf(LANGUAGES[0], DEFAULT_OPTIONS, identity),
  agent: await loadAgent(path.resolve(import.meta.dirname, '../../images/agent')),
  outputBytes: BYTES,
  eventBytes: BYTES,
  events: 1000,
  clock: systemClock,
});
const unclean: string[] = [];
let [first, last]: (ResetReport | undefined)[] = [];
const started = performance.now();
try {
  await sandbox.request({ op: 'preload', modules: MODULES });
  for (let turn = 0; turn < count; turn += 1) {
    const code = CODES[turn % CODES.length] ?? CODES[0];
    const cell = { code, name: '<code>', stdin: '', state: null };
    await python.open(sandbox, { once: true, code }).run(cell, () => {});
    last = await sandbox.reset(DEFAULT_OPTIONS.pool.resetDeadlineMs);
    if (!last.clean) unclean.push(`${turn}: ${last.leftovers.join(', ')}`);
    if (turn === WARM_UP) first = last;
    if (turn % 1_000 === 0)
      console.log(`${turn}: ${(last.memoryBytes / BYTES).toFixed(1)} MB, ${last.fds} descriptors`);
  }
} finally {
  await sandbox.dispose();
  await host.dispose();
}
const seconds = (performance.now() - started) / 1_000;
const grown = last && first ? last.memoryBytes - first.memoryBytes : 0;
const opened = last && first ? last.fds - first.fds : 0;
console.log(
  `${count} resets in ${seconds.toFixed(0)} s: ${unclean.length} not clean, memory ${(grown / BYTES).toFixed(1)} MB more, ${opened} descriptors more.`,
);
for (const line of unclean.slice(0, 20)) console.log(line);
if (unclean.length > 0 || grown > GROWTH_BYTES || opened > 0) process.exit(1);
