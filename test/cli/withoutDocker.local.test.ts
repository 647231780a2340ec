import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, connectEra, type TestClient } from '../mcp/connect.ts';
import { RestClient } from '../mcp/profiles/restClient.ts';
import { ended, serveProcess, start } from './program.ts';

const hothouse = (args: readonly string[], input?: string) => ended(start(args), input);

describe('the doctor where Docker is out of reach', () => {
  // A user who has Docker has chosen to test without it.
  it.skipIf(process.env.HOTHOUSE_HOST_KIND)('says where sandboxes run, and why there', async () => {
    const reason = /It is used because .*Docker/;
    const { status, stdout } = await hothouse(['doctor']);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^ok {4}Bubblewrap [\d.]+ on this machine, /)]);
    expect(stdout).toMatch(reason);
    const { host, environments } = JSON.parse((await hothouse(['doctor', '--json'])).stdout);
    expect(host).toMatchObject({ info: { reason: expect.stringMatching(reason) }, problem: null });
    expect(environments.find(({ id }: { id: string }) => id === 'python')).toMatchObject({ problem: null });
  });

  it.each(['csharp', 'r'])('advises no build of %s, which only a container engine can do', async (language) => {
    const { stdout } = await hothouse(['doctor', '--set', 'host.kind=local']);
    expect(stdout).not.toContain(`hothouse build ${language}`);
    expect(stdout).toContain(`note  Only a container engine can build hothouse/${language}:latest.`);
    expect(stdout).not.toContain('name another image');
  });

  it('says what has to change for Docker itself', async () => {
    const { status, stdout } = await hothouse(['doctor', '--set', 'docker.host=unix:///nowhere.sock']);
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^error Nothing listens at unix:\/\/\/nowhere\.sock/)]);
  });
});

describe('what needs Docker', () => {
  it.each([
    ['an allow list', ['--set', 'network.policy=allow', '--set', 'network.allow=example.com'], 'needs Docker'],
    ['another runtime', ['--set', 'host.kind=local', '--set', 'docker.runtime=runsc'], 'without a container engine'],
    ['an image', ['--set', 'python.image=python:3.12'], 'The image python:3.12 needs a container engine.'],
  ])('%s is refused in a sentence, and nothing runs', async (_, more, sentence) => {
    const { status, stdout, stderr } = await hothouse(['run', 'python', '-', ...more], 'print("ran")');
    expect([status === 0, stdout, stderr]).toEqual([false, '', expect.stringContaining(sentence)]);
  });
});

describe('hothouse serve where Docker is out of reach', () => {
  let served: Awaited<ReturnType<typeof serveProcess>>;
  let client: TestClient;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hothouse-without-'));
    served = await serveProcess({});
    client = await connectEra('2025-11-25', served.url, served.token);
  });
  afterAll(async () => {
    await client.close();
    await served.end();
    rmSync(folder, { recursive: true });
  });

  it('lists its sessions and copies their files', async () => {
    const session = String((await call(client, 'open_session', { language: 'python' })).structuredContent?.session_id);
    const server = ['--server', served.url];
    const env = { HOTHOUSE_TOKEN: served.token };
    const file = join(folder, 'sales.csv');
    writeFileSync(file, 'month\n1\n');
    expect((await ended(start(['session', 'list']))).stdout).toContain(session);
    expect((await ended(start(['cp', '-q', ...server, file, `${session}:`], env))).status).toBe(0);
    const code = 'open("twice.csv", "w").write(open("sales.csv").read() * 2)';
    expect((await call(client, 'run_code', { language: 'python', code, session_id: session })).isError).toBe(false);
    const back = join(folder, 'twice.csv');
    expect((await ended(start(['cp', '-q', ...server, `${session}:twice.csv`, back], env))).status).toBe(0);
    expect(readFileSync(back, 'utf8')).toBe('month\n1\nmonth\n1\n');
    await call(client, 'close_session', { session_id: session });
  });

  it('runs code of its REST interface', async () => {
    const { status, body } = await new RestClient(served).send('POST', '/execute', {
      language: 'python',
      code: 'print(6 * 7)',
    });
    expect([status, body]).toEqual([200, expect.objectContaining({ stdout: '42\n' })]);
  });
});
