import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { dockerHost } from '../../../src/host/docker/dockerHost.ts';
import { HostError, type ImageBuild } from '../../../src/host/host.ts';
import { removeImages } from './inspect.ts';

const host = dockerHost({ env: process.env, home: process.env.HOME ?? '/', log: silentLog });
const TAG = 'hothouse/build-test:latest';
const LABEL = 'dev.hothouse.test=build';
const LONG = `${'a'.repeat(70)}/${'b'.repeat(70)}`;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hothouse-context-'));
  await mkdir(join(folder, 'context'));
});
afterEach(async () => {
  await removeImages(TAG, LABEL);
  await rm(folder, { recursive: true });
});

async function build(dockerfile: string[], rest: Partial<ImageBuild> = {}): Promise<string[]> {
  await writeFile(
    join(folder, 'context', 'Dockerfile'),
    ['FROM hothouse/python:latest', `LABEL ${LABEL}`, ...dockerfile].join('\n'),
  );
  const lines: string[] = [];
  const image = { tag: TAG, context: join(folder, 'context'), buildArgs: {}, labels: {} };
  await host.images.build({ ...image, ...rest }, (line) => lines.push(line));
  return lines;
}

describe('the context of a build', () => {
  it('contains the files of its folder, the added files and the added folders', async () => {
    const other = join(folder, 'other');
    await mkdir(join(other, LONG), { recursive: true });
    await writeFile(join(other, LONG, 'deep'), 'deep down');
    await writeFile(join(other, 'program'), '#!/bin/sh\necho it runs');
    await chmod(join(other, 'program'), 0o755);
    await symlink(`${LONG}/deep`, join(other, 'link'));
    await writeFile(join(other, 'empty'), '');
    await writeFile(join(other, 'large'), Buffer.alloc(3_000_001, 'x'));
    await writeFile(join(folder, 'context', 'ä'), 'ours');
    const lines = await build(
      ['COPY . /c', 'RUN cat /c/t/link /c/ä /c/ä.txt; /c/t/program; stat -c "%n %s %u" /c/t/empty /c/t/large'],
      // A build that the engine remembers would print nothing.
      { files: { 'ä.txt': ' given ', new: randomUUID() }, folders: { t: other } },
    );
    const text = lines.join('\n');
    expect(text).toContain('deep downours given it runs');
    expect(text).toContain('/c/t/empty 0 0\n/c/t/large 3000001 0');
  });

  it('that cannot be read fails the build with the cause', async () => {
    const failed = await build(['COPY . /c'], { folders: { t: join(folder, 'nowhere') } }).catch((error) => error);
    expect(failed).toBeInstanceOf(HostError);
    expect(failed.message).toContain('nowhere');
  });
});
