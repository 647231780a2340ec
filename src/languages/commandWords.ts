/** The words of a command line as a shell splits them, up to a comment; null when a quotation mark is missing. */
export function splitWords(line: string): readonly string[] | null {
  const words: string[] = [];
  const pattern = /\s+|(#.*$)|((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)/y;
  while (pattern.lastIndex < line.length) {
    const found = pattern.exec(line);
    if (!found) return null;
    const [, comment, word] = found;
    if (comment !== undefined) return words;
    if (word !== undefined) words.push(word.replace(/\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/g, unquoted));
  }
  return words;
}

function unquoted(_: string, escaped?: string, double?: string, single?: string): string {
  return escaped ?? single ?? (double ?? '').replace(/\\(.)/g, '$1');
}
