import { randomBytes } from 'node:crypto';
import { axiomCommands, axiomsOf, CONTROL, type DeclarationAxioms } from '../check/axioms.ts';
import { canBeSeparated, withLastLineFeed } from '../check/cellSource.ts';
import type { CheckedCell, CheckTerms } from '../check/checkCell.ts';
import { severityOf } from '../check/diagnostics.ts';
import { askNamed, newPrefix, withNames } from '../check/nameless.ts';
import type { NoAnswer } from '../lsp/answers.ts';
import type { Diagnostic } from '../lsp/messages.ts';
import type { ComposedCode } from '../oneShot/composedCode.ts';
import { parseHeader } from '../text/header.ts';
import { withLineFeeds } from '../text/position.ts';
import { allowsNative, foreignWords } from './foreignCode.ts';
import { declaredName, parseStatement, STATEMENT_FORM, type Statement, sibling } from './statement.ts';
import type { Judgement, JudgeTerms } from './terms.ts';

/** Code that Lean has checked, in the document where it was checked. */
export interface JudgedCode {
  readonly code: ComposedCode;
  /** The segments of the document before the code. */
  readonly before: readonly string[];
  readonly checked: CheckedCell;
}

/** UTF-16 units of Lean's message in a reason. */
const MESSAGE_LENGTH = 2_000;

/** Why the judge lets Lean not even see the code; empty when it does. `context` is what precedes the code. */
export function objections(code: ComposedCode, context: string, { statement, allowedAxioms }: JudgeTerms): string[] {
  const { body, from, header } = code;
  const reasons: string[] = [];
  const foreign = { before: body.slice(0, from), allowsNative: allowsNative(allowedAxioms) };
  const words = foreignWords(body.slice(from), foreign);
  if (words.length > 0) {
    const list = words.slice(0, 10).join(', ');
    reasons.push(
      `The judge accepts no code that could answer in Lean's place, such as code with ${list}. What proofs share belongs in the header.`,
    );
  }
  if (statement === undefined) return reasons;
  if (parseStatement(statement) === null) reasons.push(`The statement must be ${STATEMENT_FORM}.`);
  if (header.text !== parseHeader(withLineFeeds(context)).text)
    reasons.push('The code has imports that the header lacks. With a statement, imports belong in the header.');
  if (!canBeSeparated(body)) reasons.push('The code ends with "in", so that it would apply to the question about it.');
  return reasons;
}

/** Judges code in which Lean has found no error. */
export async function judge(
  judged: JudgedCode,
  judgeTerms: JudgeTerms,
  terms: CheckTerms,
): Promise<Judgement | NoAnswer> {
  const statement = judgeTerms.statement === undefined ? null : parseStatement(judgeTerms.statement);
  if (statement) return judgeStatement(judged, statement, judgeTerms, terms);
  const nameless = await askNameless(judged, terms);
  if ('kind' in nameless) return nameless;
  return judgeAxioms([...judged.checked.reading.answers.slice(1), ...nameless], judgeTerms);
}

/** The axioms of what has no name, for which names are made. */
async function askNameless(
  { code, before }: JudgedCode,
  terms: CheckTerms,
): Promise<readonly DeclarationAxioms[] | NoAnswer> {
  const { body, from } = code;
  const named = withNames(body, { from, prefix: newPrefix(), first: 0, keywords: [] });
  if (named.names.length === 0) return [];
  const asked = await askNamed([...before, withLastLineFeed(named.body)], named.names, terms);
  if (asked.kind !== 'asked') return asked;
  return asked.answers.map((answer) => ({ ...answer, name: 'A declaration without a name' }));
}

function judgeAxioms(answers: readonly DeclarationAxioms[], { allowedAxioms }: JudgeTerms): Judgement {
  const allowed = new Set(allowedAxioms);
  const axioms = new Set<string>();
  const reasons: string[] = [];
  for (const { name, axioms: known } of answers) {
    const others = known?.filter((axiom) => !allowed.has(axiom)) ?? [];
    for (const axiom of others) axioms.add(axiom);
    if (known === null) reasons.push(`Lean does not report the axioms of ${name}.`);
    else if (others.length > 0) reasons.push(`${name} rests on axioms that are not allowed: ${others.join(', ')}.`);
  }
  return { axioms: [...axioms], reasons };
}

