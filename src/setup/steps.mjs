const SILENT_MS = 1500;

/** An error that setup cannot fix: its cause, and the command that fixes it if there is one. */
export class SetupProblem extends Error {
  constructor(cause, command) {
    super(command ? `${cause} Fix it with: ${command}` : cause);
  }
}

/** Runs `work` and prints one line when it is done; for slow work also one when it takes over 1.5 s. */
export async function step(title, work) {
  const started = performance.now();
  const slow = setTimeout(() => console.log(`   …   ${title}`), SILENT_MS);
  try {
    const value = await work();
    console.log(`   ok  ${title}${took(started)}`);
    return value;
  } finally {
    clearTimeout(slow);
  }
}

function took(started) {
  const seconds = (performance.now() - started) / 1000;
  return seconds < SILENT_MS / 1000 ? '' : ` (${seconds.toFixed(0)} s)`;
}

/** Prints the error that ended a command; the exit status becomes 1. */
export function fail(error) {
  console.error(`\nhothouse: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
