import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { csharp } from '../../../src/languages/csharp/definition.ts';
import type { Interpreter } from '../../../src/languages/language.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { realSandbox, runCell } from '../python/harness.ts';

const options = csharp.options.parse({});
const language = csharp.create({ options: () => options, clock: systemClock, log: silentLog });

let sandbox: Sandbox;
let session: Interpreter;
beforeAll(async () => {
  sandbox = await realSandbox(undefined, {}, options.image);
  session = language.open(sandbox, { once: false });
});
afterAll(() => sandbox.dispose());

const run = (code: string) => runCell(session, code);

describe('a cell', () => {
  it.each([
    ['an expression without a semicolon', 'var a = 6;\na * 7', '42'],
    ['a string', '"a\\n" + \'b\'', '"a\\nb"'],
    ['a collection', 'new List<int> { 3, 1 }', 'List<int> { 3, 1 }'],
    ['a dictionary', 'new Dictionary<string, int> { { "a", 1 } }', 'Dictionary<string, int> { { "a", 1 } }'],
    ['an awaited value', 'var t = await Task.FromResult(5);\nt + await Task.FromResult(1)', '6'],
    ['a method defined after its use', 'Later(2)\n', undefined],
    ['a method', 'int Later(int n) { return n + 1; }\nLater(2)', '3'],
    ['a changed method', 'int Later(int n) => n - 1;\nLater(2)', '1'],
    ['a generic method', 'T Same<T>(T v) where T : class { return v; }\nSame("q")', '"q"'],
    ['a method that uses a variable of the cell', 'int late = 3;\nint Use() => late;\nUse()', '3'],
    ['a type', 'public class P { public int X = 2; }\nenum Color { Red }\nnew P().X', '2'],
    ['a using directive', 'using System.Numerics;\nBigInteger.Pow(2, 70)', '1180591620717411303424'],
    ['braces in strings', '$"{1 + 1} {{" + @"\\ ""q"" }"', '"2 {\\\\ \\"q\\" }"'],
    ['if with else', 'var s = "";\nif (s == "") { s = "x"; }\nelse { s = "y"; }\ns', '"x"'],
    ['null', 'string none = null;\nnone', 'null'],
    ['no value after a semicolon', 'Math.Max(1, 2);', undefined],
  ])('shows %s', async (_, code, value) => {
    expect((await run(code)).value).toBe(value);
  });

  it('is not started when its statements do not compile, with line and column', async () => {
    const end = await run('Console.WriteLine("started");\nint b = 1 +  nothere;');
    expect(end).toMatchObject({ status: 'error', stdout: '', alive: true });
    expect(end.error).toMatchObject({
      name: 'CompilationError',
      message: "(2,14): error CS0103: The name `nothere' does not exist in the current context",
    });
    expect(end.error?.traceback).toContain('    int b = 1 +  nothere;\n                 ^');
  });

  it('reports an exception with its line and its methods, without the driver', async () => {
    await run('class Foo { public int Get() { throw new InvalidOperationException("broken"); } }');
    const { error } = await run('var one = 1;\n\nnew Foo().Get()');
    expect(error).toMatchObject({ name: 'InvalidOperationException', message: 'broken' });
    expect(error?.traceback).toBe('System.InvalidOperationException: broken\n  at Foo.Get ()\n  at <cell 1>, line 3');
  });

  it('reports the exception of a task itself', async () => {
    const { error } = await run('await Task.Run(() => { throw new ArgumentException("inner"); });');
    expect(error).toMatchObject({ name: 'ArgumentException', message: 'inner' });
  });

  it('survives a recursion without end', async () => {
    await run('string Deep(int n) { return Deep(n + 1) + "x"; }');
    expect(await run('Deep(1)')).toMatchObject({ error: { name: 'StackOverflowException' }, alive: true });
    expect((await run('1 + 1')).value).toBe('2');
  });
});

