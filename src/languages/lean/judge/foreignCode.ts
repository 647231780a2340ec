import { mayBeMisread } from '../text/misreading.ts';
import { tokensOf } from '../text/tokens.ts';

/**
 * Words by which code runs, or changes how Lean reads or answers later commands. Notations are not among them: they are terms,
 * and the judge asks by a command.
 */
const WORDS = [
  ...['macro', 'macro_rules', 'syntax', 'declare_syntax_cat', 'binder_predicate', 'elab', 'elab_rules'],
  ...['run_cmd', 'run_elab', 'run_meta', 'run_tac', 'by_elab', 'initialize', 'simproc', 'dsimproc', 'simproc_decl'],
  ...['dsimproc_decl', 'unsafe', 'implemented_by', 'extern', 'app_unexpander', 'delab', 'app_delab', 'guard_msgs'],
  ...[
    'Lean',
    'Meta',
    'MetaM',
    'CoreM',
    'TermElabM',
    'CommandElabM',
    'TacticM',
    'Elab',
    'Macro',
    'MacroM',
    'Unexpander',
  ],
  ...['IO', 'BaseIO', 'EIO', 'skipKernelTC'],
];
const SUFFIXES = ['_elab', '_parser'].map((suffix) => `\\w+${suffix}`);
/** `macro'` is a name, `1macro` is not, and `#eval` starts with a symbol. */
const FOREIGN = new RegExp(`(?<![A-Za-z_])(?:${[...WORDS, ...SUFFIXES].join('|')})(?![A-Za-z_])|#eval|#exit`, 'g');

/**
 * The words in `code` by which it could answer in the judge's place, each once. Comments do not count where it is certain
 * what is a comment; `before` is the text in front of the code.
 */
export function foreignWords(before: string, code: string): string[] {
  const bare = withoutComments(code);
  const isCertain = !/["«]/.test(code) && !mayBeMisread(before, bare);
  return [...new Set((isCertain ? bare : code).match(FOREIGN) ?? [])];
}

function withoutComments(code: string): string {
  let [text, end] = ['', 0];
  for (const token of tokensOf(code)) {
    text += `${token.start > end ? ' ' : ''}${code.slice(token.start, token.end)}`;
    end = token.end;
  }
  return text;
}
