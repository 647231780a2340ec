import { z } from 'zod';
import type { FoundPackages, ProjectFile } from '../projectFile.ts';

const Versions = z.record(z.string(), z.string()).catch({}).default({});
const PackageJson = z.looseObject({
  dependencies: Versions,
  devDependencies: Versions,
  optionalDependencies: Versions,
  peerDependencies: Versions,
  workspaces: z.unknown().optional(),
});
const NONE = {
  dependencies: {},
  devDependencies: {},
  optionalDependencies: {},
  peerDependencies: {},
  workspaces: undefined,
};

/** Files that name the packages of a Node.js project. */
export const NODE_PROJECT_FILES: readonly ProjectFile[] = [
  { file: 'package.json', format: 'json', read: readPackageJson },
];

/** The dependencies of a package; those that are not needed to run it are not taken. */
function readPackageJson(value: unknown): FoundPackages {
  const found = PackageJson.catch(NONE).parse(value);
  const others = [
    [found.devDependencies, 'for development'],
    [found.optionalDependencies, 'optional'],
    [found.peerDependencies, 'a peer'],
  ] as const;
  return {
    packages: Object.entries(found.dependencies).map(([name, version]) =>
      version === '' ? name : `${name}@${version}`,
    ),
    leftOut: [
      ...others.flatMap(([versions, reason]) => Object.keys(versions).map((name) => `${name} (${reason})`)),
      ...(found.workspaces === undefined ? [] : ['workspaces (the packages in other folders)']),
    ],
  };
}
