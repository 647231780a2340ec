import { spawnSync } from 'node:child_process';

/** The address of this machine on Docker's bridge, as a container sees it; Docker does not always list it. */
export function bridgeGateway(): string {
  const args = ['run', '--rm', '--entrypoint', 'ip', 'hothouse/proxy:latest', '-4', 'route', 'show', 'default'];
  const { stdout, stderr } = spawnSync('docker', args, { encoding: 'utf8' });
  const [, address] = /^default via (\d+\.\d+\.\d+\.\d+) /.exec(stdout) ?? [];
  if (address === undefined) throw new Error(`A container has no gateway: ${stdout}${stderr}`);
  return address;
}
