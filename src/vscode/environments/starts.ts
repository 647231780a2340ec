import { posix } from 'node:path';
import { workspace } from 'vscode';
import { PROJECT_FILES, readProjectFile } from '../../config/projectFiles.ts';
import type { PackageManager } from '../../languages/languageDefinition.ts';

/** What a new environment can start with. */
export interface Start {
  readonly label: string;
  /** A name to propose. */
  readonly name: string;
  readonly language?: string;
  readonly packages: Readonly<Partial<Record<PackageManager, readonly string[]>>>;
  /** Entries that were not taken, with the reason. */
  readonly leftOut: readonly string[];
}

/** Files of packages in the folders of a trusted workspace. Their names and versions are read, nothing else. */
export async function findStarts(): Promise<readonly Start[]> {
  if (!workspace.isTrusted) return [];
  const folders = workspace.workspaceFolders ?? [];
  const found = folders.flatMap((folder) =>
    PROJECT_FILES.map(async (file): Promise<Start[]> => {
      try {
        const uri = folder.uri.with({ path: posix.join(folder.uri.path, file) });
        const text = Buffer.from(await workspace.fs.readFile(uri)).toString('utf8');
        const { language, packages, leftOut } = readProjectFile(file, text);
        const name = folder.name
          .toLowerCase()
          .replace(/[^a-z0-9._-]+/g, '-')
          .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
        return [{ label: file, name: name.slice(0, 40), language, packages, leftOut }];
      } catch {
        return [];
      }
    }),
  );
  return (await Promise.all(found)).flat();
}
