import type { Language } from '../../../src/languages/language.ts';
import { ModuleUse } from '../../../src/languages/python/moduleUse.ts';
import { pythonLanguage } from '../../../src/languages/python/python.ts';
import type { ModuleLists } from '../../../src/protocol/interpreter.ts';

/** Python as an engine has it that preloads nothing and restricts nothing. */
export const python = pythonWith({ allowed: [], blocked: [] });

/** The same, with modules that code may import. */
export function pythonWith(modules: ModuleLists): Language {
  return pythonLanguage(new ModuleUse(), {
    preloadable: () => [],
    owners: new WeakMap(),
    importable: () => modules,
  });
}
