import type { Disposable } from '../../../base/disposable.ts';
import type { LeanDocument } from '../lsp/document.ts';
import { MAX_ENTRIES } from '../lsp/messageJson.ts';

/** MiB of diagnostics that Lean may publish about a version of a document, repetitions included; below a message's limit. */
const MAX_MIB = 48;

/** Describes a flood in a message, after the word `Lean`. */
export const FLOOD =
  `had more than ${MAX_ENTRIES.toLocaleString('en-US')} messages or ${MAX_MIB} MiB to say, ` +
  'or more than 8 MiB in one message, and was stopped';

/** Watches the diagnostics that Lean publishes about a document from now on. */
export interface FloodWatch extends Disposable {
  /** Aborts when there are too many; those published before do not count twice. */
  readonly signal: AbortSignal;
  /** Whether Lean has published anything. */
  readonly isHeard: boolean;
}

export function watchForFlood(document: LeanDocument): FloodWatch {
  const max = MAX_MIB * 1024 * 1024;
  const before = document.diagnosticBytes;
  const flood = new AbortController();
  let [received, ofVersion, isHeard] = [0, 0, false];
  const watching = document.onDiagnostics(({ version, isIncremental, size: { bytes, cut } }) => {
    isHeard = true;
    if (version !== ofVersion) received = 0;
    ofVersion = version;
    received += Math.max(0, isIncremental ? bytes : bytes - before);
    const isTooMuch = received > max || document.diagnosticBytes > max || document.diagnosticCount > MAX_ENTRIES;
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
