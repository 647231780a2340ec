import { describe, expect, it } from 'vitest';
import { hostAdvice } from '../../src/cli/advice.ts';
import type { HostInfo } from '../../src/host/host.ts';

const SOUND: HostInfo = {
  name: 'Docker Engine 29.0.0 at unix:///var/run/docker.sock',
  version: '29.0.0',
  apiVersion: '1.52',
  runtimes: ['runc'],
  defaultRuntime: 'runc',
  rootless: true,
  userNamespaces: true,
  seccomp: true,
  cgroupVersion: '2',
  operatingSystem: 'Debian',
  runcVersion: '1.3.3',
  desktopVersion: null,
  missingLimits: [],
};

const about = (change: Partial<HostInfo>) => hostAdvice({ ...SOUND, ...change });

describe('hostAdvice', () => {
  it('has nothing to say of a host in order', () => {
    expect(hostAdvice(SOUND)).toEqual([]);
  });

  it.each(['1.0.0-rc93', '1.1.5+ds1', '1.2.7', '1.3.2', '1.4.0-rc.2', 'v1.2.0'])('warns of runc %s', (runcVersion) => {
    expect(about({ runcVersion })).toEqual([
      expect.stringContaining(`runc ${runcVersion} is older than 1.2.8, 1.3.3,`),
    ]);
  });

  it.each(['1.2.8', '1.2.10', '1.3.3+ds1', '1.4.0-rc.3', '1.4.0', '1.5.0-rc.1', '2.0.0', 'unknown', null])(
    'does not warn of runc %s',
    (runcVersion) => {
      expect(about({ runcVersion })).toEqual([]);
    },
  );

  it('warns of Docker Desktop before 4.44.3', () => {
    expect(about({ desktopVersion: '4.44.2' })).toEqual([expect.stringContaining('Docker Desktop 4.44.2 is older')]);
    expect(about({ desktopVersion: '4.9.1' })).toHaveLength(1);
    expect(about({ desktopVersion: '4.44.3' })).toEqual([]);
    expect(about({ desktopVersion: '4.50.0' })).toEqual([]);
  });

  it('warns of an engine that runs as root, unless root is somebody else in containers', () => {
    expect(about({ rootless: false, userNamespaces: false })).toEqual([expect.stringContaining('runs as root')]);
    expect(about({ rootless: false })).toEqual([]);
  });

  it('warns of missing seccomp', () => {
    expect(about({ seccomp: false })).toEqual([expect.stringContaining('no seccomp')]);
  });

  it('names the limits that cannot be set', () => {
    expect(about({ missingLimits: ['swap', 'processes'] })).toEqual([expect.stringContaining(': swap, processes;')]);
    expect(about({ cgroupVersion: '1' })).toEqual([expect.stringContaining(': any;')]);
    expect(about({ cgroupVersion: '1', rootless: false })).toEqual([]);
  });
});
