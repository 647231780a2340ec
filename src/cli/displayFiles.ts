import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Display, RunResult } from '../engine/types.ts';

interface FileType {
  readonly mimeType: string;
  readonly extension: string;
  readonly encoding: 'base64' | 'utf8';
}

// In order of preference: the first type that a display has is saved.
const FILE_TYPES: readonly FileType[] = [
  { mimeType: 'image/png', extension: 'png', encoding: 'base64' },
  { mimeType: 'image/jpeg', extension: 'jpg', encoding: 'base64' },
  { mimeType: 'image/svg+xml', extension: 'svg', encoding: 'utf8' },
  { mimeType: 'application/pdf', extension: 'pdf', encoding: 'base64' },
  { mimeType: 'text/html', extension: 'html', encoding: 'utf8' },
  { mimeType: 'text/markdown', extension: 'md', encoding: 'utf8' },
  { mimeType: 'text/latex', extension: 'tex', encoding: 'utf8' },
  { mimeType: 'text/plain', extension: 'txt', encoding: 'utf8' },
];

/** A display and the file it was saved to. */
export interface SavedDisplay {
  readonly data: Display['data'];
  readonly mimeType: string;
  readonly file: string;
}

/** The displays of a run; a rich result comes last. */
export function shownBy(run: RunResult): Display['data'][] {
  const isRich = run.result && Object.keys(run.result).some((mimeType) => mimeType !== 'text/plain');
  return [...run.displays.map(({ data }) => data), ...(run.result && isRich ? [run.result] : [])];
}

/** Saves displays as `display-1.png` and so on, except those of unknown types. Rejects with the system's error. */
export async function saveDisplays(folder: string, displays: readonly Display['data'][]): Promise<SavedDisplay[]> {
  const saved: SavedDisplay[] = [];
  await mkdir(folder, { recursive: true });
  for (const [index, data] of displays.entries()) {
    const type = FILE_TYPES.find(({ mimeType }) => typeof data[mimeType] === 'string');
    if (!type) continue;
    const file = join(folder, `display-${index + 1}.${type.extension}`);
    await writeFile(file, String(data[type.mimeType]), type.encoding);
    saved.push({ data, mimeType: type.mimeType, file });
  }
  return saved;
}
