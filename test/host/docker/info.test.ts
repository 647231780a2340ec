import { describe, expect, it } from 'vitest';
import { describeHost } from '../../../src/host/docker/info.ts';

const VERSION = { ApiVersion: '1.51', Version: '28.3.2', Components: [{ Name: 'runc', Version: '1.2.5' }] };

describe('the description of Docker', () => {
  it('is read from both answers of Docker', () => {
    const info = {
      Runtimes: { runc: {}, runsc: {} },
      DefaultRuntime: 'runc',
      SecurityOptions: ['name=seccomp,profile=builtin', 'name=userns'],
      CgroupVersion: '2',
      MemoryLimit: true,
      SwapLimit: false,
      CpuCfsQuota: true,
      PidsLimit: false,
    };
    expect(describeHost('unix:///s', info, { ...VERSION, Platform: { Name: 'Docker Engine - Community' } })).toEqual({
      name: 'Docker Engine 28.3.2 at unix:///s',
      details: ['API 1.51', 'rootful'],
      defaultRuntime: 'runc',
      isolation: {
        memoryLimit: true,
        swapLimit: false,
        cpuLimit: true,
        processLimit: false,
        systemCallFilter: true,
        networkIsolation: true,
        readOnlyRoot: true,
        unprivilegedUser: true,
        userNamespace: true,
      },
      warnings: [expect.stringContaining('runc 1.2.5'), expect.stringContaining('swap, processes')],
    });
  });

  it('says which Podman it is, and whether it has no root', () => {
    const version = { ...VERSION, Version: '4.3.1', Components: [{ Name: 'Podman Engine', Version: '4.3.1' }] };
    const info = { SecurityOptions: ['name=seccomp,profile=default'], CgroupVersion: '2' };
    const own = describeHost('unix:///run/user/1/podman/podman.sock', { ...info, Rootless: true }, version);
    expect(own.name).toBe('Podman 4.3.1 at unix:///run/user/1/podman/podman.sock');
    expect(own.details).toEqual(['API 1.51', 'rootless']);
    expect(own.isolation).toMatchObject({ userNamespace: true, memoryLimit: true });
    const roots = describeHost('unix:///run/podman/podman.sock', { ...info, Rootless: false }, version);
    expect(roots.details).toEqual(['API 1.51', 'rootful']);
    expect(roots.isolation).toMatchObject({ userNamespace: false });
  });

  it('includes Docker Desktop, rootless mode and what is missing', () => {
    const version = { ...VERSION, Platform: { Name: 'Docker Desktop 4.43.2 (199162)' } };
    const { details, isolation, warnings } = describeHost(
      'a',
      { SecurityOptions: ['name=rootless'], CgroupVersion: '2' },
      version,
    );
    expect(details).toContain('rootless');
    expect(isolation).toMatchObject({
      userNamespace: true,
      systemCallFilter: false,
      memoryLimit: true,
      swapLimit: true,
    });
    expect(warnings).toContainEqual(expect.stringContaining('Docker Desktop 4.43.2'));
  });
});
