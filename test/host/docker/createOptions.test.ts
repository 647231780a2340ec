import { describe, expect, it } from 'vitest';
import { createOptions } from '../../../src/host/docker/createOptions.ts';
import { LABEL } from '../../../src/host/labels.ts';
import { SECCOMP_PROFILE } from '../../../src/host/seccomp/profile.ts';
import { containerSpec } from '../../../src/host/spec.ts';
import { LIMITS } from '../../contract/hostContract.ts';

const spec = {
  ...containerSpec('hothouse/python:latest', LIMITS, { a: 'b' }),
  env: { HOME: '/workspace', X: 'a b=c' },
};

describe('createOptions', () => {
  it('contains the whole policy, which closes everything that is not needed', () => {
    const mount = (access: string) =>
      `rw,nosuid,nodev,${access},size=16777216,nr_inodes=1024,mode=0700,uid=1500000000,gid=1500000000`;
    expect(createOptions(spec, 1_500_000_000)).toEqual({
      Image: 'hothouse/python:latest',
      Entrypoint: spec.argv,
      Cmd: [],
      Healthcheck: { Test: ['NONE'] },
      Env: ['HOME=/workspace', 'X=a b=c'],
      Labels: { a: 'b' },
      User: '1500000000:1500000000',
      WorkingDir: '/',
      AttachStderr: true,
      AttachStdin: true,
      AttachStdout: true,
      Hostname: 'sandbox',
      OpenStdin: true,
      StdinOnce: true,
      StopTimeout: 1,
      Tty: false,
      HostConfig: {
        AutoRemove: true,
        Init: false,
        Privileged: false,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges', `seccomp=${SECCOMP_PROFILE}`],
        ReadonlyRootfs: true,
        NetworkMode: 'none',
        Sysctls: {
          'net.ipv4.tcp_rmem': '4096 131072 524288',
          'net.ipv4.tcp_wmem': '4096 16384 524288',
          'net.ipv4.tcp_max_tw_buckets': '0',
        },
        IpcMode: 'private',
        PidsLimit: 64,
        Memory: 134217728,
        MemorySwap: 134217728,
        CpuPeriod: 100_000,
        CpuQuota: 100_000,
        OomScoreAdj: 500,
        Tmpfs: {
          '/workspace': mount('exec'),
          '/tmp': mount('exec'),
          '/dev/shm': mount('noexec'),
          '/dev/pts': 'ro,nosuid,nodev,noexec,size=4096,mode=0555',
        },
        Mounts: [],
        MaskedPaths: expect.arrayContaining(['/proc/kcore', '/proc/keys', '/proc/locks', '/sys/firmware']),
        ShmSize: 16777216,
        Ulimits: [
          { Name: 'core', Soft: 1, Hard: 1 },
          { Name: 'nofile', Soft: 1024, Hard: 1024 },
          { Name: 'stack', Soft: 8_388_608, Hard: 8_388_608 },
          { Name: 'msgqueue', Soft: 0, Hard: 0 },
          { Name: 'nproc', Soft: 64, Hard: 64 },
          { Name: 'sigpending', Soft: 4096, Hard: 4096 },
        ],
        LogConfig: { Type: 'none', Config: {} },
      },
    });
  });

  it('contains what a spec may choose', () => {
    const chosen = {
      ...spec,
      network: 'bridge',
      readOnlyRoot: false,
      runtime: 'runsc',
      seccomp: '{}',
      cpus: 0.5,
    } as const;
    expect(createOptions(chosen, 1_500_000_000).HostConfig).toMatchObject({
      NetworkMode: 'bridge',
      // The network of another namespace must not be changed.
      Sysctls: {},
      ReadonlyRootfs: false,
      Runtime: 'runsc',
      SecurityOpt: ['no-new-privileges', 'seccomp={}'],
      CpuQuota: 50_000,
    });
  });

  it('contains volumes: one without a name has the labels of its container, one with a name has no owner', () => {
    const volumes = [
      { path: '/packages', name: null, isWritable: false },
      { path: '/cache', name: 'shared', isWritable: true },
    ];
    const labels = { [LABEL.machine]: 'm', [LABEL.owner]: 'o' };
    const options = createOptions({ ...spec, labels, volumes }, 1);
    const mount = (name: string, path: string, owner: object) => {
      const Labels = { [LABEL.machine]: 'm', ...owner };
      const VolumeOptions = { NoCopy: true, Labels, DriverConfig: { Name: 'local', Options: {} } };
      return { Type: 'volume', Source: name, Target: path, VolumeOptions };
    };
    expect(options.HostConfig?.Mounts).toEqual([
      mount('', '/packages', { [LABEL.owner]: 'o' }),
      mount('shared', '/cache', {}),
    ]);
  });
});
