import type { CellInstall, CellInstalls } from '../../packages.ts';
import { splitWords } from './words.ts';

/** `%pip install …`, `!pip install …`, `!uv pip install …`, `!python -m pip install …` at the beginning of a line. */
const COMMAND = /^[%!]\s*(?:uv\s+)?(?:python3?\s+-m\s+)?pip3?\s+install(?:\s+(.*))?$/;
/** Options without an effect here, beside the short ones. */
const WITHOUT_EFFECT = new Set(['--user', '--no-input', '--disable-pip-version-check', '--no-cache-dir', '--system']);
const QUIET = /^(?:-q+|--quiet)$/;
const UPGRADE = new Set(['-U', '--upgrade']);
const WHEEL = /^(?!\w+:)[^\s;[\]]+\.whl$/;

/** The install commands of a cell. Lines within a text in triple quotes, and indented ones, are none. */
export function pipInstallsIn(code: string): CellInstalls | null {
  if (!code.includes('install')) return null;
  const installs: CellInstall[] = [];
  let problem: string | null = null;
  const kept: string[] = [];
  let quotes = '';
  const lines = code.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    let line = lines[at] ?? '';
    let joined = 0;
    while (!quotes && /^[%!]/.test(line) && line.endsWith('\\') && at + 1 < lines.length) {
      at += 1;
      joined += 1;
      line = `${line.slice(0, -1)} ${lines[at]}`;
    }
    const [, args = ''] = (!quotes && COMMAND.exec(line.trimEnd())) || [];
    if (!quotes && COMMAND.test(line.trimEnd())) {
      const install = parse(line.trim(), args);
      if (typeof install === 'string') problem ??= install;
      else installs.push(install);
      kept.push(...Array<string>(joined + 1).fill(''));
    } else {
      kept.push(...lines.slice(at - joined, at + 1));
      quotes = quotesAfter(line, quotes);
    }
  }
  if (installs.length === 0 && problem === null) return null;
  return { installs, code: kept.join('\n'), problem };
}

/** The install of one command, or why it is not understood. */
function parse(command: string, text: string): CellInstall | string {
  const words = splitWords(text);
  if (words === null) return `A quotation mark is missing in \`${command}\`.`;
  const packages: string[] = [];
  const files: string[] = [];
  let [upgrade, quiet] = [false, false];
  for (const word of words) {
    if (QUIET.test(word)) quiet = true;
    else if (UPGRADE.has(word)) upgrade = true;
    else if (WITHOUT_EFFECT.has(word)) continue;
    else if (word.startsWith('-')) return unknownOption(word);
    else if (WHEEL.test(word)) files.push(word);
    else packages.push(word);
  }
  if (packages.length + files.length === 0) return `\`${command}\` names no package.`;
  return { command, packages, files, upgrade, quiet };
}

function unknownOption(word: string): string {
  const why = /^(?:-i|--(?:extra-)?index-url|--trusted-host|-f|--find-links|--proxy)\b/.test(word)
    ? 'Indexes, hosts and proxies are set by the options packages.*.'
    : 'It takes names of packages, wheels in the workspace, -U and -q.';
  return `pip install does not take ${word} here. ${why}`;
}

/** The triple quotes that are open after a line, if any; `open` are those before it. */
function quotesAfter(line: string, open: string): string {
  let quotes = open;
  for (const [mark] of line.matchAll(/"""|'''|#/g)) {
    if (mark === '#') {
      if (!quotes) break;
    } else if (!quotes) quotes = mark;
    else if (quotes === mark) quotes = '';
  }
  return quotes;
}
