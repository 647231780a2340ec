import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { driverLanguage } from '../../../src/languages/interpreter/driverLanguage.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { realSandbox, runCell } from '../python/harness.ts';

const node = driverLanguage({ name: 'node', program: 'node' });
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await realSandbox(1 << 20, {}, 'hothouse/node:latest');
});
afterAll(() => sandbox.dispose());

const run = (code: string) => runCell(node.open(sandbox, { once: true }), code);

describe('a one-shot run', () => {
  it('has the value of a last expression, and none after another statement that has one for V8', async () => {
    expect(await run('const a = 20; let b = 1\na + b')).toMatchObject({ status: 'ok', value: '21', error: null });
    for (const code of ['if (true) 5', 'for (const x of [1]) x', '{ 7 }', 'var x = 5', '"text"; function f() {}'])
      expect((await run(code)).value, code).toBeUndefined();
    expect((await run('// 1\n"use strict"')).value).toBe("'use strict'");
  });

  it('awaits at the top level, also in parentheses, and imports', async () => {
    expect((await run('await (Promise.resolve(3))')).value).toBe('3');
    expect((await run('const { join } = await import("node:path")\njoin("a", "b")')).value).toBe("'a/b'");
    expect((await run('import { join } from "node:path"\njoin("a", "b")')).value).toBe("'a/b'");
    expect((await run('const n: number = 4; n')).value).toBe('4');
  });

  it('may declare the names of globals, and fails with the line and column of the user', async () => {
    expect((await run('const crypto = require("crypto"), fetch = 1; typeof crypto.createHash')).value).toBe(
      "'function'",
    );
    const failed = await run('const a = 1;\n  a.b.c()');
    expect(failed).toMatchObject({ status: 'error', exitCode: 1, error: { name: 'TypeError' } });
    expect(failed.error?.traceback).toMatch(/<cell 1>:2:7/);
    const twice = await run('let a = 1;\nlet a = 2;');
    expect(twice.error).toMatchObject({ name: 'SyntaxError', traceback: expect.stringContaining('<cell 1>:2') });
  });

  it('that comes a while after its process has started is the same', async () => {
    await node.warm?.(sandbox, { key: '', after: 'boot' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await run('const [x] = [await 1]\nx + 1')).value).toBe('2');
  });
});
