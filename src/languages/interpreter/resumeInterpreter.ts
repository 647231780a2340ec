import type { KeptChannel } from '../../protocol/messages.ts';
import type { ResumedSandbox } from '../../sandbox/sandbox.ts';
import { cellEnd, plainError } from '../exit.ts';
import type { CellEnd, ResumedCell, ResumedInterpreter } from '../language.ts';
import { InterpreterProcess, type InterpreterStart } from './interpreterProcess.ts';
import { type CellNote, parseNote } from './note.ts';

/** Continues with the interpreter of a session that another engine had; null when it has ended. */
export function resumeInterpreter(
  resumed: ResumedSandbox,
  start: Omit<InterpreterStart, 'once' | 'preloaded'> = {},
): ResumedInterpreter | null {
  for (const kept of resumed.kept.channels) {
    if (kept.note === null) continue;
    const { session, cell } = parseNote(kept.note);
    const open = resumed.adopt.bind(null, kept);
    const interpreter = new InterpreterProcess(open, { ...start, once: false, preloaded: true });
    const isWhole = resumed.kept.acknowledged <= kept.runAt;
    return { interpreter, note: session, cell: cell && resumedCell(interpreter, kept, cell, isWhole) };
  }
  return null;
}

function resumedCell(
  interpreter: InterpreterProcess,
  { runs, inputBytes }: KeptChannel,
  cell: CellNote,
  isWhole: boolean,
): ResumedCell {
  if (runs < cell.runs) return { isWhole: true, follow: async () => notBegun(true) };
  if (runs > cell.runs || inputBytes >= cell.bytes) {
    return { isWhole, follow: (onOutput, onInput) => interpreter.follow(cell, isWhole, onOutput, onInput) };
  }
  // Its process waits for the rest, which no other engine has.
  const follow = async () => {
    interpreter.kill();
    await interpreter.ended;
    return notBegun(false);
  };
  return { isWhole: true, follow };
}

function notBegun(alive: boolean): CellEnd {
  const message = 'The run had not begun when Hothouse ended. Run it again.';
  return cellEnd({ status: 'interrupted', error: plainError('NotBegun', message), alive });
}
