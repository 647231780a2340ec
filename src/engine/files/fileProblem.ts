import { messageOf, plainText } from '../../base/log.ts';
import { FileError, type FileFailureKind } from '../../sandbox/files/fileError.ts';
import { cancelled } from '../problems.ts';
import type { EngineProblem } from '../types.ts';

const SHOWN_PATH = 300;

const MORE_ROOM = 'Remove files, or raise the option limits.workspaceMb or the option limits.memoryMb.';

/** How a failure is said: of which file, and what to do next. */
const FORMATS: Readonly<
  Record<Exclude<FileFailureKind, 'cancelled'>, (file: string, reason: string) => [string, string]>
> = {
  not_found: (file) => [`${file} does not exist.`, 'List the files to see what is there.'],
  not_a_file: (file, reason) => [`${file} can not be used as a file: ${reason}.`, 'Use the path of a file.'],
  not_a_folder: (file) => [`${file} is not in a folder, or is none.`, 'Use the path of a folder.'],
  not_empty: (file) => [`${file} is not empty.`, 'Remove it with what is in it (recursive), or empty it first.'],
  exists: (file) => [`${file} exists already.`, 'Allow it to be replaced, or use another path.'],
  outside_workspace: (file, reason) => [
    `${file} is not a path in the workspace: ${reason}.`,
    'Use a path below /workspace without `..` and without symbolic links.',
  ],
  invalid_path: (file, reason) => [`${file} can not be used as a path: ${reason}.`, 'Use another path.'],
  no_access: (file) => [`${file} is closed by its mode.`, 'Change the mode in a run (`chmod`).'],
  no_space: (file, reason) => [`There is no room for ${file}: ${reason}.`, MORE_ROOM],
  too_large: (file, reason) => [`${file} is too large: ${reason}.`, 'Use a smaller file.'],
  conflict: (file, reason) => [`Nothing was added to ${file}: ${reason}.`, 'Look at its size and continue from there.'],
  changed: (file, reason) => [`${file} could not be read to its end: ${reason}.`, 'Read it again.'],
  sandbox_lost: (file, reason) => [`The request for ${file} was not served: ${reason}.`, 'Try again.'],
  failed: (file, reason) => [`The request for ${file} has failed: ${reason}.`, 'Try again.'],
};

/** The problem for anything that a request about a file rejected with. */
export function fileProblem(error: unknown, path: string): EngineProblem {
  const { kind, reason } = error instanceof FileError ? error : { kind: 'failed' as const, reason: messageOf(error) };
  if (kind === 'cancelled') return cancelled();
  const file = path === '' ? 'The workspace' : JSON.stringify(path.slice(0, SHOWN_PATH));
  const [message, advice] = FORMATS[kind](file, plainText(reason));
  return { kind: kind === 'failed' ? 'file_failed' : kind, message, advice };
}

/** The problem where files do not fit together; none of them was written. */
export function noRoom(bytes: number, room: number): EngineProblem {
  const message = `There is no room for the files: they have ${bytes} bytes together, and ${room} are free.`;
  return { kind: 'no_space', message, advice: MORE_ROOM };
}