describe('a directive', () => {
  it.each([
    ['#r "nuget: Newtonsoft.Json"\n1', /^The package Newtonsoft\.Json is not there\. Packages are installed into/],
    ['#i "nuget: https://feed.example/index.json"', /^The index of NuGet is set by the option/],
    ['#r "Not.There"\n1', /^The assembly Not\.There cannot be loaded/],
    ['#load "a.csx"', /^#load is not supported/],
  ])('that cannot be followed is answered: %s', async (code, message) => {
    const { error } = await run(code);
    expect(error).toMatchObject({ name: 'DirectiveError', message: expect.stringMatching(message) });
  });

  it('references an assembly of the image once', async () => {
    const code = '#r "System.Xml.Linq"\n#r "System.Core"\nnew System.Xml.Linq.XElement("a").ToString()';
    expect((await run(code)).value).toBe('"<a />"');
    expect((await run('new[] { 1, 2 }.Sum()')).value).toBe('3');
  });
});

describe('a program', () => {
  it('ends when its last foreground thread has ended', async () => {
    const code = 'new Thread(() => { Thread.Sleep(300); Console.WriteLine("late"); }).Start();';
    const end = await runCell(language.open(sandbox, { once: true }), code);
    expect(end).toMatchObject({ status: 'ok', exitCode: 0, stdout: 'late\n' });
  });

  it.each([
    ['private', 'class P { static void Main() { Console.WriteLine("in Main"); } }', 0],
    [
      'asynchronous',
      'class P { static async Task Main(string[] a) { await Task.Delay(1); Console.WriteLine("in Main"); } }',
      0,
    ],
    [
      'in a namespace',
      'using System;\nnamespace N { class P { static int Main() { Console.WriteLine("in Main"); return 3; } } }',
      3,
    ],
    ['called by the program', 'class P { public static void Main() { Console.WriteLine("in Main"); } }\nP.Main();', 0],
    ['not what runs', 'class P { static void Main() { } }\nConsole.WriteLine("in Main");', 0],
  ])('of types alone runs its Main once: %s', async (_, code, exitCode) => {
    const end = await runCell(language.open(sandbox, { once: true }), code);
    expect(end).toMatchObject({ status: exitCode === 0 ? 'ok' : 'error', exitCode, stdout: 'in Main\n' });
  });

  it('fails with the exception of its Main', async () => {
    const code = 'class P { static void Main() { throw new ArgumentException("bad"); } } // the end';
    const end = await runCell(language.open(sandbox, { once: true }), code);
    expect(end).toMatchObject({ status: 'error', error: { name: 'ArgumentException', message: 'bad' } });
  });
});

describe('an error that has to do with the sandbox', () => {
  it('says in a line how packages come, and that there is no network', async () => {
    const missing = await run('using Newtonsoft.Json;\n1');
    expect(missing.error?.message).toMatch(/CS0246.*\nA line #r "nuget: NAME" in a session/s);
    expect((await run('Lisst<int> x = null;')).error?.message).not.toContain('.dll');
    const code = 'await new System.Net.Http.HttpClient().GetStringAsync("http://example.test/")';
    expect((await run(code)).error?.message).toContain('Sandboxes have no network.');
    expect((await run('System.Net.Dns.GetHostEntry("example.test")')).error?.message).toContain('no network');
  });
});

describe('the variables of a run', () => {
  const given = (code: string, state: Record<string, unknown>) =>
    runCell(language.open(sandbox, { once: true }), code, { state });

  it('have types that fit their values, and come back where JSON has them', async () => {
    const state = {
      n: 1,
      big: 2 ** 40,
      half: 0.5,
      yes: true,
      none: null,
      text: 'a "b"\n\u0000é\u{1f600}\\',
      class: 'x',
    };
    const lists = {
      ints: [1, 2],
      mixed: [1, 'a', null],
      texts: ['a'],
      empty: [],
      numbers: [1, 0.5],
      map: { a: { b: [1] } },
    };
    const types =
      'n.GetType().Name + big.GetType().Name + ints.GetType().Name + mixed.GetType().Name + numbers.GetType().Name';
    const end = await given(
      `var made = ${types}; n += ints[1]; none = @class; var bad = double.NaN; var none2 = new Random();`,
      {
        ...state,
        ...lists,
      },
    );
    expect(end.error).toBeNull();
    expect(end.state).toEqual({ ...state, ...lists, n: 3, none: 'x', made: 'Int32Int64Int32[]Object[]Double[]' });
  });

  it('come back after an error and an exit, and without values that have no end', async () => {
    expect(await given('x = 2; throw new Exception("on purpose");', { x: 1 })).toMatchObject({
      status: 'error',
      state: { x: 2 },
    });
    expect(await given('x = 3; Environment.Exit(4);', { x: 1 })).toMatchObject({ exitCode: 4, state: { x: 3 } });
    const endless = 'IEnumerable<int> Endless() { while (true) yield return 1; }\nvar all = Endless();';
    const loop = 'var list = new List<object>(); list.Add(list);';
    expect((await given(`${endless}\n${loop}`, { x: 1 })).state).toEqual({ x: 1 });
  });

  it('have names that C# has', async () => {
    expect((await given('1', { 'a b': 1 })).error?.message).toContain('"a b" is not the name of a variable');
  });
});
