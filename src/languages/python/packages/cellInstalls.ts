import { type InstallSyntax, installsIn } from '../../installCommands.ts';
import type { CellInstalls } from '../../packages.ts';

const SYNTAX: InstallSyntax = {
  name: 'pip install',
  command: /^[%!]\s*(?:uv\s+)?(?:(?:python3?|\{sys\.executable\})\s+-m\s+)?pip3?\s+install(?:\s+(.*))?$/,
  marks: /"""|'''|#/g,
  endOf: (mark) => (mark === '#' ? null : mark),
  quiet: /^(?:-q+|--quiet)$/,
  upgrade: /^(?:-U|--upgrade)$/,
  withoutEffect: /^--(?:user|no-input|disable-pip-version-check|no-cache-dir|system)$/,
  index: /^(?:-i|--(?:extra-)?index-url|--trusted-host|-f|--find-links|--proxy)\b/,
  file: /^(?!\w+:)[^\s;[\]]+\.whl$/,
  takes:
    'It takes names of packages, wheels in the workspace, -U and -q; what a requirements.txt names comes with an environment.',
};

/** `%pip install …`, `!pip install …`, `!uv pip install …`, `!{sys.executable} -m pip install …` at the beginning of a line. */
export function pipInstallsIn(code: string): CellInstalls | null {
  return code.includes('install') ? installsIn(code, SYNTAX) : null;
}
