import { LABEL } from './labels.ts';
import type { ContainerSpec } from './spec.ts';

/** What can keep a host or an environment from working. */
export type ProblemKind =
  | 'engine_missing'
  | 'engine_stopped'
  | 'engine_hung'
  | 'engine_too_old'
  | 'permission_denied'
  | 'image_missing'
  | 'image_unusable'
  | 'disk_full'
  | 'no_memory'
  | 'runtime_unknown'
  | 'spec_refused'
  | 'build_failed'
  | 'cancelled'
  | 'host_failed';

/** Something that is wrong outside this program: the cause in a sentence, and the step that mends it. */
export interface Problem {
  readonly kind: ProblemKind;
  /** Cause and subject, one sentence. */
  readonly message: string;
  /** What a person does about it, one sentence. */
  readonly advice: string;
  /** A command line that does it, where there is one. */
  readonly command?: string;
}

/** The host cannot run containers with the OCI runtime that was chosen. */
export function runtimeUnknown(runtime: string, known: readonly string[]): Problem {
  return {
    kind: 'runtime_unknown',
    message: `The Docker Engine has no runtime "${runtime}"; it has ${known.join(', ')}.`,
    advice: 'Correct the setting docker.runtime, or leave it empty for the default.',
  };
}

/** An image that no sandbox can be made of; `message` says what it lacks. */
export function imageUnusable({ labels }: Pick<ContainerSpec, 'labels'>, message: string, need: string): Problem {
  const command = buildCommand(labels);
  return {
    kind: 'image_unusable',
    message,
    advice: `Use an image with ${need}, or build ours with \`${command}\`.`,
    command,
  };
}

/** A language's environment in an image that lacks the language's own program. */
export function programMissing(spec: Pick<ContainerSpec, 'image' | 'labels'>, program: string): Problem {
  const message = `The image ${spec.image} has no ${program} that can be run.`;
  return imageUnusable(spec, message, `${program} and python3 3.9 or later`);
}

/** The command that builds the default image of the environment that a container of these labels is for. */
export function buildCommand(labels: ContainerSpec['labels']): string {
  return `hothouse build ${labels[LABEL.environment] ?? 'python'}`;
}
