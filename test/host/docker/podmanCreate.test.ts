import { describe, expect, it } from 'vitest';
import { podmanOptions } from '../../../src/host/docker/podmanCreate.ts';
import { containerSpec } from '../../../src/host/spec.ts';
import { LIMITS } from '../../contract/hostContract.ts';

const spec = {
  ...containerSpec('hothouse/python:latest', LIMITS, { a: 'b' }),
  env: { HOME: '/workspace', X: 'a b=c' },
};

describe('podmanOptions', () => {
  it('contains the whole policy, which closes everything that is not needed', () => {
    const memory = (path: string, access: string) => ({
      Name: '',
      Dest: path,
      Options: [
        ...['rw', 'nosuid', 'nodev', access, 'nocopy', 'volume-opt=type=tmpfs', 'volume-opt=device=tmpfs'],
        `volume-opt=o=rw,nosuid,nodev,${access},size=16777216,nr_inodes=1024,mode=0700,uid=1500000000,gid=1500000000`,
      ],
    });
    expect(podmanOptions(spec, 1_500_000_000)).toEqual({
      image: 'hothouse/python:latest',
      entrypoint: spec.argv,
      command: [],
      healthconfig: { Test: ['NONE'] },
      env: { HOME: '/workspace', X: 'a b=c' },
      httpproxy: false,
      labels: { a: 'b' },
      user: '1500000000:1500000000',
      manage_password: false,
      work_dir: '/',
      hostname: 'sandbox',
      stdin: true,
      terminal: false,
      remove: true,
      stop_timeout: 0,
      log_configuration: { driver: 'none' },
      systemd: 'false',
      sdnotifyMode: 'ignore',
      privileged: false,
      cap_drop: ['ALL'],
      no_new_privileges: true,
      mask: expect.arrayContaining(['/proc/interrupts', '/proc/kcore', '/proc/keys', '/proc/locks', '/sys/firmware']),
      read_only_filesystem: true,
      netns: { nsmode: 'none' },
      use_image_hosts: true,
      ipcns: { nsmode: 'private' },
      sysctl: {
        'net.ipv4.tcp_rmem': '4096 131072 524288',
        'net.ipv4.tcp_wmem': '4096 16384 524288',
        'net.ipv4.tcp_max_tw_buckets': '0',
      },
      resource_limits: {
        memory: { limit: 134217728, swap: 134217728 },
        cpu: { period: 100_000, quota: 100_000 },
        pids: { limit: 64 },
      },
      r_limits: [
        { type: 'core', soft: 1, hard: 1 },
        { type: 'nofile', soft: 1024, hard: 1024 },
        { type: 'stack', soft: 8388608, hard: 8388608 },
        { type: 'msgqueue', soft: 0, hard: 0 },
        { type: 'nproc', soft: 64, hard: 64 },
        { type: 'sigpending', soft: 4096, hard: 4096 },
      ],
      oom_score_adj: 500,
      image_volume_mode: 'ignore',
      mounts: [
        {
          type: 'tmpfs',
          source: 'tmpfs',
          destination: '/dev/pts',
          options: ['ro', 'nosuid', 'nodev', 'noexec', 'size=4096', 'mode=0555', 'notmpcopyup'],
        },
      ],
      volumes: [memory('/workspace', 'exec'), memory('/tmp', 'exec'), memory('/dev/shm', 'noexec')],
    });
  });

  it('mounts volumes, and changes nothing else for a network and a runtime', () => {
    const { volumes, ...rest } = podmanOptions(
      {
        ...spec,
        network: 'bridge',
        runtime: 'runc',
        volumes: [
          { path: '/packages', name: null, isWritable: false },
          { path: '/cache', name: 'cache', isWritable: true },
        ],
      },
      2,
    );
    const { volumes: before, ...sealed } = podmanOptions(spec, 2);
    expect(volumes.slice(before.length)).toEqual([
      { Name: '', Dest: '/packages', Options: ['rw', 'nocopy'] },
      { Name: 'cache', Dest: '/cache', Options: ['rw', 'nocopy'] },
    ]);
    expect(rest).toEqual({ ...sealed, netns: { nsmode: 'bridge' }, sysctl: {}, oci_runtime: 'runc' });
  });
});
