import type { ImageBuild } from '../../host/host.ts';
import { LABEL } from '../../host/labels.ts';
import type { PackageManager } from '../../languages/languageDefinition.ts';
import type { ImageSource } from '../deps.ts';
import { packageName } from '../packages/packageName.ts';
import type { EnvironmentDefinition, EnvironmentLock } from './definition.ts';

/** The folder of an image in which a build leaves what it has installed. */
export const LOCK_FOLDER = '/usr/share/hothouse';

// What packages are wanted is a stage of its own, so that environments share the steps before it.
const PREPARED = [
  'FROM scratch AS machine',
  `LABEL ${LABEL.stage}=machine`,
  'COPY machine/ /',
  'COPY *.sh *.py /',
  'COPY nuget/ /nuget/',
  'FROM scratch AS packages',
  `LABEL ${LABEL.stage}=packages`,
  'COPY packages/ /',
];
const MACHINE = '--mount=type=bind,from=machine,target=/machine';

/** Mounts the lists of one manager at `/packages`: another list of another one leaves the step cached. */
function listsOf(manager: PackageManager): string {
  return `--mount=type=bind,from=packages,source=/${manager},target=/packages`;
}

/** Shared with other builds at the same time: a program whose cache has no locks that wait has one in its script. */
function cache(name: string): string {
  return `--mount=type=cache,id=hothouse-${name},target=/cache/${name}`;
}

/** What an environment's image is built from. `lock` is what it was built from before. */
export interface EnvironmentImage {
  readonly definition: EnvironmentDefinition;
  readonly base: string;
  readonly lock: EnvironmentLock | undefined;
}

/** The Dockerfile of an environment. Settings of the machine and caches are mounted, so no layer has them. */
export function dockerfileOf({ definition, base, lock }: EnvironmentImage): string {
  const { pip, npm, nuget, apt } = definition.packages;
  const given = (manager: PackageManager) => (lock?.[manager] === undefined ? '' : ' /packages/lock');
  const tools = [
    `FROM ${base} AS tools`,
    `LABEL ${LABEL.stage}=tools`,
    'USER root',
    `RUN ${MACHINE} ${cache('apt')} ${cache('pip')} sh /machine/tools.sh`,
    // Podman mounts no stage that comes from its cache, unless it is one that only has files.
    'FROM scratch AS programs',
    `LABEL ${LABEL.stage}=programs`,
    'COPY --from=tools /tools/ /',
  ];
  const steps = [
    `RUN ${MACHINE} ${listsOf('apt')} ${cache('apt')} sh /machine/apt.sh /packages/list ${LOCK_FOLDER}/apt${given('apt')}`,
    `RUN ${MACHINE} ${listsOf('pip')} --mount=type=bind,from=programs,target=/tools ${cache('uv')} python3 -I /machine/pip.py /packages/list ${LOCK_FOLDER}/pip${given('pip')}`,
    `RUN ${MACHINE} ${listsOf('npm')} ${cache('npm')} sh /machine/npm.sh /packages/list ${LOCK_FOLDER}/npm${given('npm')}`,
    `RUN ${MACHINE} ${listsOf('nuget')} ${cache('nuget')} python3 -Es /machine/nuget/environment.py /packages/list ${LOCK_FOLDER}/nuget${given('nuget')}`,
  ];
  return [
    ...PREPARED,
    ...(pip.length > 0 ? tools : []),
    `FROM ${base}`,
    'USER root',
    ...[apt, pip, npm, nuget].flatMap((list, index) => (list.length > 0 ? (steps[index] ?? []) : [])),
    '',
  ].join('\n');
}

/** The context of an environment's build; `source` has the scripts and the machine's settings. */
export function contextOf(
  image: EnvironmentImage,
  source: ImageSource,
): Pick<ImageBuild, 'base' | 'context' | 'folders' | 'files' | 'buildArgs'> {
  const { packages } = image.definition;
  const { lock } = image;
  const { APT_MIRROR, APT_SECURITY_MIRROR, ...buildArgs } = source.buildArgs ?? {};
  const mirrors = { APT_MIRROR, APT_SECURITY_MIRROR };
  const locks = { apt: lock?.apt, pip: lock?.pip, npm: lock?.npm, nuget: lock?.nuget };
  return {
    ...source,
    base: image.base,
    buildArgs,
    files: {
      ...source.files,
      Dockerfile: dockerfileOf(image),
      // As a file, since arguments of a build stay in the history of its image.
      'machine/mirrors': Object.entries(mirrors)
        .map(([name, value]) => (value ? `${name}='${quoted(value)}'\n` : ''))
        .join(''),
      'packages/apt/list': lock?.apt?.replace(/ sha256:.*$/gm, '') ?? lines(packages.apt),
      'packages/pip/list': lines(packages.pip),
      'packages/nuget/list': lines(packages.nuget),
      'packages/npm/list': JSON.stringify({ private: true, dependencies: npmDependencies(packages.npm) }, null, 2),
      ...Object.fromEntries(
        Object.entries(locks).flatMap(([name, text]) => (text === undefined ? [] : [[`packages/${name}/lock`, text]])),
      ),
    },
  };
}

function lines(entries: readonly string[]): string {
  return [...entries]
    .sort()
    .map((entry) => `${entry}\n`)
    .join('');
}

function npmDependencies(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    [...entries].sort().map((entry) => {
      const name = packageName('npm', entry);
      return [name, entry.slice(name.length + 1) || '*'];
    }),
  );
}

/** For a shell, between single quotes. */
function quoted(text: string): string {
  return text.replaceAll("'", "'\\''");
}
