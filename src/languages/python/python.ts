import type { Language } from '../language.ts';
import { needsPreloaded } from './imports.ts';
import { PythonInterpreter } from './interpreter.ts';

/** Python: every interpreter is a fork of a permanent process of the sandbox. */
export const python: Language = {
  open: (sandbox, { once, code }) =>
    new PythonInterpreter(sandbox, { once, preloaded: code === undefined || needsPreloaded(code) }),
};
