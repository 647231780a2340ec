import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectStdio } from '../../cli/program.ts';
import { leanImage } from '../../leanImage.ts';
import { call, textOf } from '../connect.ts';
import { type Difference, itRepeats, Replay, readCapture } from './replay.ts';

const capture = readCapture('lean-docker-mcp');
const PROFILE = ['--profile', 'lean-docker-mcp'];

const success = (output: string) => `Status: success\nExit Code: 0\n\nOutput:\n${output}`;
/** Positions and words of errors differ between versions of Lean. */
const failed = (exitCode: number, output: RegExp) =>
  new RegExp(`^Status: error\\nExit Code: ${exitCode}\\n\\n${output.source}\\n\\nError: .+$`);
const POLICY = 'Without a configuration no list of imports applies; the module does not exist here.';

const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'silent success is told as an error': {
    text: 'Status: success\nExit Code: 0\n\nNo output',
    why: 'Code without errors succeeds.',
  },
  'compile error': {
    text: failed(1, /Output:\nScript\.lean:1:\d+: error: [\s\S]+/),
    why: 'The exit code is that of Lean.',
  },
  'parse error': {
    text: failed(1, /Output:\nScript\.lean:1:\d+: error: [\s\S]+/),
    why: 'The exit code is that of Lean.',
  },
  'main that fails at run time': {
    text: failed(1, /Output:\nuncaught exception: boom/),
    why: 'The exit code is that of main.',
  },
  'main with an exit code': { text: failed(3, /Output:\nthree/), why: 'The exit code is that of main.' },
  'printed error: is taken for one': { text: success('error: none'), why: 'What was printed decides nothing.' },
  'blocked import': { text: failed(1, /Output:\n[\s\S]+/), why: POLICY },
  'import not in the allowed list': { text: failed(1, /Output:\n[\s\S]+/), why: POLICY },
  'Mathlib submodule is not in the list': { text: failed(1, /Output:\n[\s\S]+/), why: POLICY },
  'IO.FS': {
    text: failed(1, /Output:\n[\s\S]*no such file[\s\S]*/),
    why: 'The sandbox is the wall; the file does not exist.',
  },
  'persistent: use': {
    text: `Session ID: d6afc5c2-9bc6-45b4-adfd-4ad5b451f632\n\n${success('30')}`,
    why: 'A session keeps its definitions, as documented.',
  },
  'persistent: validation error': { text: /^Session ID: \S+\n\nStatus: error\nExit Code: 1\n\n/, why: POLICY },
};

describe('the profile lean-docker-mcp with a real Lean', () => {
  let client: Awaited<ReturnType<typeof connectStdio>>;

  beforeAll(async () => {
    client = await connectStdio({ HOTHOUSE_LEAN_IMAGE: leanImage() }, PROFILE);
  });
  afterAll(() => client.close());

  itRepeats(capture, DIFFERENCES, () => client);
});

describe('the profile lean-docker-mcp with lists of imports', () => {
  it('refuses imports in the words of the older server', async () => {
    const lists = { HOTHOUSE_LEAN_ALLOWED_IMPORTS: 'Lean,Init', HOTHOUSE_LEAN_BLOCKED_IMPORTS: 'System.IO.Process' };
    const client = await connectStdio({ HOTHOUSE_LEAN_IMAGE: leanImage(), ...lists }, PROFILE);
    const replay = new Replay(client);
    const notes = ['blocked import', 'import not in the allowed list', 'Mathlib submodule is not in the list'];
    for (const one of capture.calls.filter(({ note }) => notes.includes(note))) await replay.expectSame(one);
    await client.close();
  });
});

describe('lean-docker-mcp promises', () => {
  it('a time limit that holds, and an endless run that blocks no other', async () => {
    const env = { HOTHOUSE_LEAN_IMAGE: leanImage(), LEAN_DOCKER_MCP_TIMEOUT: '5' };
    const client = await connectStdio(env, PROFILE);
    const run = async (code: string) => textOf(await call(client, 'execute-lean', { code }));
    const endless = run('partial def loop (n : Nat) : IO Unit := loop (n + 1)\ndef main : IO Unit := loop 0');
    expect(await run('#eval 6 * 7')).toContain('Output:\n42');
    expect(await endless).toMatch(/^Status: error\nExit Code: -1\n[\s\S]*took longer than 5 s/);
    await client.close();
  });
});
