import type { RunRequest } from '../../../engine/types.ts';
import type { Language } from './language.ts';

const OWN_FOLDER = '/workspace';

/** Where and with which environment variables a program starts. */
export interface ProgramPlace {
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
}

type Code = Pick<RunRequest, 'code' | 'inputs'>;

/**
 * Code that starts in a folder, with variables. Where they are not the sandbox's own, the code becomes a file, which a
 * line of code starts. A text says why that is not possible.
 */
export function programAt(language: Language, code: string, place: ProgramPlace): Code | string {
  const names = Object.keys(place.variables);
  if (place.folder === OWN_FOLDER && names.length === 0) return { code };
  const wrong = names.find((name) => !VARIABLE_NAME.test(name));
  if (wrong !== undefined) return `${JSON.stringify(wrong.slice(0, 80))} is not the name of a variable.`;
  if ([place.folder, ...Object.values(place.variables)].some((text) => text.includes('\0'))) {
    return 'Folders and values of variables cannot contain a null character.';
  }
  return STARTERS[language](code, place);
}

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

const STARTERS: Readonly<Record<Language, (code: string, place: ProgramPlace) => Code>> = {
  python: (code, { folder, variables }) => ({
    code: [
      'import os, runpy',
      `os.environ.update(${JSON.stringify(variables)})`,
      `os.chdir(${JSON.stringify(folder)})`,
      `runpy.run_path("${OWN_FOLDER}/code.py", run_name="__main__")`,
    ].join('\n'),
    inputs: [{ path: 'code.py', content: code }],
  }),
  node: (code, { folder, variables }) => ({
    code: `Object.assign(process.env, ${JSON.stringify(variables)}); process.chdir(${JSON.stringify(folder)}); require("${OWN_FOLDER}/code.cjs")`,
    inputs: [{ path: 'code.cjs', content: code }],
  }),
  bash: (code, { folder, variables }) => ({
    code: [
      ...Object.entries(variables).map(([name, value]) => `export ${name}=${shellText(value)}`),
      `cd -- ${shellText(folder)} && . ${OWN_FOLDER}/code.sh`,
    ].join('\n'),
    inputs: [{ path: 'code.sh', content: code }],
  }),
  // It has no way to run another file; on the same line, the code keeps its line numbers.
  csharp: (code, { folder, variables }) => {
    const settings = Object.entries(variables).map(
      ([name, value]) => `System.Environment.SetEnvironmentVariable(${csharpText(name)}, ${csharpText(value)}); `,
    );
    return { code: `${settings.join('')}System.IO.Directory.SetCurrentDirectory(${csharpText(folder)}); ${code}` };
  },
};

function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Every character that is not plain ASCII becomes an escape, so that no text can end the literal. */
function csharpText(text: string): string {
  return `"${text.replace(/[^ !#-[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
}
