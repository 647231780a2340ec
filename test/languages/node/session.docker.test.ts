import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { driverLanguage } from '../../../src/languages/interpreter/driverLanguage.ts';
import type { Interpreter } from '../../../src/languages/language.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { realSandbox, runCell, shown } from '../python/harness.ts';

const node = driverLanguage({ name: 'node', program: 'node' });
let sandbox: Sandbox;
let session: Interpreter;
beforeAll(async () => {
  sandbox = await realSandbox(1 << 20, {}, 'hothouse/node:latest');
  await node.warm?.(sandbox, { key: '', after: 'boot' });
  session = node.open(sandbox, { once: false });
});
afterAll(() => sandbox.dispose());

const run = (code: string) => runCell(session, code);
const value = async (code: string) => {
  const ended = await run(code);
  return ended.error ? `${ended.error.name}: ${ended.error.message}` : ended.value;
};

describe('declarations', () => {
  it('can be made again with const and let, by destructuring, and as functions and classes', async () => {
    await run(
      'const a = 1; let [b, { c = 3, ...rest }] = [2, { d: 4 }];\nfunction f() { return a; }\nclass K { x = b }',
    );
    expect(await value('[a, b, c, rest, f(), new K().x]')).toBe('[ 1, 2, 3, { d: 4 }, 1, 2 ]');
    await run('const a = 5; let b; var c; const f = () => a * 2; class K {}');
    expect(await value('[a, b, c, f(), new K()]')).toBe('[ 5, undefined, 3, 10, K {} ]');
  });

  it('keep apart what belongs to blocks and functions', async () => {
    await run(
      'let outer = 1;\n{ let outer = 2; }\nfor (const outer of [3]);\nfor (var i = 0; i < 3; i++);\nif (true) var deep = 4;',
    );
    expect(await value('[outer, i, deep]')).toBe('[ 1, 3, 4 ]');
    await run('(function () { var outer = 5; })(); var { x, y: [z] } = { x: 6, y: [7] };');
    expect(await value('[outer, x, z]')).toBe('[ 1, 6, 7 ]');
  });

  it('may have the names of globals of Node.js', async () => {
    expect(await value('const crypto = require("crypto");\ntypeof crypto.createHash')).toBe("'function'");
    expect(await value('const process = require("process"); const URL = 1; process.argv.length')).toBe('2');
    expect(await value('typeof process.pid')).toBe("'number'");
  });

  it('may have the names that the driver has', async () => {
    for (const name of ['readFileSync', 'program', 'modules', 'given', 'load', 'cell', 'token', 'main'])
      expect(await value(`const ${name} = "own"; ${name}`), name).toBe("'own'");
  });

  it('do not need semicolons', async () => {
    expect(await value('const one = 1\nlet two = one + 1\nfoo = two\n;[one, two].length')).toBe('2');
  });
});

describe('modules', () => {
  it('come by static and dynamic import and by require', async () => {
    const code = `import fs, { readFileSync as read } from 'node:fs';
import * as path from 'node:path';
import 'node:os';
fs.writeFileSync('/workspace/own.mjs', 'export const n = 7; export default 8;');
fs.writeFileSync('/workspace/own.cjs', 'module.exports = { m: 9 };');
[read === fs.readFileSync, path.sep, (await import('./own.mjs')).n, require('./own.cjs').m, import.meta.dirname]`;
    expect(await value(code)).toBe("[ true, '/', 7, 9, '/workspace' ]");
    expect(await value("import own, { n } from './own.mjs'; [own, n]")).toBe('[ 8, 7 ]');
    expect(await value("import { nothing } from './own.mjs'")).toMatch(/^SyntaxError: .*'nothing'/);
    expect(await value("import x from 'no-such-package'")).toMatch(/^Error: Cannot find package 'no-such-package'/);
  });

  it('come from the folders of NODE_PATH, for import as for require', async () => {
    const code = `import fs from 'node:fs';
fs.mkdirSync('/tmp/packages/node_modules/pack', { recursive: true });
fs.writeFileSync('/tmp/packages/node_modules/pack/index.js', 'exports.p = 1');
process.env.NODE_PATH = '/tmp/packages/node_modules';
require('module').Module._initPaths();
[(await import('pack')).p, require('pack').p]`;
    expect(await value(code)).toBe('[ 1, 1 ]');
  });
});

