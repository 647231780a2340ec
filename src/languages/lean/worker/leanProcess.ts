import type { Start } from '../../../protocol/messages.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';

/** The working folder of Lean's processes; see `WORKSPACE` of the container spec. */
const WORKSPACE = '/workspace';

/** Exit status of a shell that does not find its program. */
export const NOT_FOUND = 127;

/** A file in the image with a value for LEAN_PATH, where the image's libraries are not where `lean` looks by default. */
const LIBRARIES = '/opt/hothouse/lean-path';
/** Sets the search path before `lean` starts. */
const PREPARE = `if [ -r ${LIBRARIES} ]; then LEAN_PATH=$(cat ${LIBRARIES}); export LEAN_PATH; fi`;
/** Lean reads its number of threads from the command line only; see the container spec. */
const LEAN = `${PREPARE}; exec lean -j"$LEAN_NUM_THREADS" "$@"`;
/** Without a buffer, output arrives as it is written and none is lost with the process; libc buffers 4 KB for a pipe. */
const UNBUFFERED = `${PREPARE}; set -- lean -j"$LEAN_NUM_THREADS" "$@"; if command -v stdbuf >/dev/null; then exec stdbuf -o0 "$@"; fi; exec "$@"`;

/** Starts `lean` with these arguments; `stdoutBytes` as in `Start`. */
export function leanStart(args: readonly string[], stdoutBytes: number | null): Start {
  return start(LEAN, args, stdoutBytes);
}

/** Starts `lean --run` on a file; the program's stdout is unbuffered. */
export function programStart(path: string, stdoutBytes: number): Start {
  return start(UNBUFFERED, ['--run', path], stdoutBytes);
}

/** Where a checker finds the module that it checks, and what precedes its name in its output. */
interface CheckedModule {
  readonly folder: string;
  readonly module: string;
  readonly named: string;
}

/**
 * Starts the first of these checkers that the image has on a module in a folder of the workspace. Prints its name first; exits
 * with `NOT_FOUND` and prints nothing where there is none.
 */
export function checkerStart(checkers: readonly string[], { folder, module, named }: CheckedModule): Start {
  const script = `${PREPARE}; LEAN_PATH=${WORKSPACE}/${folder}\${LEAN_PATH:+:$LEAN_PATH}; export LEAN_PATH
for c in ${checkers.join(' ')}; do
  if command -v $c >/dev/null; then echo "${named}$c"; exec $c "$@"; fi
done
exit ${NOT_FOUND}`;
  return start(script, [module], null);
}

function start(script: string, args: readonly string[], stdoutBytes: number | null): Start {
  return { kind: 'exec', argv: ['sh', '-c', script, 'lean', ...args], cwd: WORKSPACE, env: {}, stdoutBytes };
}

/** Current servers start their processes in sessions of their own, which a signal to the server's group does not reach. */
const KILL_EVERY_LEAN =
  'cd /proc; for p in [0-9]*; do read -r name < $p/comm && [ "$name" = lean ] && kill -9 $p; done 2>/dev/null; :';

/** Ends every process of Lean in the sandbox, unresponsive ones too. Never rejects. */
export async function killEveryLean(sandbox: Sandbox): Promise<void> {
  await runShell(sandbox, KILL_EVERY_LEAN);
}

/** Runs a shell script in the sandbox; resolves when it ends, with whether it printed anything. Never rejects. */
export async function runShell(sandbox: Sandbox, script: string): Promise<boolean> {
  let printed = false;
  const onStdout = () => {
    printed = true;
  };
  const start = { kind: 'exec' as const, argv: ['sh', '-c', script], cwd: '/', env: {} };
  await sandbox.start(start, { onStdout, onStderr: () => {} }).ended;
  return printed;
}
