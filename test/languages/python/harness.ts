import path from 'node:path';
import { processIdentity } from '../../../src/host/identity.ts';
import { LABEL } from '../../../src/host/labels.ts';
import { containerSpec, type SandboxLimits } from '../../../src/host/spec.ts';
import type { CellEnd, CellOutput, CellRequest, Interpreter } from '../../../src/languages/language.ts';
import { python as definition } from '../../../src/languages/python/definition.ts';
import { loadAgent } from '../../../src/sandbox/agentBundle.ts';
import { bootSandbox } from '../../../src/sandbox/boot.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { testHost } from '../../testHost.ts';
import { python } from './language.ts';

export const IMAGE = 'hothouse/python:latest';
const MB = 1 << 20;

export const LIMITS: SandboxLimits = {
  memoryBytes: 512 * MB,
  cpus: 1,
  pids: 128,
  workspaceBytes: 64 * MB,
  tmpBytes: 64 * MB,
  network: 'none',
  readOnlyRoot: true,
  runtime: null,
};

const host = testHost();

/** A real sandbox, of the Python image unless another is named; `outputBytes` is its cap for each stream. */
export async function realSandbox(
  outputBytes = MB,
  limits: Partial<SandboxLimits> = {},
  image = IMAGE,
  agent?: Buffer,
): Promise<Sandbox> {
  const { machine, owner } = await processIdentity();
  const labels = { [LABEL.managed]: 'true', [LABEL.machine]: machine, [LABEL.owner]: owner };
  const spec = containerSpec(image, { ...LIMITS, ...limits }, labels, {
    variables: definition.environment(LIMITS.cpus),
  });
  return bootSandbox(host, {
    spec,
    agent: agent ?? (await loadAgent(path.resolve(import.meta.dirname, '../../../images/agent'))),
    outputBytes,
    eventBytes: 8 * MB,
    events: 20_000,
  });
}

/** The output of a cell and how it ended. */
export interface CellResult extends CellEnd {
  readonly out: readonly CellOutput[];
  readonly stdout: string;
  readonly stderr: string;
  /** Text of the last expression's value. */
  readonly value: unknown;
}

export async function runCell(
  interpreter: Interpreter,
  code: string,
  rest: Partial<CellRequest> = {},
): Promise<CellResult> {
  const out: CellOutput[] = [];
  const end = await interpreter.run({ code, name: '<cell 1>', stdin: '', state: null, ...rest }, (item) =>
    out.push(item),
  );
  const text = (kind: 'stdout' | 'stderr') => out.flatMap((item) => (item.kind === kind ? [item.text] : [])).join('');
  const value = out.flatMap((item) => (item.kind === 'result' ? [item.data['text/plain']] : [])).at(-1);
  return { ...end, out, stdout: text('stdout'), stderr: text('stderr'), value };
}

/** A one-shot run. */
export function once(sandbox: Sandbox, code: string, rest: Partial<CellRequest> = {}): Promise<CellResult> {
  return runCell(python.open(sandbox, { once: true }), code, rest);
}

/** The mime types of every display and result, in order. */
export function shown(ended: CellResult): string[][] {
  return ended.out.flatMap((item) => {
    if (item.kind === 'display') return [Object.keys(item.display.data).sort()];
    return item.kind === 'result' ? [Object.keys(item.data).sort()] : [];
  });
}
