import type Docker from 'dockerode';
import { LOOPBACK_ONLY } from '../network.ts';
import { type ContainerSpec, MASKED_PATHS, memoryMounts, resourceLimits, type TmpfsSpec } from '../spec.ts';
import { hostsFile, putArchive, rootFolder } from './archive.ts';
import type { Client } from './client.ts';
import { CPU_PERIOD, NO_TERMINALS, OOM_SCORE, tmpfsOptions, volumeLabels } from './createOptions.ts';
import { dial } from './podmanDial.ts';

/** Of Podman's own API; later versions answer it too. */
const API = '/v4.0.0/libpod';

/**
 * Creates a container in Podman; its id. By Podman's own API: the one that it shares with Docker knows no owner, mode or
 * inodes of mounts in memory, ignores masked paths, and makes /run and /var/tmp writable.
 */
export async function createInPodman(
  docker: Docker,
  name: string,
  spec: ContainerSpec,
  user: number,
  proxy?: string,
): Promise<string> {
  // Podman would make those that are missing, without labels.
  for (const volume of spec.volumes)
    if (volume.name !== null) await docker.createVolume({ Name: volume.name, Labels: volumeLabels(volume, spec) });
  const answer: unknown = await dial(docker, {
    path: `${API}/containers/create`,
    options: { name, ...podmanOptions(spec, user, proxy) },
    statusCodes: { 201: true, 400: 'bad parameter', 404: 'no such image', 409: 'conflict', 500: 'server error' },
  });
  const id: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'Id') : null;
  if (typeof id !== 'string') throw new Error('Podman returned no id');
  return id;
}

/**
 * The spec as Podman's own options, for the user and group of this id. The seccomp profile is missing: Podman reads one
 * only from a file of its machine. The agent installs it for everything in the container, on top of Podman's default.
 */
export function podmanOptions(spec: ContainerSpec, user: number, proxy?: string) {
  const isOpen = spec.network === 'bridge';
  return {
    image: spec.image,
    entrypoint: spec.argv,
    command: [],
    healthconfig: { Test: ['NONE'] },
    env: spec.env,
    httpproxy: false,
    labels: spec.labels,
    user: `${user}:${user}`,
    manage_password: false,
    work_dir: spec.workingDir,
    hostname: 'sandbox',
    stdin: true,
    terminal: false,
    remove: true,
    // A removal by force waits for so long before it kills; Docker's does not.
    stop_timeout: 0,
    log_configuration: { driver: 'none' },
    systemd: 'false',
    sdnotifyMode: 'ignore',
    privileged: false,
    cap_drop: ['ALL'],
    no_new_privileges: true,
    mask: MASKED_PATHS,
    read_only_filesystem: spec.readOnlyRoot,
    netns: { nsmode: isOpen ? 'bridge' : 'none' },
    ...(proxy === undefined ? {} : { volumes_from: [`${proxy}:ro`] }),
    use_image_hosts: true,
    ipcns: { nsmode: 'private' },
    sysctl: isOpen ? {} : LOOPBACK_ONLY,
    resource_limits: {
      memory: { limit: spec.memoryBytes, swap: spec.memoryBytes },
      cpu: { period: CPU_PERIOD, quota: Math.round(spec.cpus * CPU_PERIOD) },
      pids: { limit: spec.pids },
    },
    r_limits: Object.entries(resourceLimits(spec)).map(([type, most]) => ({ type, soft: most, hard: most })),
    oom_score_adj: OOM_SCORE,
    image_volume_mode: 'ignore',
    mounts: [
      {
        type: 'tmpfs',
        source: 'tmpfs',
        destination: NO_TERMINALS.path,
        options: [...NO_TERMINALS.options.split(','), 'notmpcopyup'],
      },
    ],
    volumes: [
      ...memoryMounts(spec).map((mount) => inMemory(mount, user)),
      ...spec.volumes.map(({ path, name }) => ({ Name: name ?? '', Dest: path, Options: ['rw', 'nocopy'] })),
    ],
    ...(spec.runtime === null ? {} : { oci_runtime: spec.runtime }),
  };
}

/**
 * Gives the mounts in memory to the user and all others to root. Podman itself, when it prepares a container, as `attach`
 * has it do, gives each the owner and mode of the image's folder in its place, and where the image has none, to the user.
 * Also writes /etc/hosts: Podman's own has the lines of the machine's.
 */
export async function finishInPodman(client: Client, id: string, spec: ContainerSpec, user: number): Promise<void> {
  await Promise.all([
    ...memoryMounts(spec).map(({ path, mode }) => putArchive(client, id, path, rootFolder(user, mode))),
    ...spec.volumes.map(({ path }) => putArchive(client, id, path, rootFolder(0, '0755'))),
    putArchive(client, id, '/etc', hostsFile()),
  ]);
}

/** A volume without a name, which goes with its container; unlike a mount of type `tmpfs` it takes every option. */
function inMemory(mount: TmpfsSpec, user: number) {
  const driver = { type: 'tmpfs', device: 'tmpfs', o: tmpfsOptions(mount, user) };
  const access = ['rw', 'nosuid', 'nodev', mount.exec ? 'exec' : 'noexec', 'nocopy'];
  return {
    Name: '',
    Dest: mount.path,
    Options: [...access, ...Object.entries(driver).map(([key, value]) => `volume-opt=${key}=${value}`)],
  };
}
