import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectStdio, removeHome } from '../../cli/program.ts';
import { call, textOf } from '../connect.ts';
import { type Difference, itRepeats, readCapture } from './replay.ts';

const capture = readCapture('docker-executor');

const answered = (status: string, exitCode: number, stdout: string, stderr: string) =>
  new RegExp(
    `^Execution Result:\\n- Execution ID: exec_\\d+_[0-9a-f]{8}\\n- Status: ${status}\\n- Exit Code: ${exitCode}\\n- Execution Time: \\d+\\.\\d\\ds\\n\\nSTDOUT:\\n${stdout}\\n\\nSTDERR:\\n${stderr}$`,
  );

const ID = 'Execution ids and times are new in each run.';
const STREAMS = 'stdout and stderr are apart, as documented.';

const DIFFERENCES: Readonly<Record<string, Difference>> = {
  docker_health: {
    text: /^Docker Status: ✅ Healthy\n\nSystem Information:\n- Active Containers: \d+\n/,
    why: 'Other counts.',
  },
  'python hello': { text: answered('completed', 0, 'Hello from Python!\\n', ''), why: ID },
  'python: fibonacci of the README': { text: answered('completed', 0, 'Testing[\\s\\S]*377\\]\\n', ''), why: ID },
  'python: exception': {
    text: answered('failed', 1, 'out\\n', 'err\\nTraceback[\\s\\S]*ZeroDivisionError: division by zero\\n'),
    why: STREAMS,
  },
  'python: exit status': { text: answered('failed', 3, '', ''), why: ID },
  'node hello': { text: answered('completed', 0, 'Hello from Node.js!\\n', ''), why: ID },
  'node exception': { text: answered('failed', 1, '', '[\\s\\S]*Error: x[\\s\\S]*'), why: STREAMS },
  bash: { text: answered('failed', 4, 'hello\\n/workspace\\n\\d+\\n', 'oops\\n'), why: STREAMS },
  'csharp (no dotnet in this stand-in image)': {
    text: answered('completed', 0, 'Hello from C#!\\n', ''),
    why: 'The image of Hothouse has a compiler.',
  },
  'image that is not there': {
    text: 'Error executing code: There is no image no-such-image:latest with python. Create it first.',
    why: 'The error names what is wrong.',
  },
  'timeout_seconds has no effect': {
    text: answered('timeout', 124, '', '[\\s\\S]*took longer than 1 s[\\s\\S]*'),
    why: 'Time limits hold, as documented.',
  },
  working_directory: { text: answered('completed', 0, '/tmp\\n', ''), why: ID },
  upload_file: { text: /^File uploaded successfully!\n- File ID: \S+\n/, why: 'It answers what it has done.' },
  'list_files, one': { text: /^Uploaded Files \(1\):\n\n- File ID: \S+\n- Filename: hello\.py\n/, why: 'The same.' },
  'execute_uploaded_file, unknown': {
    text: 'Error executing uploaded file: File not found',
    why: 'The error names what is wrong.',
  },
  'install_package without image_id': {
    text: /^Package installed successfully!\n- New Image ID: hothouse-[0-9a-f]{8}\n/,
    why: 'The argument is optional, as documented.',
  },
  install_package: {
    text: /^Package installed successfully!\n- New Image ID: hothouse-[0-9a-f]{8}\n/,
    why: 'It answers what it has done.',
  },
  'install_package: no such package': {
    text: /^Failed to install package: [\s\S]*hothouse-no-such-package-1/,
    why: 'The words of the installer.',
  },
  create_image: { text: /^Image created successfully!\n- Image ID: peers-x\n/, why: 'It answers what it has done.' },
};

describe('the profile docker-executor on a real Docker Engine', () => {
  let client: Awaited<ReturnType<typeof connectStdio>>;
  /** Has the environments that images become. */
  const home = mkdtempSync(join(tmpdir(), 'hothouse-profile-'));

  beforeAll(async () => {
    client = await connectStdio({ HOME: home }, ['--profile', 'docker-executor']);
  });
  afterAll(async () => {
    await client.close();
    await removeHome(home);
  });

  itRepeats(capture, DIFFERENCES, () => client);

  it('runs an uploaded file and deletes it', async () => {
    const content = 'print("from a file")';
    const uploaded = textOf(await call(client, 'upload_file', { filename: 'a.py', content, language: 'python' }));
    const [, file_id = ''] = /File ID: (\S+)/.exec(uploaded) ?? [];
    expect(textOf(await call(client, 'execute_uploaded_file', { file_id }))).toContain('STDOUT:\nfrom a file\n');
    expect(textOf(await call(client, 'delete_file', { file_id }))).toBe(`File ${file_id} deleted successfully.`);
  });

  it('has an installed package in the new image and nowhere else', async () => {
    const args = { package_name: 'cowsay', language: 'python' };
    const installed = textOf(await call(client, 'install_package', args));
    const [, image_id = ''] = /New Image ID: (\S+)/.exec(installed) ?? [];
    const code = 'import cowsay\nprint("found")';
    const run = (more: object) => call(client, 'execute_code', { language: 'python', code, ...more });
    expect(textOf(await run({ image_id }))).toContain('STDOUT:\nfound\n');
    expect(textOf(await run({}))).toContain('ModuleNotFoundError');
  });

  it.each([
    ['python', 'import os\nprint(os.getcwd())'],
    ['node', 'console.log(process.cwd())'],
  ])('runs code in the working directory that is asked for: %s', async (language, code) => {
    const answer = await call(client, 'execute_code', { language, code, working_directory: '/tmp' });
    expect(textOf(answer)).toContain('STDOUT:\n/tmp\n');
  });
});
