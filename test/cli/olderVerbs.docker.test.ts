import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ended, start } from './program.ts';

/** The verbs of the command line of MCP-docker-executor, as its help lists them. */
const VERBS = ['health', 'create', 'exec', 'result', 'install-package', 'upload-file', 'list-files', 'delete-file'];
const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

describe('what the README names for the verbs of MCP-docker-executor', () => {
  const home = mkdtempSync(join(tmpdir(), 'hothouse-verbs-'));
  const run = (args: readonly string[], input?: string) => ended(start(args, { HOME: home }), input);
  afterAll(async () => {
    await run(['env', 'remove', 'verbs']);
    rmSync(home, { recursive: true });
  });

  it.each([...VERBS, 'exec-file'])('is in the table for %s', (verb) => {
    const [, table = ''] = /\| before \| now \|\n([\s\S]+?)\n\n/.exec(README) ?? [];
    expect(table).toMatch(new RegExp(`\`${verb}[ \`]`));
  });

  it('health: the doctor', async () => {
    expect(await run(['doctor'])).toMatchObject({ status: 0, stdout: expect.stringContaining('Ready for python') });
  });

  it('create, exec with an image, and install-package', async () => {
    expect((await run(['env', 'create', 'verbs', '--language', 'python'])).status).toBe(0);
    const inIt = (code: string) => run(['run', 'python', '-', '--env', 'verbs'], code);
    expect(await inIt('print("Hello-from-Python!")')).toMatchObject({ status: 0, stdout: 'Hello-from-Python!\n' });
    expect((await inIt('import six')).status).toBe(1);
    expect((await run(['env', 'create', 'verbs', '--replace', '--pip', 'six'])).status).toBe(0);
    expect(await inIt('import six\nprint(six.PY3)')).toMatchObject({ status: 0, stdout: 'True\n' });
  });

  it('result: all of it as JSON, and the exit status', async () => {
    const { status, stdout } = await run(['run', 'python', '-', '--json'], 'print("out")\nraise SystemExit(3)');
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'error', stdout: 'out\n', exit_code: 3 });
  });

  it('upload-file and exec-file: a file of this machine', async () => {
    const file = join(home, 'hello.py');
    writeFileSync(file, "print('Hello')");
    expect(await run(['run', file])).toMatchObject({ status: 0, stdout: 'Hello\n' });
  });
});
