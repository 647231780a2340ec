import type { Start } from '../../../protocol/messages.ts';

/** Where processes of Lean run; see `WORKSPACE` of the container spec. */
const WORKSPACE = '/workspace';

/** Exit status of a shell that has not found its program. */
export const NOT_FOUND = 127;

/**
 * An image whose libraries are not where `lean` looks by itself says where they are in this file, in one line as LEAN_PATH
 * has it.
 */
const LIBRARIES = '/opt/hothouse/lean-path';
/** Sets the search path; behind it comes how `lean` is started. */
const PREPARE = `if [ -r ${LIBRARIES} ]; then LEAN_PATH=$(cat ${LIBRARIES}); export LEAN_PATH; fi`;
/** Its own number of threads Lean takes from its command line alone; see the container spec. */
const LEAN = `${PREPARE}; exec lean -j"$LEAN_NUM_THREADS" "$@"`;
/**
 * A program's output comes as it is written, and none of it is lost with its process: libc would keep what goes into a
 * pipe until it has 4 KB of it.
 */
const UNBUFFERED = `${PREPARE}; set -- lean -j"$LEAN_NUM_THREADS" "$@"; if command -v stdbuf >/dev/null; then exec stdbuf -o0 "$@"; fi; exec "$@"`;

/** The start of `lean` with these arguments; `stdoutBytes` as in `Start`. */
export function leanStart(args: readonly string[], stdoutBytes: number): Start {
  return start(LEAN, args, stdoutBytes);
}

/** The start of `lean --run` on a file, without a buffer between the program and its stdout. */
export function programStart(path: string, stdoutBytes: number): Start {
  return start(UNBUFFERED, ['--run', path], stdoutBytes);
}

function start(script: string, args: readonly string[], stdoutBytes: number): Start {
  return { kind: 'exec', argv: ['sh', '-c', script, 'lean', ...args], cwd: WORKSPACE, env: {}, stdoutBytes };
}
