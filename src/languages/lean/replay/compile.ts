import { FileError } from '../../../sandbox/files/fileError.ts';
import { putFile, SandboxFiles } from '../../../sandbox/files/sandboxFiles.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { cellEnd, plainError } from '../../exit.ts';
import type { CellEnd } from '../../language.ts';
import { cellReport } from '../ends.ts';
import type { ComposedCode } from '../oneShot/composedCode.ts';
import { EMPTY_REPORT } from '../report.ts';
import { leanStart } from '../worker/leanProcess.ts';
import { prefixOf } from '../worker/worker.ts';
import { endOfStep, runStep } from './step.ts';
import type { CompiledFile } from './terms.ts';

/** The name of the module that the code becomes. */
export const MODULE = 'HothouseReplay';
/** The parts of a module: all of it, or what others may see first, as in a `module`. */
const SUFFIXES = ['.olean', '.olean.server', '.olean.private'];
/** Bytes of all parts; a module of the library has under 20 MB. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Compiles code in a sandbox that is not used again; the report has the files. */
export async function compile(sandbox: Sandbox, { header, body }: ComposedCode): Promise<CellEnd> {
  await putFile(sandbox, `/tmp/${MODULE}.lean`, prefixOf(header.text) + body);
  const start = leanStart(['-R', '/tmp', '-o', `/tmp/${MODULE}.olean`, `/tmp/${MODULE}.lean`], null);
  const step = await runStep(sandbox, start);
  const ended = endOfStep(step);
  if (ended) return ended;
  if (step.code !== 0) return failed(`Lean does not compile the code: ${step.text}`);
  const files = await compiledFiles(sandbox);
  if (files === null) return failed(`The compiled file has over ${MAX_BYTES} bytes.`);
  return cellEnd({ status: 'ok', alive: false, report: cellReport({ ...EMPTY_REPORT, compiled: files }) });
}

/** The parts of the module that are there; null when they are too large. */
async function compiledFiles(sandbox: Sandbox): Promise<CompiledFile[] | null> {
  const files: CompiledFile[] = [];
  let left = MAX_BYTES;
  for (const suffix of SUFFIXES) {
    const bytes = await fileBytes(sandbox, `${MODULE}${suffix}`, left);
    if (bytes === 'too_large') return null;
    if (bytes === 'missing') break;
    left -= bytes.length;
    files.push({ suffix, bytes });
  }
  return files;
}

async function fileBytes(sandbox: Sandbox, path: string, most: number): Promise<Uint8Array | 'missing' | 'too_large'> {
  const files = new SandboxFiles(sandbox, { root: 'tmp' });
  try {
    const { length, content } = await files.get(path);
    if (length > most) return 'too_large';
    return Buffer.concat(await content.toArray());
  } catch (error) {
    if (error instanceof FileError && error.kind === 'not_found') return 'missing';
    throw error;
  } finally {
    files.close();
  }
}

function failed(message: string): CellEnd {
  return cellEnd({ status: 'error', alive: false, error: plainError('NotCompiled', message) });
}
