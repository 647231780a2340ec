import { z } from 'zod';
import type { InputFile } from '../../engine/files/types.ts';
import { printable } from '../printable.ts';
import type { ToolCall } from '../tool.ts';
import { parseFileUri } from './fileUri.ts';
import { readPart } from './readFile.ts';
import { contentBytes, ENCODING_TEXT, Encoding } from './writtenContent.ts';

/** Bytes of all files that one call takes from sessions and runs: they are in memory while the run starts. */
const MAX_FROM_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 200;

const InputFileArgument = z.strictObject({
  path: z.string().describe('Path in the working directory.'),
  content: z.string().optional().describe('Text, or base64 with encoding base64.'),
  encoding: Encoding.optional().describe(ENCODING_TEXT),
  from: z
    .string()
    .optional()
    .describe('Instead of content: the uri of a file of a session or a run, as list_files and run_code return it.'),
});

/** The argument `files`. */
export const InputFiles = z.array(InputFileArgument).max(MAX_FILES);

type Inputs =
  | { readonly ok: true; readonly files: readonly InputFile[] }
  | { readonly ok: false; readonly reason: string };

/** The files of the argument, with the content of those that come from elsewhere. A path of this machine is none. */
export async function inputFiles(given: z.output<typeof InputFiles>, call: ToolCall): Promise<Inputs> {
  const files: InputFile[] = [];
  let left = MAX_FROM_BYTES;
  for (const file of given) {
    const name = printable(file.path);
    if ((file.content === undefined) === (file.from === undefined)) {
      return refusal(`File ${name} needs either content or from.`);
    }
    const content =
      file.from === undefined
        ? (contentBytes(file.content ?? '', file.encoding) ?? `File ${name}: content is not base64, as encoding says.`)
        : await contentFrom(file.from, left, call);
    if (typeof content === 'string') return refusal(content);
    if (file.from !== undefined) left -= content.length;
    files.push({ path: file.path, content });
  }
  return { ok: true, files };
}

/** The content, or why there is none. */
async function contentFrom(uri: string, left: number, call: ToolCall): Promise<Buffer | string> {
  const address = parseFileUri(uri);
  if (!address) {
    return `${printable(uri)} is no address of a file. from takes hothouse://sessions/ID/files/PATH or hothouse://runs/ID/files/PATH; files of this machine cannot be read.`;
  }
  const read = await readPart(call, address, { offset: 0, length: left + 1 });
  if (!read.ok) return [read.error.message, read.error.advice].join('\n');
  const { bytes } = read.value;
  return bytes.length > left ? `The files of from have more than ${MAX_FROM_BYTES} bytes together.` : bytes;
}

function refusal(reason: string): Inputs {
  return { ok: false, reason };
}
