import type { Language } from '../language.ts';
import { neededModules } from './imports.ts';
import { PythonInterpreter } from './interpreter.ts';
import type { ModuleUse } from './moduleUse.ts';

/** Python, which notes what runs need. `preloadable`: names of the modules that sandboxes may have preloaded. */
export function pythonLanguage(use: ModuleUse, preloadable: () => readonly string[]): Language {
  return {
    // Every interpreter is a fork of a permanent process of the sandbox.
    open(sandbox, { once, code }) {
      const needed = code === undefined ? null : neededModules(code);
      use.note(needed, preloadable());
      return new PythonInterpreter(sandbox, { once, preloaded: needed === null || needed.size > 0 });
    },
  };
}
