import { describe, expect, it } from 'vitest';
import { infoOf } from '../../../src/host/docker/info.ts';

const VERSION = { ApiVersion: '1.51', Version: '28.3.2', Components: [{ Name: 'runc', Version: '1.2.5' }] };

describe('what an engine says of itself', () => {
  it('is read from both of its answers', () => {
    const info = {
      Runtimes: { runc: {}, runsc: {} },
      DefaultRuntime: 'runc',
      SecurityOptions: ['name=seccomp,profile=builtin', 'name=userns'],
      CgroupVersion: '2',
      OperatingSystem: 'Debian',
      MemoryLimit: true,
      SwapLimit: false,
      CpuCfsQuota: true,
      PidsLimit: false,
    };
    expect(infoOf('unix:///s', info, { ...VERSION, Platform: { Name: 'Docker Engine - Community' } })).toEqual({
      name: 'Docker Engine 28.3.2 at unix:///s',
      version: '28.3.2',
      apiVersion: '1.51',
      runtimes: ['runc', 'runsc'],
      defaultRuntime: 'runc',
      rootless: false,
      userNamespaces: true,
      seccomp: true,
      cgroupVersion: '2',
      operatingSystem: 'Debian',
      runcVersion: '1.2.5',
      desktopVersion: null,
      missingLimits: ['swap', 'processes'],
    });
  });

  it('tells Docker Desktop, rootless mode, and what is missing', () => {
    const version = { ...VERSION, Platform: { Name: 'Docker Desktop 4.43.2 (199162)' } };
    const info = { SecurityOptions: ['name=rootless'] };
    expect(infoOf('a', info, version)).toMatchObject({
      desktopVersion: '4.43.2',
      rootless: true,
      userNamespaces: true,
      seccomp: false,
      missingLimits: [],
    });
  });
});
