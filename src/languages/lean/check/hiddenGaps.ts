import type { DeclarationAxioms } from './axioms.ts';

/** The option without which Lean does not warn about a `sorry`. */
const WARNING = /(?<![\p{L}\p{N}_.»])«?warn»?\.«?sorry»?/gu;
/** The option by which Lean adds declarations that its kernel has not checked. Their axioms do not show it. */
const UNCHECKED = /skipKernelTC/;
/** What commands that answer `#print axioms` themselves usually contain: its name in a pattern or in a text. */
const ANSWERING = /printAxioms|#print%|[(|]\s*#print|"[ \t]*#print/;
/** Words that leave a proof out. */
const LEFT_OUT = /sorry|admit|\bstop\b/;
/** A declaration that may have no name, so that Lean cannot be asked for its axioms. */
const NAMELESS = /example|instance/;
/** Words that define commands, which may open a namespace or declare something that neither tokens nor symbols show. */
const DEFINING = /macro|syntax|elab|run_cmd/;
/** `#guard_msgs` in front of a declaration without a name: it can drop the errors and the warnings of that declaration. */
const GUARDED =
  /guard_msgs(?:(?!guard_msgs|theorem|lemma|def|abbrev|axiom|opaque|inductive|structure|class|#).)*?(?:example|instance)/s;

/**
 * Whether `code` may contain a gap that Lean reports neither in a message nor among a declaration's axioms; `before` is the
 * text in front of it. True in doubt. Searches the plain text, comments included: notations can change what is a token.
 */
export function mayHideGap(before: string, code: string, axioms: readonly DeclarationAxioms[]): boolean {
  const text = before + code;
  if (UNCHECKED.test(text) || ANSWERING.test(text) || GUARDED.test(code)) return true;
  const hidesWarning = text.search(WARNING) >= 0;
  if (!hidesWarning && !code.includes('guard_msgs')) return false;
  if (LEFT_OUT.test(code.replaceAll(WARNING, '')) || axioms.some((known) => known.axioms === null)) return true;
  return hidesWarning && (NAMELESS.test(code) || DEFINING.test(text));
}
