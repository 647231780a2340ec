import type { ImageInspectInfo } from 'dockerode';
import { HostError, type ImageInfo } from '../host.ts';
import { imageMissing, imageUnusable } from '../problem.ts';
import type { ContainerSpec } from '../spec.ts';
import type { Client } from './client.ts';
import { unlessGone } from './problems.ts';

const REMOVE_MS = 60_000;

/** The image of that name, or null when Docker has none. */
export async function imageInfo(client: Client, tag: string, signal?: AbortSignal): Promise<ImageInfo | null> {
  const image = await inspect(client, tag, signal);
  return image && { id: image.Id, sizeBytes: image.Size, createdAt: image.Created, labels: image.Config?.Labels ?? {} };
}

/** Rejects with `image_missing`, or with `image_unusable` when a sandbox of the image could not be sealed. */
export async function requireUsable(client: Client, spec: ContainerSpec, signal?: AbortSignal): Promise<void> {
  const image = await inspect(client, spec.image, signal);
  if (!image) throw new HostError(imageMissing(spec));
  const volumes = Object.keys(image.Config?.Volumes ?? {});
  if (volumes.length === 0) return;
  // Docker mounts a writable, unlimited folder of the machine's disk for each of them.
  const message = `The image ${spec.image} declares volumes (${volumes.join(', ')}), which no size limit would hold.`;
  throw new HostError(imageUnusable(spec, message, 'no VOLUME'));
}

/** Removes the name of an image, and the image if it has no other one. */
export async function removeImage(client: Client, tag: string): Promise<void> {
  await client.call({
    doing: `remove the image ${tag}`,
    ms: REMOVE_MS,
    work: (docker) => unlessGone(docker.getImage(tag).remove()),
  });
}

function inspect(client: Client, tag: string, signal: AbortSignal | undefined): Promise<ImageInspectInfo | null> {
  return client.call({
    doing: `inspect the image ${tag}`,
    signal,
    work: (docker) => unlessGone(docker.getImage(tag).inspect()),
  });
}
