import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFile } from '../../src/sandbox/files/sandboxFiles.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { realSandbox } from '../languages/python/harness.ts';
import { leanImage } from '../leanImage.ts';

const MB = 1 << 20;
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await realSandbox(MB, { memoryBytes: 2048 * MB }, leanImage());
});
afterAll(() => sandbox.dispose());

async function run(...argv: string[]) {
  let output = '';
  const take = (bytes: Buffer) => {
    output += bytes.toString();
  };
  const start = { kind: 'exec' as const, argv, cwd: '/workspace', env: {} };
  const end = await sandbox.start(start, { onStdout: take, onStderr: take }).ended;
  return { output, code: end.kind === 'exit' ? end.exit.code : end.kind };
}

describe('the image with Lean', () => {
  it('has a toolchain that runs read-only, without network and without privileges', async () => {
    expect(await run('lean', '--version')).toMatchObject({
      output: expect.stringMatching(/^Lean \(version 4/),
      code: 0,
    });
  });

  it('elaborates a file and runs it', async () => {
    await putFile(sandbox, '/workspace/a.lean', 'def main : IO Unit := IO.println "Hello, Lean4!"');
    expect(await run('lean', '--run', 'a.lean')).toEqual({ output: 'Hello, Lean4!\n', code: 0 });
    await putFile(sandbox, '/workspace/b.lean', 'theorem t : 1 = 2 := rfl');
    expect((await run('lean', 'b.lean')).code).toBe(1);
  });
});
