import { type Language, ProgramMissing } from '../language.ts';
import { startInterpreter } from './interpreterProcess.ts';
import { resumeInterpreter } from './resumeInterpreter.ts';

/** A language whose driver is a folder of `images/agent/drivers`. */
export interface Driver {
  readonly name: string;
  /** What the image must have on its path. */
  readonly program: string;
}

/** The language of a driver: each sandbox keeps one of its processes ready. */
export function driverLanguage({ name, program }: Driver): Language {
  return {
    open: (sandbox, { once, awaited = false }) =>
      startInterpreter(sandbox, { driver: name, preloaded: false, once, awaited }),
    resume: (resumed) => resumeInterpreter(resumed, { driver: name }),
    warm(sandbox, { after }) {
      // The agent keeps to it in every reset.
      if (after === 'reset') return null;
      return sandbox.request({ op: 'standby', driver: name, programs: [program] }).then((isThere) => {
        if (isThere !== true) throw new ProgramMissing(program);
      });
    },
  };
}
