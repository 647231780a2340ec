import { splitWords } from './commandWords.ts';
import type { CellInstall, CellInstalls } from './packages.ts';

/** How the install commands of one package manager look in a cell. */
export interface InstallSyntax {
  /** As messages name it: `pip install`. */
  readonly name: string;
  /** Matches a whole line; its first group has the arguments. */
  readonly command: RegExp;
  /** The words of the arguments, null when a quotation mark is missing; by default as a shell splits them. */
  wordsOf?(text: string): readonly string[] | null;
  /** Matches what begins or ends a text of several lines, and what begins a comment. */
  readonly marks: RegExp;
  /** What ends a text that a mark begins; empty where the mark is the whole of it, null for a comment, which ends with its line. */
  endOf(mark: string): string | null;
  readonly quiet: RegExp;
  readonly upgrade: RegExp;
  /** Options that change nothing here. */
  readonly withoutEffect: RegExp;
  /** Options that name indexes, hosts or proxies. */
  readonly index: RegExp;
  /** Packages of the workspace. */
  readonly file: RegExp;
  /** What it takes, one sentence. */
  readonly takes: string;
}

/** The install commands of a cell. Lines within a text of several lines, and indented ones, are none. */
export function installsIn(code: string, syntax: InstallSyntax): CellInstalls | null {
  const installs: CellInstall[] = [];
  let problem: string | null = null;
  const kept: string[] = [];
  let open = '';
  const lines = code.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    let line = lines[at] ?? '';
    let joined = 0;
    while (!open && /^[%!]/.test(line) && line.endsWith('\\') && at + 1 < lines.length) {
      at += 1;
      joined += 1;
      line = `${line.slice(0, -1)} ${lines[at]}`;
    }
    const found = open ? null : syntax.command.exec(line.trimEnd());
    if (found) {
      const install = parse(line.trim(), found[1] ?? '', syntax);
      if (typeof install === 'string') problem ??= install;
      else installs.push(install);
      kept.push(...Array<string>(joined + 1).fill(''));
    } else {
      kept.push(...lines.slice(at - joined, at + 1));
      open = openAfter(line, open, syntax);
    }
  }
  if (installs.length === 0 && problem === null) return null;
  return { installs, code: kept.join('\n'), problem };
}

/** Redirections at the end of a command that throw its output away. */
const DISCARDED = /(?:\s+(?:[12&]?>\s*\/dev\/null|2>&1))+$/;

/** The install of one command, or why it is not understood. */
function parse(command: string, text: string, syntax: InstallSyntax): CellInstall | string {
  const [redirections = ''] = DISCARDED.exec(text) ?? [];
  const words = (syntax.wordsOf ?? splitWords)(text.slice(0, text.length - redirections.length));
  if (words === null) return `A quotation mark is missing in \`${command}\`.`;
  const packages: string[] = [];
  const files: string[] = [];
  let [upgrade, quiet] = [false, /(?:^|[\s1&])>/.test(redirections)];
  for (const word of words) {
    if (syntax.quiet.test(word)) quiet = true;
    else if (syntax.upgrade.test(word)) upgrade = true;
    else if (syntax.withoutEffect.test(word)) continue;
    else if (word.startsWith('-')) return unknownOption(word, syntax);
    else if (syntax.file.test(word)) files.push(word);
    else packages.push(word);
  }
  if (packages.length + files.length === 0) return `\`${command}\` names no package.`;
  return { command, packages, files, upgrade, quiet };
}

function unknownOption(word: string, { name, index, takes }: InstallSyntax): string {
  const why = index.test(word) ? 'Indexes, hosts and proxies are set by the options packages.*.' : takes;
  return `${name} does not take ${word} here. ${why}`;
}

/** The mark that is open after a line, if any; `open` is the one before it. */
function openAfter(line: string, open: string, { marks, endOf }: InstallSyntax): string {
  let [current, at] = [open, 0];
  while (true) {
    if (current) {
      const end = new RegExp(`\\\\.|(${escaped(endOf(current) ?? '')})`, 'g');
      const found = [...line.slice(at).matchAll(end)].find(([, isEnd]) => isEnd);
      if (!found) return current;
      at += found.index + found[0].length;
      current = '';
    }
    marks.lastIndex = at;
    const found = marks.exec(line);
    if (!found) return '';
    const [mark] = found;
    at = marks.lastIndex;
    const end = endOf(mark);
    if (end === null) return '';
    if (end) current = mark;
  }
}

function escaped(text: string): string {
  return text.replace(/[*`"'/]/g, '\\$&');
}
