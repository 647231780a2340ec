import { homedir } from 'node:os';
import path from 'node:path';
import { silentLog } from '../../src/base/log.ts';
import { DEFAULT_OPTIONS } from '../../src/engine/options.ts';
import type { Engine } from '../../src/engine/types.ts';
import { dockerHost } from '../../src/host/docker/dockerHost.ts';
import type { Host } from '../../src/host/host.ts';
import { LABEL } from '../../src/host/labels.ts';
import { containerSpec } from '../../src/host/spec.ts';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { bootSandbox } from '../../src/sandbox/boot.ts';
import { hostIn } from '../host/local/hostIn.ts';
import { type Calls, compare, repeat, type Side } from './compare.ts';
import { type CpuMeter, containersCpu, descendantsCpu, dockerCpu, ownCpu, sumOf } from './cpu.ts';
import { containersOf, PYTHON_ALONE, realEngine, run, SETTLE_MS, warm } from './engine.ts';
import type { Measured, Ratio } from './report.ts';

const MB = 1 << 20;
const IMAGE = DEFAULT_OPTIONS.python.image;
const CODES = ['print(1)', 'import numpy, pandas'] as const;
const SECONDS = 1;
const SANDBOXES = 8;
const ENGINES = 3;
const OUTPUT = { outputBytes: MB, eventBytes: MB, events: 1_000 };
const BESIDE = 'the same with Docker';

/** Measures sandboxes without a container engine beside those of Docker, in turns. Null where one of them cannot be had. */
export async function measureLocal(): Promise<Measured | null> {
  const { env } = process;
  const hosts = {
    local: hostIn(homedir()),
    docker: dockerHost({ env, home: homedir(), log: silentLog }),
  };
  for (const [kind, { images }] of Object.entries(hosts)) {
    if ((await images.find(IMAGE).catch(() => null)) === null) {
      console.error(`The part local was left out. Run first: hothouse build python --set host.kind=${kind}`);
      return null;
    }
  }
  const ratios = [await starts(hosts.local, hosts.docker), await firstRuns(), ...(await runs())];
  await Promise.all([hosts.local.dispose(), hosts.docker.dispose()]);
  return { rows: [], figures: {}, ratios };
}

/** A sandbox from nothing until its agent is ready; its end is not timed. */
async function starts(local: Host, docker: Host): Promise<Ratio> {
  const agent = await loadAgent(path.resolve(import.meta.dirname, '../../images/agent'));
  const sideOf = (host: Host): Side => ({ work: () => startedSandboxes(host, agent) });
  const compared = await compare(sideOf(local), sideOf(docker));
  return { what: 'sandbox, from nothing to ready', code: '', beside: BESIDE, compared };
}

async function startedSandboxes(host: Host, agent: Buffer): Promise<Calls> {
  const { memoryMb, cpus, pids, workspaceMb, tmpMb } = DEFAULT_OPTIONS.limits;
  const limits = { memoryBytes: memoryMb * MB, cpus, pids, workspaceBytes: workspaceMb * MB, tmpBytes: tmpMb * MB };
  const labels = { [LABEL.managed]: 'true', 'dev.hothouse.bench': 'start' };
  const spec = containerSpec(IMAGE, { ...limits, network: 'none', readOnlyRoot: true, runtime: null }, labels);
  let ms = 0;
  for (let count = 0; count < SANDBOXES; count += 1) {
    const start = performance.now();
    const sandbox = await bootSandbox(host, { spec, agent, ...OUTPUT });
    ms += performance.now() - start;
    await sandbox.dispose();
  }
  return { count: SANDBOXES, ms };
}

/** The first run of an engine, which looks at its host and starts a sandbox for it; the end of the engine is not timed. */
async function firstRuns(): Promise<Ratio> {
  const [code] = CODES;
  const sideOf = (kind: 'local' | 'docker'): Side => ({ work: () => startedEngines(kind, code) });
  const compared = await compare(sideOf('local'), sideOf('docker'));
  return { what: 'first run of an engine', code, beside: BESIDE, compared };
}

async function startedEngines(kind: 'local' | 'docker', code: string): Promise<Calls> {
  let ms = 0;
  for (let count = 0; count < ENGINES; count += 1) {
    const engine = await realEngine({ host: { kind }, pool: { size: 1 } }, PYTHON_ALONE);
    const start = performance.now();
    await run(engine, code);
    ms += performance.now() - start;
    await engine.dispose();
  }
  return { count: ENGINES, ms };
}

/** One-shot runs back to back, with the CPU time of everything that works for them. */
async function runs(): Promise<Ratio[]> {
  const local = await warmEngine('local');
  const docker = await warmEngine('docker');
  try {
    const ids = async () => containersOf(docker);
    const dockers = sumOf(ownCpu, containersCpu(ids), await dockerCpu(await ids()));
    const ratios: Ratio[] = [];
    for (const code of CODES) {
      const side = (engine: Engine, cpu: CpuMeter) => ({
        work: () => repeat(SECONDS, () => run(engine, code)),
        cpu,
      });
      const compared = await compare(side(local, sumOf(ownCpu, descendantsCpu)), side(docker, dockers));
      ratios.push({ what: 'one-shot, back to back', code, beside: BESIDE, compared });
    }
    return ratios;
  } finally {
    await Promise.all([local.dispose(), docker.dispose()]);
  }
}

async function warmEngine(kind: 'local' | 'docker'): Promise<Engine> {
  const engine = await realEngine({ host: { kind }, pool: { size: 2, prewarm: true } }, PYTHON_ALONE);
  await warm(engine, 2);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return engine;
}
