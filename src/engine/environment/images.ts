import { join } from 'node:path';
import type { ImageBuilder } from '../../host/host.ts';
import { isOwnImage, LABEL } from '../../host/labels.ts';
import type { EngineDependencies, ImageSource } from '../deps.ts';
import { foreignImage, noImageBuilder, problemOf } from '../problems.ts';
import type { BuildExtras, Result } from '../types.ts';
import type { Environment } from './environment.ts';

/** Settings of the machine for builds: proxies, mirrors, certificates. */
export type MachineSettings = Pick<ImageSource, 'buildArgs' | 'files'>;

/**
 * Where every language's default image is built from: the folder of its name in `images`. Its build finds the scripts
 * of `images/debian` and the machine's settings in `machine/`.
 */
export function imageSources(images: string, settings: () => Promise<MachineSettings>): EngineDependencies['images'] {
  const folders = { machine: join(images, 'debian') };
  return async (language) => ({ context: join(images, language), folders, ...(await settings()) });
}

/** A build of an environment's image. */
export interface EnvironmentBuild extends BuildExtras {
  readonly images: ImageBuilder | null;
  readonly source: () => Promise<ImageSource>;
  /** Empty: the image's own default. */
  readonly baseImage: string;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** Builds a language's image and replaces its sandboxes; the tag of the image. */
export async function buildImage(environment: Environment, build: EnvironmentBuild): Promise<Result<string>> {
  const { images, baseImage, onLine, signal, folders } = build;
  const { id, base: tag } = environment;
  if (!isOwnImage(tag)) return { ok: false, error: foreignImage(id, tag) };
  if (!images) return { ok: false, error: noImageBuilder(id) };
  try {
    const source = await build.source();
    const buildArgs = { ...source.buildArgs, ...(baseImage && { BASE: baseImage }), ...build.buildArgs };
    const labels = { [LABEL.managed]: 'true' };
    await images.build(
      { ...source, buildArgs, folders: { ...source.folders, ...folders }, tag, labels },
      onLine,
      signal,
    );
  } catch (error) {
    return { ok: false, error: problemOf(error) };
  }
  environment.refresh();
  return { ok: true, value: tag };
}
