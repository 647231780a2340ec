import { MAX_FILE_DEPTH, MAX_FILE_PATH_BYTES } from '../../protocol/fileMessages.ts';
import { FileError } from './fileError.ts';

const MAX_NAME_BYTES = 255;
const WORKSPACE = '/workspace';

/**
 * A path in the workspace as the protocol has it: `a/b` for `a/b`, `./a//b/` and `/workspace/a/b`; empty for the workspace.
 * Throws a `FileError` for a path that leads elsewhere, or that no file can have.
 */
export function workspacePath(given: string): string {
  if (given.startsWith('/') && given !== WORKSPACE && !given.startsWith(`${WORKSPACE}/`)) {
    throw new FileError('outside_workspace', given, 'it is not in the workspace');
  }
  const inner = given.startsWith('/') ? given.slice(WORKSPACE.length) : given;
  const names = inner.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw new FileError('outside_workspace', given, '`..` is not followed');
  const path = names.join('/');
  if (path.includes('\0')) throw new FileError('invalid_path', given, 'it has a NUL character');
  if (byteLength(path) >= MAX_FILE_PATH_BYTES) throw new FileError('invalid_path', given, 'it is too long');
  if (names.length > MAX_FILE_DEPTH) throw new FileError('invalid_path', given, 'it has too many folders');
  if (names.some((name) => byteLength(name) > MAX_NAME_BYTES)) {
    throw new FileError('invalid_path', given, `a name has more than ${MAX_NAME_BYTES} bytes`);
  }
  return path;
}

/** Bytes of a path in the sandbox, where a character U+DC80 to U+DCFF is one byte. */
function byteLength(text: string): number {
  const bytes = text.match(/(?<![\ud800-\udbff])[\udc80-\udcff]/g)?.length ?? 0;
  // A character without a partner counts as the three bytes of U+FFFD.
  return Buffer.byteLength(text) - 2 * bytes;
}
