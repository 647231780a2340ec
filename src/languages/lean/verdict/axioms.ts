import type { Diagnostic } from '../lsp/messages.ts';
import { nameParts } from '../text/identifier.ts';
import { severityOf } from './report.ts';

/** What Lean says a declaration rests on. */
export interface DeclarationAxioms {
  readonly name: string;
  /** Null where Lean does not know the name, or says nothing that can be read. */
  readonly axioms: readonly string[] | null;
  /** Lean got as far as the question, and answered it with axioms or an error. */
  readonly answered: boolean;
}

/** Lines to put at the end of a document, one question for each name, whatever namespace is open there. */
export function axiomCommands(names: readonly string[]): string {
  return names.map((name) => `${commandFor(name)}\n`).join('');
}

function commandFor(name: string): string {
  // A comment is never answered: what cannot be asked stays open.
  return nameParts(name) === null || name.includes('\n') ? '--' : `#print axioms _root_.${name}`;
}

/** The answers to `axiomCommands(names)` whose first line is `firstLine`, counted from 0 as diagnostics do. */
export function axiomsOf(
  diagnostics: readonly Diagnostic[],
  firstLine: number,
  names: readonly string[],
): DeclarationAxioms[] {
  const byLine = new Map<number, Diagnostic[]>(names.map((_, index) => [firstLine + index, []]));
  for (const diagnostic of diagnostics) byLine.get(diagnostic.range.start.line)?.push(diagnostic);
  return names.map((name, index) => ({ name, ...answerIn(byLine.get(firstLine + index) ?? []) }));
}

function answerIn(diagnostics: readonly Diagnostic[]): Omit<DeclarationAxioms, 'name'> {
  const answers = diagnostics
    .filter((diagnostic) => severityOf(diagnostic) === 'information')
    .map(({ message }) => axiomsIn(message))
    .filter((axioms) => axioms !== null);
  if (answers.length > 0) return { axioms: [...new Set(answers.flat())], answered: true };
  return { axioms: null, answered: diagnostics.some((diagnostic) => severityOf(diagnostic) === 'error') };
}

/** The axioms that a message of `#print axioms` lists; null for any other message. */
function axiomsIn(message: string): string[] | null {
  const said = behindName(message.trim());
  if (said === 'does not depend on any axioms') return [];
  const list = /^depends on axioms:\s*\[(.*)\]$/s.exec(said)?.[1];
  return list === undefined ? null : pieces(list).map(plain);
}

const QUOTES = /^['`‘’]$/;

/** What follows the quoted name; a name may have quotes itself, so that the last one before a space counts. */
function behindName(message: string): string {
  if (!QUOTES.test(message[0] ?? '')) return '';
  let inEscape = false;
  for (let offset = 1; offset < message.length; offset += 1) {
    const character = message[offset] ?? '';
    if (character === '«') inEscape = true;
    else if (character === '»') inEscape = false;
    else if (!inEscape && QUOTES.test(character) && /\s/.test(message[offset + 1] ?? '')) {
      return message.slice(offset + 1).trim();
    }
  }
  return '';
}

/** The list's entries: between commas that are in no `«»` and no braces. */
function pieces(list: string): string[] {
  return (list.match(/(?:«[^»]*»|\{[^}]*\}|[^,])+/g) ?? []).map((piece) => piece.trim());
}

/** An axiom's name without universe levels and without the prefix that tells it from one in an open namespace. */
function plain(name: string): string {
  return name.replace(/\.\{[^}]*\}$/, '').replace(/^_root_\./, '');
}
