const SILENT_MS = 1500;

/** Does `work` and says in one line that it is done; says that it has begun when it takes long. */
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

/** Prints what ended a command in one line; the exit status is 1. */
export function fail(error) {
  console.error(`\nhothouse: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
