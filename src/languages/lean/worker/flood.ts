import type { Disposable } from '../../../base/disposable.ts';
import type { LeanDocument } from '../lsp/document.ts';
import { MAX_ENTRIES } from '../lsp/messageJson.ts';

/** MiB that Lean may say of a version of a document, also again and again; less than a message may have. */
const MOST_MIB = 48;

/** How a flood is told, behind `Lean`. */
export const FLOOD =
  `had more than ${MAX_ENTRIES.toLocaleString('en-US')} messages or ${MOST_MIB} MiB to say, ` +
  'or more than 8 MiB in one message, and was stopped';

/** What Lean says of a document from now on. */
export interface FloodWatch extends Disposable {
  /** Aborts once that is more than can be taken; what was said before does not count twice. */
  readonly signal: AbortSignal;
  /** It has said something. */
  readonly isHeard: boolean;
}

export function watchForFlood(document: LeanDocument): FloodWatch {
  const most = MOST_MIB * 1024 * 1024;
  const before = document.diagnosticBytes;
  const flood = new AbortController();
  let [said, ofVersion, isHeard] = [0, 0, false];
  const watching = document.onDiagnostics(({ version, isIncremental, size: { bytes, cut } }) => {
    isHeard = true;
    if (version !== ofVersion) said = 0;
    ofVersion = version;
    said += Math.max(0, isIncremental ? bytes : bytes - before);
    const isTooMuch = said > most || document.diagnosticBytes > most || document.diagnosticCount > MAX_ENTRIES;
    if (cut || isTooMuch) flood.abort();
  });
  return {
    signal: flood.signal,
    get isHeard() {
      return isHeard;
    },
    dispose: () => watching.dispose(),
  };
}
