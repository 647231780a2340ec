import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');

describe('the bundled command line with an ssh:// host', () => {
  let folder: string;
  let docker: Server;
  let gateway: InstanceType<typeof ssh2.Server>;
  const commands: string[] = [];

  beforeAll(async () => {
    // In the checkout, where the program finds its other files.
    await mkdir(join(ROOT, 'out'), { recursive: true });
    folder = await mkdtemp(join(ROOT, 'out/bundle-'));
    await run(process.execPath, ['esbuild.mjs', '--production', `--outdir=${folder}`], { cwd: ROOT });
    docker = http.createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ApiVersion: '1.44', Version: '99.1.2' }));
    });
    await listen(docker);
    gateway = sshServer(port(docker), commands);
    await listen(gateway);
  });
  afterAll(async () => {
    gateway.close();
    docker.close();
    await rm(folder, { recursive: true });
  });

  it('talks to Docker by `docker system dial-stdio` on that host', async () => {
    const env = { ...process.env, DOCKER_HOST: `ssh://someone@127.0.0.1:${port(gateway)}`, SSH_AUTH_SOCK: '' };
    const doctor = run(process.execPath, [join(folder, 'cli.js'), 'doctor'], { env }).catch((failed) => failed);
    const { stdout } = await doctor;
    expect(stdout).toContain(`Docker Engine 99.1.2 at ssh://someone@127.0.0.1:${port(gateway)}`);
    expect(new Set(commands)).toEqual(new Set(['docker system dial-stdio']));
  });

  it('keeps the ssh library in a file of its own', async () => {
    const [cli, ssh] = await Promise.all(
      ['cli.js', 'chunks/ssh.cjs'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    expect(ssh).toContain('ssh-userauth');
    expect(cli).not.toContain('ssh-userauth');
  });
});

/** Accepts every client, and connects its command with a port of this machine. */
function sshServer(target: number, commands: string[]) {
  const { private: key } = ssh2.utils.generateKeyPairSync('ed25519');
  return new ssh2.Server({ hostKeys: [key] }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (attempt) => attempt.accept());
    client.on('session', (accept) => {
      accept().on('exec', (acceptExec, _reject, { command }) => {
        commands.push(command);
        const stream = acceptExec();
        stream.pipe(connect(target, '127.0.0.1')).pipe(stream);
      });
    });
  });
}

function listen(server: { listen(port: number, host: string, done: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function port(server: { address(): unknown }): number {
  return (server.address() as AddressInfo).port;
}
