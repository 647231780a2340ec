# Read by the shell of a session before its first cell.
PS1= PS2=
set +H +o history
# Also in the cell, which is a file for the shell, but not in functions: the line of the cell counts.
set -E
trap '[[ ${FUNCNAME+x} || ! ${BASH_SOURCE-} ]] || __hothouse_line=$LINENO' ERR
trap __hothouse_save EXIT
# A shell with a trap of the user's on EXIT keeps its state too.
trap() {
  builtin trap "$@" || return
  ((BASH_SUBSHELL)) || case " $* " in
    *[[:space:]]EXIT[[:space:]]*|*[[:space:]]0[[:space:]]*) __hothouse_chain ;;
  esac
}
__hothouse_chain() {
  local users
  users=$(builtin trap -p EXIT)
  eval "set -- $users"
  # Not the last of a list, so that set -e goes on to what is the user's, with the status.
  [[ ${3-} == __hothouse_save* ]] || builtin trap "__hothouse_save${3:+ && :; $3}" EXIT
}
# In the shell itself it ends the cell, and in its subshells it ends those.
exit() {
  local status=${1-$?}
  if ((BASH_SUBSHELL)); then builtin exit "$status"; fi
  __hothouse_exit=$status
  # The newline that an interrupt prints is not the user's.
  exec {__hothouse_stderr}>&2 2>/dev/null
  builtin kill -INT $$
}
# After a cell that has called it.
__hothouse_reopen() {
  # Redirections around the call are undone by now, and with them this one.
  [[ /dev/fd/2 -ef /dev/null ]] && exec 2>&$__hothouse_stderr
  exec {__hothouse_stderr}>&-
  unset __hothouse_stderr
}
# The variables, functions and options of a shell that ends, as commands for the next one.
__hothouse_save() {
  local __hothouse_status=$? __hothouse_name
  builtin echo "line ${__hothouse_line-}" >&61
  {
    for __hothouse_name in $(compgen -v); do
      case $__hothouse_name in
        BASH*|COMP_*|DIRSTACK|EPOCH*|EUID|FUNCNAME|GROUPS|HISTCMD|LINENO|OPTIND|PIPESTATUS|PPID|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_|__hothouse_*) ;;
        *) declare -p "$__hothouse_name" ;;
      esac
    done
    declare -f
    alias -p
    shopt -p
    printf 'umask %s\ncd -- %q\n' "$(umask)" "$PWD"
    set +o
  } >"$__hothouse_state" 2>/dev/null
  # A trap of the user's may read it.
  return "$__hothouse_status"
}
