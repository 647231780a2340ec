/** A function that takes chunks of text and calls `onLine` with each complete line that is not empty. */
export function lineSplitter(onLine: (line: string) => void): (chunk: Buffer | string) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (chunk) => {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line) onLine(line);
  };
}
