import { describe, expect, it } from 'vitest';
import { type DockerInfo, type DockerVersion, describeHost } from '../../../src/host/docker/info.ts';

const INFO: DockerInfo = { SecurityOptions: ['name=seccomp,profile=builtin', 'name=rootless'], CgroupVersion: '2' };
const VERSION: DockerVersion = { ApiVersion: '1.52', Version: '29.0.0' };

const warnings = (info: DockerInfo, version: Partial<DockerVersion> = {}) =>
  describeHost('unix:///var/run/docker.sock', { ...INFO, ...info }, { ...VERSION, ...version }).warnings;
const aboutRunc = (runc: string | null) =>
  warnings({}, { Components: runc === null ? [] : [{ Name: 'runc', Version: runc }] });
const aboutDesktop = (desktop: string) => warnings({}, { Platform: { Name: `Docker Desktop ${desktop} (199162)` } });
const secured = (...names: string[]) => warnings({ SecurityOptions: names.map((name) => `name=${name}`) });

describe('the warnings about Docker', () => {
  it('are empty for a recommended setup', () => {
    expect(aboutRunc('1.3.3')).toEqual([]);
  });

  it.each(['1.0.0-rc93', '1.1.5+ds1', '1.2.7', '1.3.2', '1.4.0-rc.2', 'v1.2.0'])('name runc %s', (runc) => {
    expect(aboutRunc(runc)).toEqual([expect.stringContaining(`runc ${runc} is older than 1.2.8, 1.3.3,`)]);
  });

  it.each(['1.2.8', '1.2.10', '1.3.3+ds1', '1.4.0-rc.3', '1.4.0', '1.5.0-rc.1', '2.0.0', 'unknown', null])(
    'do not name runc %s',
    (runc) => {
      expect(aboutRunc(runc)).toEqual([]);
    },
  );

  it('name Docker Desktop before 4.44.3', () => {
    expect(aboutDesktop('4.44.2')).toEqual([expect.stringContaining('Docker Desktop 4.44.2 is older')]);
    expect(aboutDesktop('4.9.1')).toHaveLength(1);
    expect(aboutDesktop('4.44.3')).toEqual([]);
    expect(aboutDesktop('4.50.0')).toEqual([]);
  });

  it('name Docker as root without a user namespace', () => {
    expect(secured('seccomp')).toEqual([expect.stringContaining('runs as root')]);
    expect(secured('seccomp', 'userns')).toEqual([]);
  });

  it('name Podman in place of Docker', () => {
    const podman = { Components: [{ Name: 'Podman Engine', Version: '4.3.1' }] };
    const of = (info: DockerInfo) => warnings({ SecurityOptions: ['name=seccomp'], ...info }, podman);
    const ends = expect.stringMatching(/^Podman ends a sandbox when .+ after a reload\.$/);
    expect(of({})).toEqual([expect.stringMatching(/^Podman runs as root/), ends]);
    expect(of({ Rootless: true, CgroupVersion: '2', Driver: 'overlay' })).toEqual([ends]);
    expect(of({ Rootless: true, CgroupVersion: '1' })).toEqual([
      expect.stringMatching(/^Podman cannot set these limits of sandboxes: any; .+ a rootless Podman\.$/),
      ends,
    ]);
    expect(of({ Rootless: true, Driver: 'vfs' })).toEqual([expect.stringMatching(/vfs; set driver to overlay/), ends]);
    expect(warnings({ Driver: 'vfs' })).toEqual([]);
  });

  it('name missing seccomp', () => {
    expect(secured('rootless')).toEqual([expect.stringContaining('no seccomp')]);
  });

  it('name the limits that cannot be set', () => {
    expect(warnings({ SwapLimit: false, PidsLimit: false })).toEqual([expect.stringContaining(': swap, processes;')]);
    expect(warnings({ CgroupVersion: '1' })).toEqual([expect.stringContaining(': any;')]);
    expect(warnings({ CgroupVersion: '1', SecurityOptions: ['name=seccomp', 'name=userns'] })).toEqual([]);
  });
});
