import { HostError } from '../../host/host.ts';
import { programMissing } from '../../host/problem.ts';
import type { ContainerSpec } from '../../host/spec.ts';
import { type Language, ProgramMissing } from '../../languages/language.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** A new sandbox and its purpose. */
export interface WarmUp {
  readonly language: Language;
  readonly sandbox: Sandbox;
  readonly key: string;
  /** The profile that it was created from. */
  readonly spec: ContainerSpec;
  readonly signal: AbortSignal;
}

/** Warms up a new sandbox. Rejects when that fails or the signal aborts; then it has removed the sandbox. */
export async function warmUp({ language, sandbox, key, spec, signal }: WarmUp): Promise<void> {
  const warming = language.warm?.(sandbox, { key, after: 'boot' });
  if (!warming) return;
  const abort = () => void sandbox.dispose().catch(() => {});
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    await Promise.race([warming, failedBy(sandbox)]);
  } catch (error) {
    await sandbox.dispose();
    throw error instanceof ProgramMissing ? new HostError(programMissing(spec, error.program)) : error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function failedBy({ lost }: Sandbox): Promise<never> {
  const { reason } = await lost;
  throw new Error(reason);
}
