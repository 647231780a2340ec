import type { Language } from '../language.ts';
import { PythonInterpreter } from './interpreter.ts';

/** Python: every interpreter is a fork of the sandbox's zygote. */
export const python: Language = {
  open: (sandbox, { once }) => new PythonInterpreter(sandbox, once),
};
