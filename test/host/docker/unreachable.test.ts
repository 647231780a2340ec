import { describe, expect, it } from 'vitest';
import type { Installation } from '../../../src/host/docker/unreachable.ts';
import { type Tried, unreachable } from '../../../src/host/docker/unreachable.ts';
import type { Problem, ProblemKind } from '../../../src/host/problem.ts';

const debian: Installation = {
  platform: 'linux',
  installed: false,
  podman: false,
  apt: true,
  systemd: true,
  root: false,
};
const tried = (problem: Problem | 'absent', host = 'unix:///a.sock', source: string | null = null): Tried => ({
  host,
  source,
  problem,
});
const problem = (kind: ProblemKind): Problem => ({ kind, message: kind, advice: 'Do.' });

describe('unreachable', () => {
  it('names where it looked and how to install Docker', () => {
    expect(unreachable([tried('absent'), tried('absent', 'unix:///b.sock')], debian)).toEqual({
      kind: 'host_missing',
      message: 'No Docker Engine was found: nothing listens at unix:///a.sock, unix:///b.sock.',
      advice: 'Install the Docker Engine.',
      command: 'sudo apt-get install -y docker.io',
    });
  });

  it('names how to start an installed Docker', () => {
    expect(unreachable([tried('absent')], { ...debian, installed: true })).toEqual({
      kind: 'host_stopped',
      message: 'Docker is installed but not running: nothing listens at unix:///a.sock.',
      advice: 'Start the Docker Engine.',
      command: 'sudo systemctl start docker',
    });
  });

  it('names how to start the service of Podman where Docker is not installed', () => {
    const podman = { ...debian, podman: true };
    expect(unreachable([tried('absent')], podman)).toEqual({
      kind: 'host_stopped',
      message: 'Podman is installed, but its service is not running: nothing listens at unix:///a.sock.',
      advice: 'Start the service of Podman.',
      command: 'systemctl --user enable --now podman.socket',
    });
    const command = (facts: Installation) => unreachable([tried('absent')], facts).command;
    expect(command({ ...podman, root: true })).toBe('systemctl enable --now podman.socket');
    expect(command({ ...podman, systemd: false })).toBe('podman system service --time=0 &');
    expect(command({ ...podman, installed: true })).toBe('sudo systemctl start docker');
  });

  it.each([
    [{ ...debian, root: true }, 'apt-get install -y docker.io'],
    [{ ...debian, apt: false }, undefined],
    [{ ...debian, installed: true, systemd: false, root: true }, 'service docker start'],
    [{ ...debian, installed: true, platform: 'darwin' as const }, 'open -a Docker'],
  ])('names a command that fits the machine: %j', (facts, command) => {
    expect(unreachable([tried('absent')], facts).command).toBe(command);
  });

  it('reports the problem that is closest to a working host', () => {
    const all = [tried('absent'), tried(problem('host_stopped')), tried(problem('permission_denied'))];
    expect(unreachable(all, debian).kind).toBe('permission_denied');
  });

  it('adds how to start Docker when its socket refuses connections', () => {
    expect(unreachable([tried(problem('host_stopped'))], debian)).toMatchObject({
      kind: 'host_stopped',
      command: 'sudo systemctl start docker',
    });
  });

  it('names the source of an address that does not exist', () => {
    const { message } = unreachable([tried('absent', 'unix:///x.sock', 'DOCKER_HOST')], debian);
    expect(message).toBe('Nothing listens at unix:///x.sock, which DOCKER_HOST names.');
  });
});
