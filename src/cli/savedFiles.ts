import { join } from 'node:path';
import type { ChangedFiles } from '../engine/files/types.ts';
import type { RunWorkspace } from '../engine/types.ts';
import { saveFile } from '../local/saveFile.ts';

/** A file that a run has made, and where it was saved, or why it was not. */
export interface SavedFile {
  readonly path: string;
  readonly size: number;
  readonly file: string | null;
  readonly problem: string | null;
}

/** Saves what a run has made below `folder`. A file that exists there is replaced only with `overwrite`. */
export async function saveFiles(
  folder: string,
  { files }: ChangedFiles,
  workspace: RunWorkspace,
  overwrite: boolean,
): Promise<readonly SavedFile[]> {
  const saved: SavedFile[] = [];
  for (const { path, size, type } of files) {
    const target = join(folder, path);
    const problem =
      type === 'file' ? await saveFile(folder, path, () => workspace.get(path), overwrite) : 'it is no regular file';
    saved.push({ path, size, file: problem === null ? target : null, problem });
  }
  return saved;
}
