/** Lean code for Markdown, fenced so that no backtick in it ends the fence. */
export function codeBlock(code: string): string {
  const runs = code.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  return `${fence}lean\n${code}\n${fence}`;
}
