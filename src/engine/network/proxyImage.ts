import type { ImageBuilder } from '../../host/host.ts';
import { isOwnImage, LABEL } from '../../host/labels.ts';
import type { EngineDependencies } from '../deps.ts';
import type { Options } from '../options.ts';
import { invalidRequest, noEnvironmentBuilder, problemOf } from '../problems.ts';
import type { Result } from '../types.ts';

/** Builds the image of the proxy for the policies `packages` and `allow`; its tag. */
export async function buildProxyImage(
  images: ImageBuilder | null,
  source: EngineDependencies['images'],
  { network: { proxyImage: tag }, docker: { baseImage } }: Pick<Options, 'network' | 'docker'>,
  onLine: (line: string) => void,
  signal?: AbortSignal,
): Promise<Result<string>> {
  if (!isOwnImage(tag)) {
    const message = `The option network.proxyImage is ${tag}, which is not an image of Hothouse.`;
    return { ok: false, error: invalidRequest(message, 'Build it yourself, or leave the option at its default.') };
  }
  if (!images) return { ok: false, error: noEnvironmentBuilder() };
  try {
    const from = await source('proxy');
    const buildArgs = { ...from.buildArgs, ...(baseImage && { BASE: baseImage }) };
    await images.build({ ...from, buildArgs, tag, labels: { [LABEL.managed]: 'true' } }, onLine, signal);
    return { ok: true, value: tag };
  } catch (error) {
    return { ok: false, error: problemOf(error) };
  }
}
