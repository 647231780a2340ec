import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, start } from './program.ts';

describe('hothouse run on a real host', () => {
  it('keeps stdout and stderr apart and exits with the status of the program', async () => {
    const code = 'import sys\nprint("out")\nprint("err", file=sys.stderr)\nsys.exit(3)';
    expect(await ended(start(['run', 'python', '-']), code)).toEqual({
      status: 3,
      stdout: 'out\n',
      stderr: expect.stringMatching(/^err\n/),
    });
  });

  it('saves a plot and prints JSON', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hothouse-run-'));
    const code = 'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\n6 * 7';
    const { status, stdout } = await ended(start(['run', 'python', '-', '--json', '--save-displays', folder]), code);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'ok',
      result: '42',
      displays: [{ file: join(folder, 'display-1.png') }],
    });
    expect((await readFile(join(folder, 'display-1.png'))).toString('latin1', 1, 4)).toBe('PNG');
  });

  it('streams output and exits with status 130 after SIGINT', async () => {
    const child = start(['run', 'python', '-']);
    const end = ended(child, 'import time\nprint("begun", flush=True)\ntime.sleep(60)');
    if (child.stdout) await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await end).toMatchObject({ status: 130, stdout: 'begun\n' });
  });

  it('exits with status 124 after the time limit and 143 after SIGTERM', async () => {
    expect((await ended(start(['run', 'python', '-', '--timeout', '0.5']), 'while True: pass')).status).toBe(124);
    const child = start(['run', 'python', '-']);
    const end = ended(child, 'import time\nprint("begun", flush=True)\ntime.sleep(60)');
    if (child.stdout) await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect((await end).status).toBe(143);
  });

  it('the doctor reports which languages are ready', async () => {
    const { status, stdout } = await ended(start(['doctor', '--set', 'lean.image=hothouse/absent:latest']));
    expect(status).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
      /^Ready for python\b.*\. Not ready for lean: There is no image hothouse\/absent:latest\./,
    );
  });

  it('exits without EPIPE when the reader of its output is gone', async () => {
    const child = start(['run', 'python', '-']);
    const end = ended(child, 'while True: print("x" * 1000)');
    if (child.stdout) await once(child.stdout, 'data');
    child.stdout?.destroy();
    const { status, stderr } = await end;
    expect(status).not.toBe(null);
    expect(stderr).not.toContain('EPIPE');
  });
});
