import type { ModuleLists } from '../../protocol/interpreter.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { startInterpreter } from '../interpreter/interpreterProcess.ts';
import { resumeInterpreter } from '../interpreter/resumeInterpreter.ts';
import type { Language } from '../language.ts';
import { neededModules } from './imports.ts';
import type { ModuleUse } from './moduleUse.ts';

/** What Python works with, as the options are at the time of the call. */
export interface PythonDeps {
  /** Names of the modules that sandboxes may have preloaded. */
  readonly preloadable: () => readonly string[];
  /** The owner that each sandbox serves, by its id. */
  readonly owners: WeakMap<Sandbox, string>;
  /** The modules that code may import. */
  readonly importable: () => ModuleLists;
}

/** Python, which notes what runs need. */
export function pythonLanguage(use: ModuleUse, { preloadable, owners, importable }: PythonDeps): Language {
  return {
    // Every interpreter is a fork of a permanent process of the sandbox.
    open(sandbox, { once, awaited = false, code, owner }) {
      const needed = code === undefined ? null : neededModules(code);
      use.note(needed, preloadable(), owner);
      if (owner !== undefined) owners.set(sandbox, owner);
      const preloaded = needed === null || needed.size > 0;
      return startInterpreter(sandbox, { once, awaited, preloaded, importable });
    },
    resume: (resumed) => resumeInterpreter(resumed, { importable }),
  };
}
