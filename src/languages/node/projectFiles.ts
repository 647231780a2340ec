import { z } from 'zod';
import type { FoundPackages, ProjectFile } from '../projectFile.ts';

const PackageJson = z.looseObject({ dependencies: z.record(z.string(), z.string()).catch({}).default({}) });

/** Files that name the packages of a Node.js project. */
export const NODE_PROJECT_FILES: readonly ProjectFile[] = [
  { file: 'package.json', format: 'json', read: readPackageJson },
];

/** The dependencies of a package; those that are needed for its development alone are not taken. */
function readPackageJson(value: unknown): FoundPackages {
  const { dependencies } = PackageJson.catch({ dependencies: {} }).parse(value);
  const entries = Object.entries(dependencies).map(([name, version]) => (version === '' ? name : `${name}@${version}`));
  return { packages: entries, leftOut: [] };
}
