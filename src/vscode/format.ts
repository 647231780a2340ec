import { plainText } from '../base/log.ts';
import type { EngineProblem, Snapshot } from '../engine/types.ts';
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

/** Bytes as `512 bytes`, `14 KB`, `3.5 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return formatCount(bytes, 'byte');
  if (bytes < 1_048_576) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

/** `1 run`, `3 runs`. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** The parts that are not empty, separated by middle dots. */
export function joinParts(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

/** Lines that say where sandboxes run, and why there. */
export function formatHost(host: Snapshot['host']): readonly string[] {
  if (host.state !== 'ready') return [];
  return [`Host: ${plainText(host.name)}`, ...(host.reason === undefined ? [] : [plainText(host.reason)])];
}

/** A text on one line, without control characters. */
export function oneLine(text: string): string {
  return plainText(text).trim().replace(/\s+/g, ' ');
}

/** A text with line breaks at spaces in lines of more than 90 characters: VS Code does not wrap the text of outputs. */
export function inShortLines(text: string): string {
  return text.replace(/(?=[^\n]{91})([^\n]{1,90}) /g, '$1\n');
}

/** A problem and what to do about it, in VS Code's terms. */
export function formatProblem({ kind, message, advice, command }: EngineProblem): string {
  const build = kind === 'image_missing' && command !== undefined && buildCommand(command);
  return inEditor(`${message} ${build ? `Run the command ${build}.` : advice}`);
}

/** A text of the engine in VS Code's terms: options are settings, and a command of VS Code builds an image. */
export function inEditor(text: string): string {
  return text
    .replace(/\boption ([a-z]+\.[a-zA-Z]+)/g, 'setting hothouse.$1')
    .replace(/`(hothouse build \w+)`/g, (quoted, command: string) => buildCommand(command) ?? quoted);
}

/** The title of the command that does the same as this one of the command line. */
function buildCommand(command: string): string | undefined {
  const language = ALL_LANGUAGES.find(({ id }) => command === `hothouse build ${id}`);
  return language && `“Hothouse: Build ${language.name} Environment”`;
}
