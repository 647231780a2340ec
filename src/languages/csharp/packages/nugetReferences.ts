import { type InstallSyntax, installsIn } from '../../installCommands.ts';
import type { CellInstalls } from '../../packages.ts';

const NEVER = /(?!)/;
const SYNTAX: InstallSyntax = {
  name: '#r "nuget: …"',
  command: /^\s*#r\s+"nuget:([^"]*)"\s*;?\s*(?:\/\/.*)?$/i,
  wordsOf: (text) => [entryOf(text)].filter(Boolean),
  // Of texts only a verbatim one may have several lines.
  marks: /\$?@\$?"(?:[^"]|"")*"|\$?@\$?"|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\/|\/\*/g,
  endOf: (mark) => {
    if (mark === '//') return null;
    if (mark === '/*') return '*/';
    return /^[$@]+"$/.test(mark) ? '"' : '';
  },
  quiet: NEVER,
  upgrade: NEVER,
  withoutEffect: NEVER,
  index: NEVER,
  file: /^(?!\w+:)[^\s;[\]]+\.nupkg$/,
  takes: 'It takes the name of a package, and after a comma its version or a range.',
};

/** `#r "nuget: NAME"` and `#r "nuget: NAME, VERSIONS"`, as in dotnet-script. Those of one cell are installed together. */
export function nugetReferencesIn(code: string): CellInstalls | null {
  const found = /#r\s+"nuget:/i.test(code) ? installsIn(code, SYNTAX) : null;
  if (!found) return null;
  const [first] = found.installs;
  const packages = found.installs.flatMap((install) => install.packages);
  const files = found.installs.flatMap((install) => install.files);
  return { ...found, areReferences: true, installs: first ? [{ ...first, packages, files }] : [] };
}

/** `NAME@VERSIONS` for `NAME, VERSIONS`. */
function entryOf(text: string): string {
  const [name = '', ...versions] = text.split(',');
  return versions.length === 0 ? name.trim() : `${name.trim()}@${versions.join(',').trim()}`;
}
