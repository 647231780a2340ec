import type { Diagnostic } from '../lsp/messages.ts';
import { nameParts } from '../text/identifier.ts';
import { severityOf } from './diagnostics.ts';

/** A name that every library has. Lean answers a question about it unless the code is unfinished or has stopped Lean. */
export const CONTROL = 'propext';

/** The axioms that a declaration depends on, as Lean reports them. */
export interface DeclarationAxioms {
  readonly name: string;
  /** Null when Lean does not know the name, or gives no answer that can be read. */
  readonly axioms: readonly string[] | null;
  /** Lean reached the question and answered it with axioms or an error. */
  readonly answered: boolean;
}

/**
 * One command a line that asks Lean for a name's axioms, whatever namespace is open; for the end of a document. In an open
 * namespace Lean would shorten an axiom's name, so that `A.Quot.sound` looks like `Quot.sound`.
 */
export function axiomCommands(names: readonly string[]): string {
  return names.map((name) => `${commandFor(name)}\n`).join('');
}

function commandFor(name: string): string {
  // A comment gets no answer, so a name that cannot be asked for stays unanswered.
  return nameParts(name) === null || name.includes('\n')
    ? '--'
    : `set_option pp.fullNames true in ${PRINT} axioms _root_.${name}`;
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
    .filter((diagnostic) => severityOf(diagnostic) === 'information' && isAtPrint(diagnostic))
    .map(({ message }) => axiomsIn(message))
    .filter((axioms) => axioms !== null);
  if (answers.length > 0) return { axioms: [...new Set(answers.flat())], answered: true };
  return { axioms: null, answered: diagnostics.some((diagnostic) => severityOf(diagnostic) === 'error') };
}

const PRINT = '#print';

/** Whether a message has the place that Lean gives its answers; what a macro puts there has the place of the whole command. */
function isAtPrint({ range, fullRange = range }: Diagnostic): boolean {
  const { start, end } = fullRange;
  return start.line === end.line && end.character - start.character === PRINT.length;
}

/** The axioms that a message of `#print axioms` lists; null for any other message. */
function axiomsIn(message: string): string[] | null {
  const said = afterName(message.trim());
  if (said === 'does not depend on any axioms') return [];
  const list = /^depends on axioms:\s*\[(.*)\]$/s.exec(said)?.[1];
  return list === undefined ? null : entries(list).map(plain);
}

const QUOTES = /^['`‘’]$/;

/** What follows the quoted name; a name may contain quotes, so only a quote before a space ends it. */
function afterName(message: string): string {
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

/** The list's entries: commas in `«»` and braces do not separate. */
function entries(list: string): string[] {
  return (list.match(/(?:«[^»]*»|\{[^}]*\}|[^,])+/g) ?? []).map((entry) => entry.trim());
}

/** An axiom's name without universe levels and without `_root_`. */
function plain(name: string): string {
  return name.replace(/\.\{[^}]*\}$/, '').replace(/^_root_\./, '');
}
