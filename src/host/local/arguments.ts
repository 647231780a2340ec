import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type ContainerSpec, MASKED_PATHS } from '../spec.ts';
import { NAMESPACES } from './bubblewrap.ts';
import { type Mounts, mountArguments, preparedArguments } from './preparation.ts';

/** Where a sandbox sees the files of its environment. */
export const ENVIRONMENT = '/environment';
/** Where it sees those of the environment that its own is built on. */
export const BASE = '/base';
/** Where the agent looks for the limits of its cgroup, as in a container. */
const CGROUPS = '/sys/fs/cgroup';
/** Where Node.js finds modules from every folder. */
const NODE_MODULES = 'node_modules';

/** Files of /etc that programs without users, hosts and services read. */
const ETC = ['alternatives', 'fonts', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'R', 'mono'];
/** Outside of /usr where a system has not merged them; else links to it. */
const SYSTEM = ['bin', 'sbin', 'lib', 'lib32', 'lib64'];

/** Folders of this machine that one sandbox sees. */
export interface LocalFolders {
  /** Of its environment. */
  readonly environment: string;
  /** Of the environment that this one is built on; null for none. */
  readonly base: string | null;
  /** Of each volume, by its path in the sandbox. */
  readonly volumes: ReadonlyMap<string, string>;
  /** Of its cgroup; null for none. */
  readonly cgroup: string | null;
}

/** What bubblewrap gets to start the first process of a sandbox, a Python: `user` is its id inside, `python3` its program. */
export function bubblewrapArguments(
  spec: ContainerSpec,
  user: number,
  folders: LocalFolders,
  mounts: Mounts,
  python3: string,
): string[] {
  const hasNetwork = spec.network === 'bridge';
  return [
    ...NAMESPACES.filter((name) => !(hasNetwork && name === '--unshare-net')),
    // No more of them inside: they would give user code parts of the kernel that only root needs.
    '--disable-userns',
    '--cap-drop',
    'ALL',
    '--die-with-parent',
    // No terminal of ours can be written to.
    '--new-session',
    '--as-pid-1',
    ...['--hostname', 'sandbox', '--uid', `${user}`, '--gid', `${user}`],
    '--clearenv',
    ...Object.entries(variablesOf(spec)).flatMap(([name, value]) => ['--setenv', name, value]),
    ...machineArguments(hasNetwork),
    ...environmentArguments(folders),
    ...(folders.cgroup === null ? [] : ['--ro-bind', folders.cgroup, CGROUPS]),
    // No terminals: the kernel limits them for the whole machine, not per sandbox.
    ...['--size', '4096', '--perms', '0555', '--tmpfs', '/dev/pts', '--remount-ro', '/dev/pts'],
    ...mountArguments(spec, mounts),
    ...spec.volumes.flatMap(({ path, isWritable }) => volume(path, folders.volumes.get(path) ?? '', isWritable)),
    ...['--remount-ro', '/dev'],
    ...(spec.readOnlyRoot ? ['--remount-ro', '/'] : []),
    ...['--chdir', spec.workingDir],
    ...preparedArguments(spec, mounts, python3),
  ];
}

/** The machine's programs, the few files of /etc that they need, and /proc and /dev of the sandbox. */
export function machineArguments(hasNetwork: boolean): string[] {
  return [
    ...readOnly('/usr'),
    ...SYSTEM.flatMap(systemFolder),
    ...ETC.flatMap((name) => (existsSync(join('/etc', name)) ? readOnly(join('/etc', name)) : [])),
    ...(hasNetwork
      ? ['hosts', 'resolv.conf', 'nsswitch.conf', 'ssl'].flatMap((name) => tried(join('/etc', name)))
      : []),
    ...['--proc', '/proc', ...masked()],
    ...['--dev', '/dev'],
  ];
}

function environmentArguments({ environment, base }: LocalFolders): string[] {
  const modules = join(environment, NODE_MODULES);
  // Not a link, which code of a package may have made to a folder of the user.
  const hasModules = lstatSync(modules, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return [
    ...readOnly(environment, ENVIRONMENT),
    ...(base === null ? [] : readOnly(base, BASE)),
    ...(hasModules ? readOnly(modules, `/${NODE_MODULES}`) : []),
  ];
}

function variablesOf({ env }: ContainerSpec): Record<string, string> {
  return { ...env, PATH: `${ENVIRONMENT}/bin:${BASE}/bin:${env.PATH ?? ''}` };
}

function readOnly(source: string, target = source): string[] {
  return ['--ro-bind', source, target];
}

function tried(path: string): string[] {
  return ['--ro-bind-try', path, path];
}

function systemFolder(name: string): string[] {
  const path = `/${name}`;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  return found.isSymbolicLink() ? ['--symlink', `usr/${name}`, path] : readOnly(path);
}

function masked(): string[] {
  return MASKED_PATHS.filter((path) => path.startsWith('/proc/')).flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return [];
    return found.isDirectory() ? ['--tmpfs', path, '--remount-ro', path] : readOnly('/dev/null', path);
  });
}

function volume(path: string, folder: string, isWritable: boolean): string[] {
  const data = isWritable ? ['--bind', join(folder, 'data'), `${path}/data`] : [];
  return [...readOnly(folder, path), ...data];
}