describe('TypeScript', () => {
  it('runs without its types, on the same lines', async () => {
    const ended = await run(
      'interface P { x: number }\nconst p: P = { x: 1 };\nfunction g<T>(v: T): T { return v; }\ng<P>(p).x',
    );
    expect(ended).toMatchObject({ status: 'ok', value: '1' });
    const failed = await run('type T = string;\nconst t: T = null!;\nt.length');
    expect(failed.error?.traceback).toMatch(/<cell 1>:3:3$/m);
    expect(await value('enum Color { Red = 3 }\nColor.Red')).toBe('3');
  });
});

describe('values', () => {
  it('are shown as text, or as their own display method says', async () => {
    expect(shown(await run('({ a: [1, 2] })'))).toEqual([['text/plain']]);
    expect(shown(await run('({ [Symbol.for("Jupyter.display")]: () => ({ "text/html": "<b>x</b>" }) })'))).toEqual([
      ['text/html', 'text/plain'],
    ]);
    expect(
      shown(
        await run(
          'const { html, md, svg, image } = jupyter;\ndisplay(html`<i>1</i>`); display(md`# x`); display(svg`<svg/>`); image(Buffer.from([0x89, 0x50]))',
        ),
      ),
    ).toEqual([
      ['text/html', 'text/plain'],
      ['text/markdown', 'text/plain'],
      ['image/svg+xml', 'text/plain'],
      ['image/png', 'text/plain'],
    ]);
    expect(shown(await run('display({ "application/json": { a: 1 } }, { raw: true })'))).toEqual([
      ['application/json'],
    ]);
  });

  it('can be updated and cleared', async () => {
    const ended = await run(
      'const handle = display("one", { display_id: true }); handle.update("two"); jupyter.clear()',
    );
    expect(ended.out.map(({ kind }) => kind)).toEqual(['display', 'update', 'clear']);
  });

  it('that are circular, huge, hostile or proxies are shown or left out', async () => {
    expect(await value('const o = {}; o.o = o; o')).toContain('Circular');
    expect(await run('"x".repeat(20_000_000)')).toMatchObject({ status: 'ok' });
    expect(await value('new Proxy({}, { get() { throw new Error("trap"); } })')).toBe('{}');
    expect(await run('display({ "text/plain": 10n }, { raw: true })')).toMatchObject({ status: 'ok' });
    expect(await run('({ get [Symbol.for("Jupyter.display")]() { throw 1 } })')).toMatchObject({ status: 'ok' });
    expect(await value('"\\ud800"')).toBeDefined();
    expect(await run('display("x".repeat(7_000_000))')).toMatchObject({ status: 'ok' });
  });
});

describe('output', () => {
  it('keeps the order of stdout, stderr and displays', async () => {
    const ended = await run(
      'for (let n = 0; n < 3; n++) { console.log("o" + n); console.error("e" + n); display(n); }',
    );
    expect(ended.out.map((item) => ('text' in item ? item.text.trim() : item.kind))).toEqual(
      [0, 1, 2].flatMap((n) => [`o${n}`, `e${n}`, 'display']),
    );
  });

  it('of programs that it starts arrives too', async () => {
    const ended = await run('require("child_process").execSync("echo child; echo bad >&2", { stdio: "inherit" });');
    expect(ended).toMatchObject({ stdout: 'child\n', stderr: 'bad\n' });
  });

  it('stays possible after user code has ended its streams', async () => {
    await run('process.stdout.end(); console.log("late");');
    expect(await run('console.log("next")')).toMatchObject({ stdout: 'next\n' });
  });
});

