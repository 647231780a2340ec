import { ModuleUse } from '../../../src/languages/python/moduleUse.ts';
import { pythonLanguage } from '../../../src/languages/python/python.ts';

/** Python as an engine has it that preloads nothing. */
export const python = pythonLanguage(new ModuleUse(), () => []);
