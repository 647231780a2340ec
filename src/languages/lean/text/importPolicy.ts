import type { Import } from './header.ts';
import { nameParts } from './identifier.ts';

/** Modules by prefixes of whole name components: `Mathlib` stands for `Mathlib.Data.Nat.Basic` too. */
export interface ImportPolicy {
  /** Empty: all. */
  readonly allowed: readonly string[];
  /** Wins over `allowed`. */
  readonly blocked: readonly string[];
}

export interface ImportProblem {
  readonly import: Import;
  /** The list that says no. */
  readonly list: keyof ImportPolicy;
}

/** The first import that the policy forbids, or null. */
export function importProblem(imports: readonly Import[], policy: ImportPolicy): ImportProblem | null {
  for (const entry of imports) {
    const list = refusedBy(nameParts(entry.name) ?? [], policy);
    if (list) return { import: entry, list };
  }
  return null;
}

function refusedBy(parts: readonly string[], { allowed, blocked }: ImportPolicy): keyof ImportPolicy | null {
  const isListed = (list: readonly string[]) => list.some((prefix) => startsWith(parts, prefix));
  // A component becomes part of a path: one with a separator or an extension could name any module's file.
  const isPlain = parts.length > 0 && parts.every((part) => !/[/\\.\0]/.test(part));
  if (blocked.length > 0 && (!isPlain || isListed(blocked))) return 'blocked';
  return allowed.length > 0 && (!isPlain || !isListed(allowed)) ? 'allowed' : null;
}

function startsWith(parts: readonly string[], prefix: string): boolean {
  const wanted = nameParts(prefix);
  return wanted?.every((part, index) => part === parts[index]) ?? false;
}
