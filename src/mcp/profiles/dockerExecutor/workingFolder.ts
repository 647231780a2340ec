import type { RunRequest } from '../../../engine/types.ts';
import type { Language } from './language.ts';

const OWN_FOLDER = '/workspace';

type Code = Pick<RunRequest, 'code' | 'inputs'>;

/**
 * Code that runs in another folder than the sandbox's own: it becomes a file, which a line of code enters the folder for.
 * Null where a language cannot run a file so.
 */
export function inFolder(language: Language, code: string, folder: string): Code | null {
  if (folder === OWN_FOLDER) return { code };
  const start = STARTERS[language];
  if (!start) return null;
  const { path, line } = start(folder);
  return { code: line, inputs: [{ path, content: code }] };
}

const STARTERS: Readonly<Partial<Record<Language, (folder: string) => { path: string; line: string }>>> = {
  python: (folder) => ({
    path: 'code.py',
    line: `import os, runpy\nos.chdir(${JSON.stringify(folder)})\nrunpy.run_path("${OWN_FOLDER}/code.py", run_name="__main__")`,
  }),
  node: (folder) => ({
    path: 'code.cjs',
    line: `process.chdir(${JSON.stringify(folder)}); require("${OWN_FOLDER}/code.cjs")`,
  }),
  bash: (folder) => ({
    path: 'code.sh',
    line: `cd -- '${folder.replaceAll("'", "'\\''")}' && . ${OWN_FOLDER}/code.sh`,
  }),
};
