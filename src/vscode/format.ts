import { plainText } from '../base/log.ts';

/** More of a header than this is for the tooltip. */
const IMPORTS_LENGTH = 40;

/** A time span for people, in its largest unit: `<1 min`, `3 min`, `2 h`, `4 d`. */
export function formatAge(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  // Seconds would have rows change all the time, and a row that changes loses the mouse.
  if (seconds < 60) return '<1 min';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Memory for people: `114 MB`, or nothing when it is not known. */
export function formatMemory(bytes: number | null): string | undefined {
  return bytes === null ? undefined : `${Math.round(bytes / 1_048_576)} MB`;
}

/** `1 run`, `3 runs`. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** The parts that there are, between middle dots. */
export function joinParts(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

/** The lines of a text in one, without control characters. */
export function oneLine(text: string): string {
  return plainText(text).trim().replace(/\s+/g, ' ');
}

/** What a header of Lean imports, short: `imports Lean, Std`; nothing for an empty one. */
export function formatImports(header: string): string | undefined {
  const lines = header.split('\n').map((line) => oneLine(line).replace(/^import /, ''));
  const modules = lines.filter(Boolean).join(', ');
  if (modules === '') return undefined;
  return `imports ${modules.length > IMPORTS_LENGTH ? `${modules.slice(0, IMPORTS_LENGTH - 1)}…` : modules}`;
}
