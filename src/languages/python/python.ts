import type { Language } from '../language.ts';
import { PythonInterpreter } from './interpreter.ts';
import { type PreloadDeps, preloader } from './preload.ts';

/** Python: every interpreter is a fork of the sandbox's zygote. */
export const python: Language = {
  id: 'python',
  checks: false,
  open: (sandbox, { once }) => new PythonInterpreter(sandbox, once),
};

/** Python whose sandboxes import modules ahead of time. */
export function preloadingPython(deps: PreloadDeps): Language {
  return { ...python, warm: preloader(deps) };
}
