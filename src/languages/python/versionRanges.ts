/** `^1.2` of Poetry as a range of pip: up to the next change of the first number that is not 0. Null for other clauses. */
export function caretRange(clause: string): string | null {
  const numbers = /^\^(\d+(?:\.\d+)*)$/.exec(clause)?.[1]?.split('.').map(Number);
  if (!numbers) return null;
  const first = numbers.findIndex((number) => number > 0);
  const changed = first === -1 ? numbers.length - 1 : first;
  return `>=${numbers.join('.')},<${after(numbers.slice(0, changed + 1))}`;
}

/** `~1.2` of Poetry as a range of pip: up to the next minor version, or major one where it names no other. */
export function tildeRange(clause: string): string | null {
  const numbers = /^~(\d+(?:\.\d+)*)$/.exec(clause)?.[1]?.split('.').map(Number);
  return numbers ? `>=${numbers.join('.')},<${after(numbers.slice(0, 2))}` : null;
}

function after(numbers: readonly number[]): string {
  return numbers.with(-1, (numbers.at(-1) ?? 0) + 1).join('.');
}
