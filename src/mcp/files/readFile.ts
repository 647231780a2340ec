import { isUtf8 } from 'node:buffer';
import type { FileRange } from '../../engine/files/types.ts';
import type { EngineProblem, Result } from '../../engine/types.ts';
import type { ToolCall } from '../tool.ts';
import type { FileAddress } from './fileUri.ts';
import { NOTEBOOK_TYPE, sessionNotebook } from './notebook.ts';
import { KEEP_MS, runFilesOf, runOutputsOf } from './runFiles.ts';

/** A part of a file. */
export interface FilePart {
  readonly size: number;
  readonly mediaType: string;
  /** Where it begins. */
  readonly offset: number;
  readonly bytes: Buffer;
}

type Reader = Pick<ToolCall, 'engine' | 'owner' | 'signal'>;

/** Reads a part of a file: of a session or a run that the owner sees, of the notebook of such a session, or of what such a run has output. */
export async function readPart(
  { engine, owner, signal }: Reader,
  address: FileAddress,
  range: Required<FileRange>,
): Promise<Result<FilePart>> {
  const { id, path } = address;
  if (address.kind === 'notebook') {
    const notebook = await sessionNotebook(engine, id);
    return notebook.ok ? { ok: true, value: partOf(notebook.value, NOTEBOOK_TYPE, range) } : notebook;
  }
  if (address.kind !== 'session') {
    const store = address.kind === 'run' ? runFilesOf(engine) : runOutputsOf(engine);
    const kept = store.find(owner, id, path);
    if (!kept) return { ok: false, error: notKept(address) };
    return { ok: true, value: partOf(kept.content, kept.mediaType, range) };
  }
  const opened = await engine.files(id).get(path, range, signal);
  if (!opened.ok) return opened;
  const { size, mediaType, content } = opened.value;
  try {
    const bytes = Buffer.concat(await content.toArray());
    return { ok: true, value: { size, mediaType, offset: range.offset, bytes } };
  } catch {
    const message = `${JSON.stringify(path)} could not be read to its end.`;
    return { ok: false, error: { kind: 'changed', message, advice: 'Read it again.' } };
  }
}

function partOf(content: Buffer, mediaType: string, { offset, length }: Required<FileRange>): FilePart {
  return { size: content.length, mediaType, offset, bytes: content.subarray(offset, offset + length) };
}

/** The problem of a run's file that is not there. */
export function notKept({ id, path }: FileAddress): EngineProblem {
  const message = `No file ${JSON.stringify(path.slice(0, 300))} of the run ${id.slice(0, 100)} is kept.`;
  const advice = `Files of a run are kept for ${KEEP_MS / 60_000} minutes, unless they are large. Use a session for files that should stay.`;
  return { kind: 'not_found', message, advice };
}

/** Bytes as text, without a character at their end that is cut; null when they are no text. */
export function textOf(bytes: Buffer): { readonly text: string; readonly bytes: number } | null {
  const whole = bytes.subarray(0, bytes.length - cutBytes(bytes));
  if (!isUtf8(whole) || whole.includes(0) || (whole.length === 0 && bytes.length > 0)) return null;
  return { text: whole.toString('utf8'), bytes: whole.length };
}

/** Bytes of a character of several bytes of which the last ones are missing. */
function cutBytes(bytes: Buffer): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count += 1) {
    const byte = bytes[bytes.length - count] ?? 0;
    if (byte >= 0xc0) return count < characterBytes(byte) ? count : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

function characterBytes(first: number): number {
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}
