import { mayBeMisread } from '../text/misreading.ts';
import { tokensOf } from '../text/tokens.ts';

/**
 * Words by which code runs, or changes how Lean reads or answers later commands. Notations are not among them: they are terms,
 * and the judge asks by a command.
 */
const WORDS = [
  ...['macro', 'macro_rules', 'syntax', 'declare_syntax_cat', 'binder_predicate', 'elab', 'elab_rules'],
  ...['run_cmd', 'run_elab', 'run_meta', 'run_tac', 'by_elab', 'simproc', 'dsimproc', 'simproc_decl', 'dsimproc_decl'],
  ...['unsafe', 'implemented_by', 'extern', 'app_unexpander', 'delab', 'app_delab', 'guard_msgs', 'add_aesop_rules'],
  // Tactics that run the code on examples.
  ...['plausible', 'slim_check'],
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
  // Namespaces of libraries whose types are Lean's own programs.
  ...['Aesop', 'Tactic', 'Qq', 'ProofWidgets', 'Plausible'],
  ...['IO', 'BaseIO', 'EIO', 'skipKernelTC'],
];
/** Names of families, among them those that Lean makes for its own macros and elaborators. */
const PATTERNS = ['\\w+_elab', '\\w+_parser', '\\w*initialize', 'register_\\w+', 'declare_\\w+', '_aux__\\w*'];
const COMMANDS = '#(?:eval|exit|guard|test|html|widget|sample|run)(?!_)|eval%';
/** Words by which Lean runs compiled code, whose result is an axiom. On a false premise such code can do anything. */
const NATIVE_WORDS = [
  'native_decide',
  'native',
  'reduceBool',
  'reduceNat',
  'ofReduceBool',
  'ofReduceNat',
  'trustCompiler',
  'bv_decide',
  'bv_check',
];

/** `macro'` is a name, `1macro` is not, and `#eval` starts with a symbol. */
const FOREIGN = new RegExp(`${wholeWords([...PATTERNS, ...WORDS])}|${COMMANDS}`, 'g');
const NATIVE = new RegExp(wholeWords(NATIVE_WORDS), 'g');

function wholeWords(words: readonly string[]): string {
  return `(?<![A-Za-z_])(?:${words.join('|')})(?![A-Za-z_])`;
}

/** Attributes without code of their own and without other attributes in them. Every other one may register a program. */
const PLAIN_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...['simp', 'ext', 'grind', 'refl', 'symm', 'trans', 'congr', 'gcongr', 'mono', 'norm_cast', 'push_cast', 'coe'],
  ...['reducible', 'semireducible', 'irreducible', 'instance', 'default_instance', 'class', 'match_pattern', 'defeq'],
  ...['inline', 'always_inline', 'macro_inline', 'noinline', 'specialize', 'expose', 'no_expose', 'deprecated'],
  ...['elab_as_elim', 'elab_as_eliminator', 'elab_without_expected_type', 'inherit_doc', 'nolint', 'fun_prop'],
  ...[
    'cases_eliminator',
    'induction_eliminator',
    'bound',
    'continuity',
    'measurability',
    'field_simps',
    'nontriviality',
  ],
]);
/** Groups of options that change how Lean checks, compiles or reports. */
const INNER_OPTIONS: ReadonlySet<string> = new Set(['debug', 'internal', 'interpreter', 'compiler', 'bootstrap']);

/** What the search for foreign words depends on. */
export interface ForeignTerms {
  /** The text in front of the code. */
  readonly before: string;
  /** Whether compiled code may be run, since an axiom for its results is allowed. */
  readonly allowsNative: boolean;
}

/** Whether one of the allowed axioms is for the result of compiled code. */
export function allowsNative(axioms: readonly string[]): boolean {
  return axioms.some((axiom) => /native|ofReduce|trustCompiler/.test(axiom));
}

/**
 * The words in `code` by which it could answer in the judge's place, each once. Comments do not count where it is certain
 * what is a comment.
 */
export function foreignWords(code: string, terms: ForeignTerms): string[] {
  const bare = withoutComments(code);
  const isCertain = !/["«]/.test(code) && !mayBeMisread(terms.before, bare);
  const text = isCertain ? bare : code;
  const words = [
    ...(text.match(FOREIGN) ?? []),
    ...(terms.allowsNative ? [] : (text.match(NATIVE) ?? [])),
    ...foreignAttributes(text),
    ...innerOptions(text),
  ];
  return [...new Set(words)];
}

const ATTRIBUTES = /@\[|(?<![\w.])attribute(?![\w.])\s*(\[?)/g;
const ATTRIBUTE = /^\s*(?:(?:local|scoped)\s+|-\s*)?(\w+)/;

/** The attributes that may register a program; in doubt the whole list. */
function foreignAttributes(text: string): string[] {
  return [...text.matchAll(ATTRIBUTES)].flatMap(({ 0: start, 1: bracket, index }) => {
    if (bracket === '') return ['attribute'];
    return entriesAt(text, index + start.length).flatMap((entry) => {
      const name = ATTRIBUTE.exec(entry)?.[1];
      if (name === undefined) return [`@[${entry.trim()}]`];
      return PLAIN_ATTRIBUTES.has(name) ? [] : [`@[${name}]`];
    });
  });
}

/** The entries of the list whose bracket ends at `from`, without what is in brackets of their own. */
function entriesAt(text: string, from: number): string[] {
  let [depth, entry] = [1, ''];
  const entries: string[] = [];
  for (const character of text.slice(from)) {
    if (/[([{⟨]/.test(character)) depth += 1;
    else if (/[)\]}⟩]/.test(character)) depth -= 1;
    if (depth === 0) break;
    if (depth > 1) continue;
    if (character === ',') entries.push(entry);
    entry = character === ',' ? '' : entry + character;
  }
  return [...entries, entry];
}

const OPTION = /(?<![\w.])set_option(?![\w.])(?:\s+(\w+))?/g;

function innerOptions(text: string): string[] {
  return [...text.matchAll(OPTION)]
    .filter(({ 1: group }) => group === undefined || INNER_OPTIONS.has(group))
    .map(({ 0: option }) => option);
}

function withoutComments(code: string): string {
  let [text, end] = ['', 0];
  for (const token of tokensOf(code)) {
    text += `${token.start > end ? ' ' : ''}${code.slice(token.start, token.end)}`;
    end = token.end;
  }
  return text;
}
