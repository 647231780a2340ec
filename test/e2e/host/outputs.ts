import type { NotebookCell } from 'vscode';

/** A cell's outputs, each as MIME type → text. */
export function outputsOf(cell: NotebookCell): Record<string, string>[] {
  return cell.outputs.map(({ items }) => {
    const texts: Record<string, string> = {};
    for (const { mime, data } of items) texts[mime] = (texts[mime] ?? '') + Buffer.from(data).toString('latin1');
    return texts;
  });
}

/** The text of all outputs of one MIME type. */
export function textOf(cell: NotebookCell, mime: string): string {
  return outputsOf(cell)
    .map((output) => output[mime] ?? '')
    .join('');
}

/** VS Code's MIME types of streams and errors. */
export const STDOUT = 'application/vnd.code.notebook.stdout';
export const STDERR = 'application/vnd.code.notebook.stderr';
export const ERROR = 'application/vnd.code.notebook.error';