describe('errors', () => {
  it('name what was thrown, its line and its causes', async () => {
    const ended = await run(
      'function inner() {\n  throw new RangeError("far", { cause: new Error("root") });\n}\n\ninner();',
    );
    expect(ended.error).toMatchObject({ name: 'RangeError', message: 'far' });
    expect(ended.error?.traceback).toMatch(/at inner \(<cell 1>:2:9\)\n +at <cell 1>:5:1/);
    expect(ended.error?.traceback).toContain('[cause]: Error: root');
    expect(ended.error?.traceback).not.toMatch(/hothouse:|node:/);
    expect((await run('throw "text"')).error).toMatchObject({ name: 'Uncaught', message: "'text'" });
  });

  it('in syntax name the line and show it', async () => {
    const { error } = await run('let ok = 1;\nlet bad = ;');
    expect(error).toMatchObject({ name: 'SyntaxError' });
    expect(error?.traceback).toBe('<cell 1>:2\nlet bad = ;\n          ^\n\nSyntaxError: Unexpected token');
  });

  it('of promises and timers that nothing handles end the cell', async () => {
    expect((await run('Promise.reject(new TypeError("lost"));\n1')).error).toMatchObject({ name: 'TypeError' });
    const timed = await run(
      'setTimeout(() => { throw new Error("late") }, 5);\nawait new Promise((done) => setTimeout(done, 500));',
    );
    expect(timed).toMatchObject({ status: 'error', error: { message: 'late' }, alive: true });
    await run('setTimeout(() => { throw new Error("between") }, 1);');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await value('1')).toBe('1');
  });

  it('of a stack without end leave the session as it is', async () => {
    expect(await run('(function again() { again(); })()')).toMatchObject({
      status: 'error',
      error: { name: 'RangeError' },
    });
    expect(await value('1')).toBe('1');
  });

  it('do not come from code that removes globals which the driver has', async () => {
    const own = node.open(sandbox, { once: false });
    await runCell(own, 'delete globalThis.JSON; globalThis.Buffer = null; globalThis.process = 1; Object = null;');
    expect(await runCell(own, '1')).toMatchObject({ status: 'ok', value: '1' });
    own.kill();
  });
});

describe('time', () => {
  it('runs timers between cells', async () => {
    await run('let ticks = 0; const ticking = setInterval(() => { ticks += 1; }, 5);');
    await expect.poll(async () => Number(await value('ticks'))).toBeGreaterThan(5);
    await run('clearInterval(ticking);');
  });
});

const interrupted = (code: string, of = session) =>
  of.run({ code: `console.log("on");\n${code}`, name: '<c>', stdin: '', state: null }, (item) => {
    if (item.kind === 'stdout') of.interrupt();
  });

describe('an interrupt', () => {
  it('keeps the session, whatever the code does', async () => {
    await run('let kept = 1;');
    const endless = [
      'while (true);',
      'for (;;) { try { while (true); } catch {} finally {} }',
      'await new Promise(() => {});',
      'while (true) await null;',
      'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
      'require("child_process").execSync("sleep 100");',
      'await (async () => { await 1; while (true); })();',
      'require("vm").runInNewContext("while (true);");',
      '/(a+)+b/.test("a".repeat(50));',
    ];
    for (const code of endless) {
      expect(await interrupted(code), code).toMatchObject({ alive: true });
      expect(await value('kept'), code).toBe('1');
    }
  });

  it.each(['while (true);', 'while (true) await null;', 'require("child_process").execSync("sleep 3000");'])(
    'of the first cell keeps the session: %s',
    async (code) => {
      const own = node.open(sandbox, { once: false });
      expect(await interrupted(code, own)).toMatchObject({ status: 'interrupted', alive: true });
      for (const text of ['1', '2']) expect(await runCell(own, text)).toMatchObject({ value: text, alive: true });
      own.kill();
      await own.ended;
    },
  );

  it('that comes between cells has no effect', async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      session.interrupt();
      expect(await value('kept')).toBe('1');
    }
  });

  it('that comes before the first line is for the cell', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const end = session.run(
        { code: 'while (true);', name: '<c>', stdin: 'x'.repeat(2 << 20), state: null },
        () => {},
      );
      session.interrupt();
      expect(await end).toMatchObject({ status: 'interrupted', alive: true });
    }
  });
});

describe('completions', () => {
  const matches = async (code: string) => (await session.complete(code, code.length)).matches;
  it('have properties, keywords and modules, without calling getters', async () => {
    await run('const thing = { alpha: 1, get trap() { throw new Error("called"); }, deep: { beta: 2 } };');
    expect(await matches('thing.')).toEqual(expect.arrayContaining(['alpha', 'trap', 'hasOwnProperty']));
    expect(await matches('x = thing?.deep.be')).toEqual(['beta']);
    expect(await matches('thing.trap.')).toEqual([]);
    expect(await matches('awa')).toEqual(['await']);
    expect(await matches('import x from "node:f')).toContain('node:fs');
    expect(await matches('"text".')).toEqual([]);
    expect(await matches('process.ver')).toContain('version');
  });
});

it('ends when its process ends, and returns the reason from then on', async () => {
  expect(await run('process.kill(process.pid, "SIGKILL")')).toMatchObject({ status: 'error', alive: false });
  expect(await run('1')).toMatchObject({ alive: false });
});
