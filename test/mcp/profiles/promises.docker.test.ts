import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LABEL } from '../../../src/host/labels.ts';
import { connectStdio, removeHome } from '../../cli/program.ts';
import { nugetFeed } from '../../engine/packages/nugetFeed.ts';
import { call, textOf } from '../connect.ts';

// What the older servers promise beside the calls that were recorded, above all where they break it.

type Connected = Awaited<ReturnType<typeof connectStdio>>;

function docker(...args: string[]): string {
  return execFileSync('docker', args, { encoding: 'utf8' }).trim();
}

async function answer(client: Connected, name: string, args: Record<string, unknown>): Promise<string> {
  return textOf(await call(client, name, args));
}

describe('python-docker-mcp promises', () => {
  let client: Connected;
  const transient = (code: string, more: object = {}) => answer(client, 'execute-transient', { code, ...more });
  const persistent = (code: string, session_id: string) => answer(client, 'execute-persistent', { code, session_id });

  /** Has the lease by which the containers of this server are known. */
  const home = mkdtempSync(join(tmpdir(), 'hothouse-promises-'));

  beforeAll(async () => {
    client = await connectStdio({ HOME: home, PYTHON_DOCKER_MCP_POOL_SIZE: '2' }, ['--profile', 'python-docker-mcp']);
  });
  afterAll(async () => {
    await client.close();
    rmSync(home, { recursive: true });
  });

  it.each([
    ['NumPy', 'import numpy as np\nprint(int(np.dot([1, 2], [3, 4])))', '11'],
    ['pandas', 'import pandas as pd\nprint(int(pd.DataFrame({"a": [1, 2]}).a.sum()))', '3'],
    ['SciPy', 'from scipy import optimize\nprint(round(optimize.brentq(lambda x: x * x - 4, 0, 5)))', '2'],
    [
      'Matplotlib',
      'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig("a.png")\nprint(open("a.png", "rb").read(4)[1:].decode())',
      'PNG',
    ],
    [
      'scikit-learn',
      'from sklearn.linear_model import LinearRegression\nprint(round(LinearRegression().fit([[1], [2]], [2, 4]).predict([[3]])[0]))',
      '6',
    ],
    ['SymPy', 'from sympy import Symbol, diff\nx = Symbol("x")\nprint(diff(x**2, x))', '2*x'],
  ])('that %s is installed', async (_name, code, printed) => {
    expect(await transient(code)).toBe(`Execution Result:\n\n${printed}\n`);
    expect(await persistent(code, 'preinstalled')).toContain(`Execution Result:\n\n${printed}`);
  });

  it('a state that comes back and can be sent again', async () => {
    const first = await transient('total = sum(values)\nvalues.append(total)', { state: { values: [1, 2] } });
    const [, json = ''] = /Updated state:\n\n([\s\S]+)$/.exec(first) ?? [];
    expect(JSON.parse(json)).toEqual({ values: [1, 2, 3], total: 3 });
    expect(await transient('print(total + values[-1])', { state: JSON.parse(json) })).toMatch(
      /^Execution Result:\n\n6\n/,
    );
  });

  it('sessions side by side that do not see each other, nor does a transient run', async () => {
    await persistent('secret = 1', 'left');
    expect(await persistent('print(secret)', 'right')).toContain('NameError');
    expect(await transient('print(secret)')).toContain('NameError');
    expect(await persistent('print(secret)', 'left')).toMatch(/Execution Result:\n\n1$/);
  });

  it('that an endless run blocks no other', async () => {
    const controller = new AbortController();
    const endless = client.callTool({ name: 'execute-transient', arguments: { code: 'while True: pass' } }, undefined, {
      signal: controller.signal,
    });
    const stopped = expect(endless).rejects.toThrow();
    expect(await transient('print(1)')).toBe('Execution Result:\n\n1\n');
    expect(await persistent('print(2)', 'beside')).toMatch(/Execution Result:\n\n2$/);
    controller.abort();
    await stopped;
  });

  it('a run although all idle containers of the pool were removed', async () => {
    await transient('print(1)');
    const owners = readdirSync(join(home, '.hothouse/leases')).map((name) => `label=${LABEL.owner}=${name}`);
    const own = owners.flatMap((label) => docker('ps', '-q', '--filter', label).split('\n').filter(Boolean));
    expect(own).not.toEqual([]);
    docker('rm', '-f', ...own);
    expect(await transient('print("back")')).toBe('Execution Result:\n\nback\n');
    expect(await persistent('print("back")', 'after')).toMatch(/back$/);
  });
});

