/**
 * Whether an environment may not set this variable: it decides what the agent or the loader of programs does, or every
 * sandbox sets it itself.
 */
export function isReservedVariable(name: string): boolean {
  return RESERVED.test(name);
}

const RESERVED =
  /^(?:LD_|GLIBC_|MALLOC_|HOTHOUSE_|(?:PATH|HOME|USER|LOGNAME|PYTHONHOME|PYTHONPATH|PYTHONSTARTUP|PYTHONINSPECT|PYTHONUSERBASE|PYTHONPLATLIBDIR|NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|GCONV_PATH|LOCPATH|R_PROFILE|R_PROFILE_USER|R_ENVIRON|R_ENVIRON_USER|R_LIBS|MONO_PATH|MONO_ENV_OPTIONS)$)/i;
