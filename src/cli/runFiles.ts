import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, normalize, sep } from 'node:path';
import { messageOf } from '../base/log.ts';
import type { InputFile } from '../engine/files/types.ts';
import { UsageError } from './command.ts';

/** The files of `--file FILE[=DEST]`, and of folders with all folders below them. Throws `UsageError`. */
export async function inputFiles(given: readonly string[]): Promise<readonly InputFile[]> {
  const files: InputFile[] = [];
  for (const text of given) files.push(...(await filesAt(await parse(text))));
  return files;
}

/** A file or a folder of this machine. */
export interface Copy {
  readonly source: string;
  /** Where it goes in the working folder of the run or session; `.` for the folder itself. */
  readonly target: string;
}

/** A name that exists is one, also with `=` in it. */
async function parse(text: string): Promise<Copy> {
  const at = text.lastIndexOf('=');
  if (at < 0 || (await exists(text))) return { source: text, target: targetOf(text) };
  return { source: text.slice(0, at), target: text.slice(at + 1) };
}

/** As a program finds it that runs here: a path below the current folder stays, any other becomes its name. */
function targetOf(source: string): string {
  const path = normalize(source);
  const leaves = isAbsolute(path) || path === '..' || path.startsWith(`..${sep}`);
  return leaves ? basename(path) : path.split(sep).join('/').replace(/\/$/, '');
}

/**
 * The files of a copy, with all folders below it; `onLeftOut` gets what is neither file nor folder. Throws `UsageError` when
 * something cannot be read.
 */
export async function filesAt(
  { source, target }: Copy,
  onLeftOut: (path: string) => void = () => {},
): Promise<InputFile[]> {
  try {
    const facts = await stat(source);
    if (!facts.isDirectory()) {
      return [{ path: target, content: () => createReadStream(source), size: facts.isFile() ? facts.size : 0 }];
    }
    const entries = await readdir(source, { withFileTypes: true });
    const found = entries.map(async (entry) => {
      const [path, inner] = [join(source, entry.name), target === '.' ? entry.name : `${target}/${entry.name}`];
      if (entry.isFile() || entry.isDirectory()) return filesAt({ source: path, target: inner }, onLeftOut);
      onLeftOut(path);
      return [];
    });
    return (await Promise.all(found)).flat();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${source} cannot be read: ${messageOf(error)}`);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
