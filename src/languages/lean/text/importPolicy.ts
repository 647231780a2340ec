import { plainError } from '../../exit.ts';
import type { CellError } from '../../language.ts';
import type { LeanSettings } from '../settings.ts';
import { type Import, parseHeader } from './header.ts';
import { nameParts } from './identifier.ts';

/** Which modules may be imported, by prefixes of whole name components: `Mathlib` covers `Mathlib.Data.Nat.Basic` too. */
export interface ImportPolicy {
  /** An empty list allows every module. */
  readonly allowed: readonly string[];
  /** Takes precedence over `allowed`. */
  readonly blocked: readonly string[];
}

export interface ImportProblem {
  readonly import: Import;
  /** The list that refuses it. */
  readonly list: keyof ImportPolicy;
}

/** The error for code that imports a module the settings refuse; null when every import is allowed. */
export function importRefusal(code: string, settings: LeanSettings): CellError | null {
  const { imports, stray } = parseHeader(code);
  const { allowedImports: allowed, blockedImports: blocked } = settings;
  const problem = importProblem([...imports, ...stray], { allowed, blocked });
  if (!problem) return null;
  const { name } = problem.import;
  const why =
    problem.list === 'blocked' ? 'it is on the list lean.blockedImports' : 'it is not on the list lean.allowedImports';
  return plainError('ImportRefused', `The code may not import ${name}: ${why}.`);
}

/** The first import that the policy refuses, or null. */
export function importProblem(imports: readonly Import[], policy: ImportPolicy): ImportProblem | null {
  for (const entry of imports) {
    const list = refusedBy(nameParts(entry.name) ?? [], policy);
    if (list) return { import: entry, list };
  }
  return null;
}

function refusedBy(parts: readonly string[], { allowed, blocked }: ImportPolicy): keyof ImportPolicy | null {
  const isListed = (list: readonly string[]) => list.some((prefix) => startsWith(parts, prefix));
  // A component becomes part of a file path, so one with a separator or an extension could name any module's file.
  const isPlain = parts.length > 0 && parts.every((part) => !/[/\\.\0]/.test(part));
  if (blocked.length > 0 && (!isPlain || isListed(blocked))) return 'blocked';
  return allowed.length > 0 && (!isPlain || !isListed(allowed)) ? 'allowed' : null;
}

function startsWith(parts: readonly string[], prefix: string): boolean {
  const wanted = nameParts(prefix);
  return wanted?.every((part, index) => part === parts[index]) ?? false;
}
