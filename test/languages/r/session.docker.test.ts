import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import type { Interpreter } from '../../../src/languages/language.ts';
import { r } from '../../../src/languages/r/definition.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { realSandbox, runCell, shown } from '../python/harness.ts';

const options = r.options.parse({});
const language = r.create({ options: () => options, clock: systemClock, log: silentLog });

let sandbox: Sandbox;
let session: Interpreter;
beforeAll(async () => {
  sandbox = await realSandbox(undefined, {}, options.image);
  session = language.open(sandbox, { once: false });
});
afterAll(() => sandbox.dispose());

const run = (code: string, stdin = '') => runCell(session, code, { stdin });

describe('values', () => {
  it('are printed as at the prompt, the last one as the result', async () => {
    const end = await run('1 + 1\ninvisible(3)\ny <- 4\ndata.frame(a = 1:2)');
    expect(end).toMatchObject({ status: 'ok', stdout: '[1] 2\n', value: '  a\n1 1\n2 2' });
    expect((await run('invisible(5)')).value).toBeUndefined();
  });

  it('are kept in .Last.value', async () => {
    await run('6 * 7');
    expect((await run('.Last.value')).value).toBe('[1] 42');
  });
});

describe('plots', () => {
  it('are pictures, one for each page, and leave no file', async () => {
    const end = await run('plot(1:3)\nhist(c(1, 2, 2))');
    expect(shown(end)).toEqual([['image/png'], ['image/png']]);
    expect((await run('length(list.files("/tmp", pattern = "plot", all.files = TRUE))')).value).toBe('[1] 0');
    expect(end.stderr).toBe('');
  });
});

describe('errors', () => {
  it('have their call and the lines of all calls', async () => {
    const end = await run('f <- function(n) {\n  stop("too ", n)\n}\n\nf("big")');
    expect(end.error).toMatchObject({ name: 'Error', message: 'too big' });
    expect(end.error?.traceback).toMatch(/^Error in f\("big"\) : too big\n/);
    expect(end.error?.traceback).toMatch(/<cell 1>#2[\s\S]*f\("big"\) at <cell 1>#5/);
    expect(end.error?.traceback).not.toContain('withVisible');
  });

  it('of the parser name line and column', async () => {
    expect((await run('x <- 1\ny <- (2,')).error).toMatchObject({
      name: 'ParseError',
      message: expect.stringMatching(/^<cell 1>:2:8:/),
    });
  });

  it('have the class of their condition', async () => {
    expect((await run('library(nothere)')).error?.name).toBe('packageNotFoundError');
  });

  it('leave no output redirected', async () => {
    await run('sink("/tmp/out.txt"); stop("x")');
    expect((await run('cat("here\\n")')).stdout).toBe('here\n');
  });
});

describe('warnings', () => {
  it('are reported after their expression, with their call', async () => {
    const end = await run('f <- function() warning("careful")\nf()\nas.integer("q")');
    expect(end).toMatchObject({ status: 'ok' });
    expect(end.stderr).toBe('Warning message:\nIn f() : careful\nWarning message:\nNAs introduced by coercion\n');
  });
});

describe('stdin', () => {
  it('is read by readline and by connections, each line once', async () => {
    const end = await run('a <- readline("name? ")\nb <- readLines(stdin(), n = 1)\npaste(a, b)', 'one\ntwo\n');
    expect(end).toMatchObject({ stdout: 'name? ', value: '[1] "one two"' });
    expect((await run('readline()')).value).toBe('[1] ""');
  });
});

describe('an interrupt', () => {
  it('ends a program that the cell waits for, and the cell', async () => {
    const ended = session.run(
      { code: 'cat("on\\n"); system("sleep 60"); cat("after\\n")', name: '<c>', stdin: '', state: null },
      (item) => {
        if (item.kind === 'stdout' && item.text.includes('on')) setTimeout(() => session.interrupt(), 500);
      },
    );
    expect(await ended).toMatchObject({ status: 'interrupted', alive: true });
  });
});

describe('an error that has to do with the sandbox', () => {
  it('says in a line how packages come, and that there is no network', async () => {
    expect((await run('library(ggplot2)')).error?.message).toContain('the apt package r-cran-ggplot2.');
    expect((await run('install.packages("x")')).error?.message).toContain('the apt package r-cran-name.');
    const code = 'install.packages("Ggplot2", lib = tempdir(), repos = "http://example.test", quiet = TRUE)';
    const installed = await run(code);
    expect(installed.stderr).toContain('the apt package r-cran-ggplot2.\n');
    for (const code of ['read.csv("http://example.test/a.csv")', 'socketConnection("example.test", 80)'])
      expect((await run(code)).error?.message, code).toMatch(/\nSandboxes have no network\. .*with the environment\.$/);
    expect((await run('readLines("/none")')).error?.message).not.toContain('network');
  });
});
