/** The log of the engine. Never contains code, output or secrets. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** A log that discards everything. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

// ESC sequences (CSI, OSC, other strings, two-byte forms), then every remaining C0 and C1 byte but tab and newline.
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])/g;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** `text` without terminal control sequences, for terminals, logs and trees. */
export function plainText(text: string): string {
  return text.replace(ESCAPES, '').replace(CONTROLS, '');
}

/** A log that writes to `target` without terminal control sequences. */
export function plainLog(target: Log): Log {
  return {
    debug: (message) => target.debug(plainText(message)),
    info: (message) => target.info(plainText(message)),
    warn: (message) => target.warn(plainText(message)),
    error: (message) => target.error(plainText(message)),
  };
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A listener that never throws: the first error is logged as one of `what`, later ones are not. */
export function guarded<T>(listener: (value: T) => void, what: string, log: Log): (value: T) => void {
  let hasFailed = false;
  return (value) => {
    try {
      listener(value);
    } catch (error) {
      if (!hasFailed) log.warn(`${what} failed: ${messageOf(error)}`);
      hasFailed = true;
    }
  };
}