describe('Containerized Code Executer promises', () => {
  let client: Connected;
  beforeAll(async () => {
    client = await connectStdio({}, ['--profile', 'code-executer']);
  });
  afterAll(() => client.close());

  it('an executer beside another, each with its own variables', async () => {
    const begin = async () => (await answer(client, 'start_code_executer', {})).split(' ').at(-1) ?? '';
    const first = await begin();
    await call(client, 'execute_code', { code: 'x = "first"' });
    const second = await begin();
    expect(await answer(client, 'execute_code', { code: 'x' })).toContain('NameError');
    await call(client, 'stop_code_executer', { name: second });
    expect(await answer(client, 'reuse_code_executer', { name: first })).toBe('Code execution service restarted.');
    expect(await answer(client, 'execute_code', { code: 'x' })).toBe("'first'");
  });

  it('nothing that would delete stopped containers of the user', async () => {
    const stopped = docker('create', '--label', 'hothouse-test=stopped', 'hothouse/bash:latest', 'true');
    try {
      await call(client, 'start_code_executer', {});
      expect(docker('inspect', '--format', '{{.State.Status}}', stopped)).toBe('created');
    } finally {
      docker('rm', stopped);
    }
  });
});

describe('MCP-docker-executor promises', () => {
  let client: Connected;
  const home = mkdtempSync(join(tmpdir(), 'hothouse-promises-'));

  beforeAll(async () => {
    client = await connectStdio({ HOME: home }, ['--profile', 'docker-executor']);
  });
  afterAll(async () => {
    await client.close();
    await removeHome(home);
  });

  async function install(by: Connected, package_name: string, language: string): Promise<string> {
    const installed = await answer(by, 'install_package', { package_name, language });
    return /New Image ID: (\S+)/.exec(installed)?.[1] ?? '';
  }

  it.each([
    ['node', 'is-odd', 'console.log(require("is-odd")(3))', 'true'],
    ['bash', 'cowsay', '/usr/games/cowsay moo | grep -o moo', 'moo'],
  ])('packages of %s in the new image', async (language, package_name, code, printed) => {
    const image_id = await install(client, package_name, language);
    expect(await answer(client, 'execute_code', { language, code, image_id })).toContain(`STDOUT:\n${printed}\n`);
    expect(await answer(client, 'execute_code', { language, code })).toContain('Status: failed');
  });

  it('packages of C# in the new image', async () => {
    const compiler = await install(client, 'mono-mcs', 'bash');
    const source = 'public static class Greeting { public const string Text = "from a package"; }';
    const code = `echo '${source}' >a.cs && mcs -target:library a.cs >&2 && base64 --wrap=0 a.dll`;
    const compiled = await answer(client, 'execute_code', { language: 'bash', code, image_id: compiler });
    const [, dll = ''] = /STDOUT:\n(\S+)/.exec(compiled) ?? [];
    const files = { 'lib/net45/Greeting.dll': Buffer.from(dll, 'base64') };
    const feed = await nugetFeed([{ name: 'Greeting', version: '1.2.0', files }]);
    const settings = ['--profile', 'docker-executor', '--set', `packages.nugetIndex=${feed.url}`];
    const other = await connectStdio({ HOME: home }, settings);
    try {
      const image_id = await install(other, 'Greeting', 'csharp');
      const run = { language: 'csharp', code: 'Console.WriteLine(Greeting.Text);' };
      expect(await answer(other, 'execute_code', { ...run, image_id })).toContain('STDOUT:\nfrom a package\n');
      expect(await answer(other, 'execute_code', run)).toContain('Status: failed');
    } finally {
      await other.close();
      await feed.close();
    }
  });

  it('an image with several languages, in which each runs', async () => {
    await call(client, 'create_image', { languages: ['python', 'bash'], image_name: 'promised' });
    const run = (language: string, code: string) =>
      answer(client, 'execute_code', { language, code, image_id: 'promised' });
    expect(await run('python', 'print("from python")')).toContain('STDOUT:\nfrom python\n');
    expect(await run('bash', 'echo from bash')).toContain('STDOUT:\nfrom bash\n');
    expect(await run('node', '1')).toBe('Error executing code: There is no image promised with node. Create it first.');
  });
});
