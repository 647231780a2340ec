import path from 'node:path';
import { CancellationTokenSource, type Uri, window } from 'vscode';
import { plainText } from '../../base/log.ts';
import type { OnInput } from '../../engine/types.ts';

/**
 * Shows an input box for each question of a cell; Escape ends the input. The title names who asks, since the prompt is
 * text of the cell.
 */
export function askInput(notebook: Uri): OnInput {
  const title = `Input for a Cell of ${path.basename(notebook.path)}`;
  return async ({ text, isSecret }, signal) => {
    if (signal.aborted) return null;
    const source = new CancellationTokenSource();
    const cancel = () => source.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const prompt = lastLine(plainText(text));
    const answer = await window.showInputBox({ title, prompt, password: isSecret, ignoreFocusOut: true }, source.token);
    signal.removeEventListener('abort', cancel);
    source.dispose();
    return answer ?? null;
  };
}

/** The question itself: what a program prints before it is in the cell's output. */
function lastLine(prompt: string): string {
  return prompt.trimEnd().split('\n').at(-1) ?? '';
}
