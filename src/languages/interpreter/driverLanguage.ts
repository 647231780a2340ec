import { type Language, ProgramMissing } from '../language.ts';
import { InterpreterProcess } from './interpreterProcess.ts';

/** A language whose driver is a folder of `images/agent/drivers`. */
export interface Driver {
  readonly name: string;
  /** What the image must have on its path. */
  readonly program: string;
}

/** The language of a driver: each sandbox keeps one of its processes ready. */
export function driverLanguage({ name, program }: Driver): Language {
  return {
    open: (sandbox, { once }) => new InterpreterProcess(sandbox, { driver: name, preloaded: false, once }),
    warm(sandbox, { after }) {
      // The agent keeps to it in every reset.
      if (after === 'reset') return null;
      return sandbox.request({ op: 'standby', driver: name, programs: [program] }).then((isThere) => {
        if (isThere !== true) throw new ProgramMissing(program);
      });
    },
  };
}