/**
 * Asks Lean, in the place of the document's text, whether the named declaration proves the statement. The statement is
 * elaborated before the code, so that nothing in the code changes what it means, and is read after the code through a word
 * that the code cannot know. A section around the code ends its variables, options and local notations. Lean's kernel then
 * checks the declaration as a proof of the statement, and the axioms are those of that proof.
 */
async function judgeStatement(
  { code, before }: JudgedCode,
  { name, signature }: Statement,
  terms: JudgeTerms,
  { document, signal }: CheckTerms,
): Promise<Judgement | NoAnswer> {
  if (signal.aborted) return { kind: 'aborted' };
  const { body, from } = code;
  const context = body.slice(0, from);
  const secret = `hothouse_${randomBytes(16).toString('hex')}`;
  const proved = declaredName(context, name);
  // In the namespace of the name, and with a name that searches for lemmas pass by.
  const asked = sibling(name, `_${secret}`);
  const goal = `local macro "${secret}_goal" : term => \`(type_of% @_root_.${sibling(proved, `_${secret}`)})`;
  const lead = `${context}theorem ${asked}${signature} := sorry\n${goal}\n`;
  const own = `section ${secret}\n${withLastLineFeed(body.slice(from))}`;
  // Only one `:=` follows the code, so that no notation of the code can reach over the statement.
  const check = `end ${secret}\ntheorem _root_.${secret}.proof : ${secret}_goal := @_root_.${proved}\n`;
  // A notation could be how Lean prints an axiom.
  const questions = axiomCommands([CONTROL, `${secret}.proof`]);
  const segments = [...before, lead, own, check, 'set_option pp.notation false\n', questions];
  document.become(segments);
  const settled = await document.settled(signal);
  if (settled.kind !== 'settled') return settled;
  const { diagnostics } = settled;
  const [ownLine, checkLine, questionLine] = [-4, -3, -1].map((at) => document.lineOf(segments.length + at));
  const errors = diagnostics.filter((diagnostic) => severityOf(diagnostic) === 'error');
  const errorIn = (start = 0, end = Number.POSITIVE_INFINITY) => {
    const error = errors.find(({ range }) => start <= range.start.line && range.start.line < end);
    return error && textOf(error, secret);
  };
  const rejected = (reason: string): Judgement => ({ axioms: [], reasons: [reason] });
  const inStatement = errorIn(0, ownLine);
  if (inStatement !== undefined) return rejected(`Lean does not accept the statement: ${inStatement}`);
  const inCode = errorIn(ownLine, checkLine);
  if (inCode !== undefined) return rejected(`Lean does not accept the code after the statement: ${inCode}`);
  const atEnd = errorIn(checkLine, (checkLine ?? 0) + 1);
  if (atEnd !== undefined) return rejected(`The code leaves a namespace or section open: ${atEnd}`);
  const inProof = errorIn(checkLine);
  if (inProof !== undefined) return rejected(`${proved} does not prove the statement: ${inProof}`);
  const [control, proof] = axiomsOf(diagnostics, questionLine ?? 0, [CONTROL, `${secret}.proof`]);
  const isAnswered = settled.fatalAt === null && control?.axioms?.length === 1 && proof?.axioms !== null;
  if (!proof || !isAnswered) return rejected('Lean does not read what follows the code, so it could not be asked.');
  return judgeAxioms([{ ...proof, name: proved }], terms);
}

/** Lean's message, without what only the judge knows. */
function textOf({ message }: Diagnostic, secret: string): string {
  return message.trim().replaceAll(`${secret}.proof`, 'the proof').replaceAll(secret, 'judge').slice(0, MESSAGE_LENGTH);
}
