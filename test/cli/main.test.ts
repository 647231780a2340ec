import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { call } from '../mcp/connect.ts';
import { connectStdio, ended, start } from './program.ts';

const NO_ENGINE = { DOCKER_HOST: 'unix:///nowhere/docker.sock', HOTHOUSE_DOCKER_HOST: 'unix:///nowhere/docker.sock' };

describe('the program', () => {
  it('prints its version', async () => {
    expect(await ended(start(['--version']))).toEqual({ status: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  });

  it('serves MCP over stdio without Docker and rejects runs with the cause', async () => {
    const client = await connectStdio(NO_ENGINE);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('run_code');
    const answer = await call(client, 'run_code', { language: 'python', code: '1' });
    expect(answer.isError).toBe(true);
    expect(answer.structuredContent).toMatchObject({
      status: 'rejected',
      error: { message: expect.stringContaining('/nowhere/docker.sock') },
    });
    await client.close();
  });

  it('exits with status 64 for a run and 1 for the doctor without Docker', async () => {
    const { status, stdout, stderr } = await ended(start(['run', 'python', '-'], NO_ENGINE), 'print(1)');
    expect([status, stdout]).toEqual([64, '']);
    expect(stderr).toContain('/nowhere/docker.sock');
    const doctor = await ended(start(['doctor', '--json'], NO_ENGINE));
    expect(doctor.status).toBe(1);
    expect(JSON.parse(doctor.stdout)).toMatchObject({ host: { info: null, problem: { kind: expect.any(String) } } });
  });
});
