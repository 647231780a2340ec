import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectStdio } from '../../cli/program.ts';
import { call, textOf } from '../connect.ts';
import { type Difference, itRepeats, readCapture } from './replay.ts';

const capture = readCapture('python-docker-mcp');

const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'transient with state': {
    text: 'Execution Result:\n\n42\n\n\nUpdated state:\n\n{\n  "x": 41,\n  "y": 42\n}',
    why: 'State goes in and comes out, as documented.',
  },
  'output that contains error:': {
    text: 'Execution Result:\n\nno Error: here\n',
    why: 'The exit status decides, not what was printed.',
  },
  'blocked module': { text: 'Execution Result:\n\n1\n', why: 'Without a configuration no list of modules applies.' },
  'module not in the allowed list': { text: 'Execution Result:\n\n[0 1 2]\n', why: 'The same; NumPy is preinstalled.' },
  'from import slips through': {
    text: /^Execution Result:\n\n1\.4142/,
    why: 'The module counts, not what comes from it.',
  },
  'pos. false positive': {
    text: 'Execution Result:\n\n1\n',
    why: 'The lists are for imports, not for patterns in the text.',
  },
  'persistent: use': {
    text: 'Session ID: aad6991c-363f-4b10-88e8-bd1d6821c73d\n\nExecution Result:\n\n10 + 20 = 30',
    why: 'A session keeps its variables, as documented.',
  },
  'persistent: validation error': {
    text: 'Session ID: aad6991c-363f-4b10-88e8-bd1d6821c73d\n\nExecution Result:\n\n',
    why: 'Without a configuration no list of modules applies.',
  },
  'install-package in a named session never seen': {
    text: /^Package installation result:\n\n/,
    why: 'The example of its documentation opens a session so.',
  },
  'use numpy in it (README)': {
    text: 'Session ID: my_math_session\n\nExecution Result:\n\nMean: 3.0',
    why: 'The same example.',
  },
  'install-package in an existing session': {
    text: /^Package installation result:\n\n[\s\S]*six/,
    why: 'The words of uv.',
  },
  'install-package without session': { text: /^Package installation result:\n\n[\s\S]*six/, why: 'The words of uv.' },
  'install-package: does not exist': {
    text: /^Error executing install-package: Error installing package: Failed to install package: [\s\S]*hothouse-no-such-package-1/,
    why: 'The words of uv.',
  },
};

describe('the profile python-docker-mcp on a real Docker Engine', () => {
  let client: Awaited<ReturnType<typeof connectStdio>>;

  beforeAll(async () => {
    client = await connectStdio({}, ['--profile', 'python-docker-mcp']);
  });
  afterAll(() => client.close());

  itRepeats(capture, DIFFERENCES, () => client);

  it('leaves no file of a transient run to the next', async () => {
    await call(client, 'execute-transient', { code: 'open("left.txt", "w").write("x")' });
    const { content } = await call(client, 'execute-transient', { code: 'import os\nprint(os.listdir("."))' });
    expect(textOf({ content })).toBe('Execution Result:\n\n[]\n');
  });

  it('gives shell text in package_name to no shell', async () => {
    const name = 'six; touch /tmp/owned';
    const { content } = await call(client, 'install-package', { package_name: name, session_id: 'named' });
    expect(textOf({ content })).toBe(
      `Error executing install-package: Error installing package: Invalid package name: ${name}`,
    );
  });
});

describe('the profile python-docker-mcp with the configuration of its users', () => {
  it('applies their lists of modules and their time limit, in its words', async () => {
    const client = await connectStdio(
      {
        HOTHOUSE_PYTHON_BLOCKED_MODULES: 'os,sys',
        HOTHOUSE_PYTHON_ALLOWED_MODULES: 'math',
        PYTHON_DOCKER_MCP_TIMEOUT: '1',
      },
      ['--profile', 'python-docker-mcp'],
    );
    const run = async (code: string) => textOf(await call(client, 'execute-transient', { code }));
    expect(await run('import os')).toContain("Error: Validation error: Import 'os' is blocked for security reasons");
    expect(await run('import json')).toContain("Error: Validation error: Import 'json' is not in the allowed list");
    expect(await run('while True: pass')).toMatch(/^Execution Result:\n\n\n\nError: The run took longer than 1 s/);
    await client.close();
  });

  it('sets isError for code that fails when profiles.isError is true', async () => {
    const client = await connectStdio({ HOTHOUSE_PROFILES_IS_ERROR: 'true' }, ['--profile', 'python-docker-mcp']);
    expect((await call(client, 'execute-transient', { code: '1/0' })).isError).toBe(true);
    expect((await call(client, 'execute-transient', { code: '1' })).isError).toBe(false);
    await client.close();
  });
});
