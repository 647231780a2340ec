import type { Problem } from '../problem.ts';
import type { Client } from './client.ts';
import { dockerInfo } from './info.ts';

/** Why containers cannot run with an OCI runtime; null when they can, or when only a start would show it. */
export async function runtimeProblem(client: Client, runtime: string, signal?: AbortSignal): Promise<Problem | null> {
  // A containerd shim or a path needs no registration.
  if (/[./]/.test(runtime)) return null;
  const known = Object.keys((await dockerInfo(client, signal)).Runtimes ?? {});
  if (known.includes(runtime)) return null;
  return {
    kind: 'runtime_unknown',
    message: `The Docker Engine has no runtime "${runtime}"; it has ${known.join(', ')}.`,
    advice: 'Correct the option docker.runtime, or leave it empty for the default.',
  };
}
