import { type InstallSyntax, installsIn } from '../../installCommands.ts';
import type { CellInstalls } from '../../packages.ts';

const SYNTAX: InstallSyntax = {
  name: 'npm install',
  command: /^[%!]\s*npm\s+(?:install|i|add)(?:\s+(.*))?$/,
  // A quotation mark, also one before it, keeps what follows in its line from counting.
  marks: /\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`|\/\/|\/\*|\*\//g,
  endOf: (mark) => {
    if (mark === '//') return null;
    if (mark === '`') return '`';
    return mark === '/*' ? '*/' : '';
  },
  quiet: /^(?:-s|--silent|-q|--quiet)$/,
  upgrade: /^--upgrade$/,
  withoutEffect: /^(?:-[SDPEg]|--(?:save|save-dev|save-exact|no-save|global|no-audit|no-fund|legacy-peer-deps))$/,
  index: /^--(?:registry|proxy|https-proxy|cafile|strict-ssl)\b/,
  file: /^(?!\w+:)[^\s;[\]]+\.tgz$/,
  takes: 'It takes names of packages and archives (.tgz) in the workspace.',
};

/** `!npm install …` and `%npm install …` at the beginning of a line, which is no JavaScript. */
export function npmInstallsIn(code: string): CellInstalls | null {
  return /^[%!]\s*npm\s/m.test(code) ? installsIn(code, SYNTAX) : null;
}
