import { type Execution, newId } from '../executor.ts';
import type { Upload } from '../uploads.ts';
import type { ExecutionAnswer } from './schemas.ts';

/** The answer to an execution, or to one that could not begin. */
export function executionAnswer(execution: Execution | string): ExecutionAnswer {
  if (typeof execution === 'string') {
    const nothing = { stdout: null, stderr: null, exit_code: null, execution_time_seconds: null };
    return { execution_id: newId('exec'), status: 'failed', ...nothing, error_message: execution };
  }
  const { id, status, stdout, stderr, exitCode, seconds } = execution;
  return {
    execution_id: id,
    ...{ status, stdout, stderr },
    exit_code: exitCode,
    error_message: status === 'timeout' ? 'The execution has reached its time limit.' : null,
    execution_time_seconds: seconds,
  };
}

/** What a list says of an uploaded file. */
export function fileFacts({ id, name, language, bytes, uploadedAt, encoding, isBinary }: Upload) {
  const uploaded_at = uploadedAt.toISOString().replace('Z', '');
  return { file_id: id, filename: name, language, size: bytes, uploaded_at, encoding, binary: isBinary };
}

/** Where the older server would keep a file. Here it is in memory, and its name reaches no path. */
export function filePath({ id, name, language }: Upload): string {
  return `uploads/${language}/${id}_${name.replace(/[^\w.-]+/g, '_').replace(/^\.+/, '_')}`;
}

/** Whether the content of an upload comes and goes as base64. */
export function isBase64({ encoding, isBinary }: Pick<Upload, 'encoding' | 'isBinary'>): boolean {
  return isBinary || encoding === 'base64';
}

/** The text in base64; null when there is none. */
export function textOfBase64(content: string): string | null {
  const bytes = Buffer.from(content, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== content.replace(/[\s=]+/g, '')) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}
