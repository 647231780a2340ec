import { isOwnImage, LABEL } from './labels.ts';
import type { ContainerSpec } from './spec.ts';

/** What can keep a host or an environment from working. */
export type ProblemKind =
  | 'host_missing'
  | 'host_stopped'
  | 'host_hung'
  | 'host_too_old'
  | 'permission_denied'
  | 'image_missing'
  | 'image_unusable'
  | 'needs_engine'
  | 'disk_full'
  | 'no_memory'
  | 'network_reachable'
  | 'runtime_unknown'
  | 'spec_refused'
  | 'build_failed'
  | 'cancelled'
  | 'host_failed';

/** A problem outside this program: its cause in a sentence, and the next step. */
export interface Problem {
  readonly kind: ProblemKind;
  /** Cause and subject, one sentence. */
  readonly message: string;
  /** The next step, one sentence. */
  readonly advice: string;
  /** A command line that does it, where there is one. */
  readonly command?: string;
}

/** Sandboxes without network access have a network; `ways` lists what leads out: `eth0, a route`. */
export function networkReachable(ways: string): Problem {
  return {
    kind: 'network_reachable',
    message: `Sandboxes can reach a network here (${ways}), although the option network.policy does not allow it.`,
    advice: 'Make the host start them without a network, or set the option network.policy to full.',
  };
}

const WALLS = { systemCalls: 'no filter of system calls', privileges: 'privileges' } as const;

/** Sandboxes lack a wall without which their host runs no code. */
export function wallMissing(wall: keyof typeof WALLS, detail: string): Problem {
  return {
    kind: 'permission_denied',
    message: `Sandboxes would have ${WALLS[wall]} here (${detail}), so no code runs in them.`,
    advice: 'Use a kernel with seccomp on x86-64 or aarch64, or a container engine by the option host.kind: docker.',
  };
}

/** There is no image of the proxy that sandboxes with a network policy need. */
export function proxyImageMissing(image: string): Problem {
  const command = 'hothouse build proxy';
  const problem = { kind: 'image_missing', message: `There is no image ${image} of the network proxy.` } as const;
  const instead = 'set the option network.policy to none';
  if (!isOwnImage(image)) return { ...problem, advice: `Pull or build it, or ${instead}.` };
  return { ...problem, advice: `Build it with the command \`${command}\`, or ${instead}.`, command };
}

/** An image, and the labels of what is to run it. */
export type ImageUse = Pick<ContainerSpec, 'image' | 'labels'>;

/** There is no image of that name. `isOnlyOurs`: the host has none but those that it builds. */
export function imageMissing(use: ImageUse, isOnlyOurs = false): Problem {
  const { command, isOwn, option, byDefault, environment } = imageFacts(use);
  if (environment !== null) {
    const message = `The image of the environment ${environment} is gone.`;
    return { kind: 'image_missing', message, advice: 'Remove the environment and create it again.' };
  }
  const problem = { kind: 'image_missing', message: `There is no image ${use.image}.` } as const;
  if (!option) return { ...problem, advice: 'Pull or build it.' };
  if (!isOwn) return { ...problem, advice: `Pull or build it, or ${byDefault}.` };
  const build = `Build it with the command \`${command}\``;
  const advice = isOnlyOurs ? `${build}.` : `${build}, or name another image in the ${option}.`;
  return { ...problem, advice, command };
}

/** An image that no sandbox can run; `message` names what it lacks. */
export function imageUnusable(use: ImageUse, message: string, need: string): Problem {
  const { command, isOwn, option, byDefault } = imageFacts(use);
  const problem = { kind: 'image_unusable', message } as const;
  if (!option) return { ...problem, advice: `Use an image with ${need}.` };
  if (!isOwn) return { ...problem, advice: `Use an image with ${need}, or ${byDefault}.` };
  const advice = `Name an image with ${need} in the ${option}, or build ours with \`${command}\`.`;
  return { ...problem, advice, command };
}

/** A language's environment in an image that lacks the language's own program. */
export function programMissing(spec: ImageUse, program: string): Problem {
  const message = `The image ${spec.image} has no ${program} that can be run.`;
  return imageUnusable(spec, message, `${program} and python3 3.9 or later`);
}

/**
 * The option with the image of a container's language, the command that builds the default, and whether the image is one
 * of ours: no other is built. Without a language there is no option.
 */
function imageFacts({ image, labels }: ImageUse) {
  // The environment of a user names its language too.
  const isCustom = labels[LABEL.language] !== undefined;
  const environment = isCustom ? (labels[LABEL.environment] ?? null) : null;
  const language = isCustom ? undefined : labels[LABEL.environment];
  const command = `hothouse build ${language}`;
  const option = language === undefined ? null : `option ${language}.image`;
  return {
    command,
    environment,
    option,
    byDefault: `leave the ${option} at its default, which \`${command}\` builds`,
    isOwn: isOwnImage(image),
  };
}
