import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { hostIn } from '../host/local/hostIn.ts';
import { hostContract } from './hostContract.ts';

const IMAGE = 'hothouse/bash:latest';
const home = await mkdtemp(path.join(tmpdir(), 'hothouse local-ü-'));
const makeHost = () => hostIn(home);

beforeAll(async () => {
  const context = path.resolve(import.meta.dirname, '../../images/bash');
  await makeHost().images?.build({ tag: IMAGE, context, buildArgs: {}, labels: {} }, () => {});
});
afterAll(() => rm(home, { recursive: true }));

hostContract('this machine without a container engine', makeHost, IMAGE);
