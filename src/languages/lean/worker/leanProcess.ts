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
/** Its own number of threads Lean takes from its command line alone; see the container spec. */
const LEAN = `if [ -r ${LIBRARIES} ]; then LEAN_PATH=$(cat ${LIBRARIES}); export LEAN_PATH; fi; exec lean -j"$LEAN_NUM_THREADS" "$@"`;

/** The start of `lean` with these arguments; `stdoutBytes` as in `Start`. */
export function leanStart(args: readonly string[], stdoutBytes: number | null = null): Start {
  return {
    kind: 'exec',
    argv: ['sh', '-c', LEAN, 'lean', ...args],
    cwd: WORKSPACE,
    env: {},
    stdoutBytes,
  };
}
