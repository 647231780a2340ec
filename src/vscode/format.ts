import { plainText } from '../base/log.ts';
import type { EngineProblem } from '../engine/types.ts';
import { ALL_LANGUAGES } from './languages.ts';

/** A duration in its largest unit: `<1 min`, `3 min`, `2 h`, `4 d`. */
export function formatAge(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  // With seconds, rows would redraw all the time, and a row that redraws loses its hover.
  if (seconds < 60) return '<1 min';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Memory as `114 MB`; undefined when it is unknown. */
export function formatMemory(bytes: number | null): string | undefined {
  return bytes === null ? undefined : `${Math.round(bytes / 1_048_576)} MB`;
}

/** `1 run`, `3 runs`. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** The parts that are not empty, separated by middle dots. */
export function joinParts(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

/** A text on one line, without control characters. */
export function oneLine(text: string): string {
  return plainText(text).trim().replace(/\s+/g, ' ');
}

/** A problem and what to do about it. For a missing image that is VS Code's command, not the command line's. */
export function formatProblem({ kind, message, advice, command }: EngineProblem): string {
  const language = ALL_LANGUAGES.find(({ id }) => kind === 'image_missing' && command === `hothouse build ${id}`);
  return `${message} ${language ? `Run the command “Hothouse: Build ${language.name} Environment”.` : advice}`;
}
