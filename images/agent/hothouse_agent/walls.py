"""
The walls of a sandbox that need no help of its host: the agent builds them before it serves, everything that it starts
inherits them, and it reports which of them hold.
"""

import binascii
import ctypes
import os
import re
import resource

from . import landlock, network, privileges, writable

# Existing files outside of the writable folders that may be written: devices, and what a process sets of itself in /proc.
_WRITABLE_FILES = (*writable.DEVICES, "/proc")
_OOM_SCORE = "/proc/self/oom_score_adj"
# What runs set it to; see `children`.
_OOM_SCORE_OF_RUNS = 1000
# What a cluster adds to the environment of every container: the addresses of its services.
_ADDED = re.compile(r"^KUBERNETES_|_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$")
_MEMORY_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_PIDS_LIMITS = ("/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max")
# What `build` found.
report = {}
# Bytes of memory that the agent itself has to keep runs within; None where a cgroup does.
watched_memory = None
# A ruleset that keeps runs from the agent's processes; None where the kernel has none.
_scope = None


def build(plan):
    """
    Builds every wall of `plan`, which comes from the engine. For a process with one thread, before it serves. Leaves in
    `report`: name of a wall -> state (`holds`; `missing`: not on this host; `off`: not wanted) and a detail.
    """
    walls = {
        "environment": _attempt(_clean_environment),
        "limits": _attempt(_set_limits, plan["limits"]),
        "memory": _attempt(_check_memory, plan["memoryBytes"]),
        "processes": _attempt(_check_processes, plan["pids"]),
        "outOfMemory": _attempt(_check_score),
        "privileges": _attempt(_drop_privileges),
        "network": _off("network.policy") if plan["network"] == "full" else _attempt(_check_network, plan),
        "readOnlyRoot": _attempt(_check_root) if plan["readOnlyRoot"] else _off("limits.readOnly"),
        **_restrict(plan),
        "signals": _attempt(_prepare_scope),
        # Last: it may deny what the others need.
        "systemCalls": _attempt(_filter_calls, plan["filters"]),
    }
    report.update(walls)


def holds(name):
    """Whether `build` has built this wall, or found it."""
    return name in report and report[name]["state"] == "holds"


def descriptors():
    """Those that `enter_run` needs, in this process and in those that are forked from it."""
    return [] if _scope is None else [_scope]


def enter_run():
    """In a process that will run user code: from now on it reaches no process but itself and those that it starts."""
    if _scope is not None:
        landlock.enter(_scope)


def enter_copy():
    """In a copy of such a process: from now on it does not reach the one that it was copied from, nor other copies."""
    if _scope is not None:
        scope = landlock.create_scope()
        landlock.enter(scope)
        os.close(scope)


def _holds(detail=""):
    return {"state": "holds", "detail": detail}


def _missing(detail):
    return {"state": "missing", "detail": ascii(detail)[1:-1][:200]}


def _off(option):
    return {"state": "off", "detail": option}


def _attempt(build_one, *arguments):
    try:
        return build_one(*arguments)
    except (OSError, ValueError) as error:
        return _missing(getattr(error, "strerror", None) or str(error))


def _clean_environment():
    added = {name for name in os.environ if _ADDED.search(name)}
    added.update(name for name, value in os.environ.items() if name.endswith("_PORT") and value.startswith("tcp://"))
    for name in added:
        del os.environ[name]
    _erase_initial(added)
    return _holds()


def _erase_initial(names):
    """In the memory where the kernel has put the variables: /proc shows it for this process and all its forks."""
    with open("/proc/self/stat", "rb") as file:
        # The last four fields but one: where that memory begins and ends.
        start, end = map(int, file.read().rpartition(b")")[2].split()[47:49])
    at = start
    for entry in ctypes.string_at(start, end - start).split(b"\0"):
        if os.fsdecode(entry.partition(b"=")[0]) in names:
            ctypes.memset(at, 0, len(entry))
        at += len(entry) + 1


def _set_limits(limits):
    for name, most in limits.items():
        number = getattr(resource, "RLIMIT_" + name.upper())
        _, hard = resource.getrlimit(number)
        # Without privileges it can only become less.
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(number, (most, most))
    return _holds()


def _check_memory(most):
    global watched_memory
    found = _check_limit(_MEMORY_LIMITS, most)
    if found is not None:
        return found
    watched_memory = most
    return _holds("counted by the agent, as no cgroup limits it")


def _check_processes(most):
    found = _check_limit(_PIDS_LIMITS, most)
    if found is not None:
        return found
    with open("/proc/self/uid_map", "rb") as table:
        ids = [int(line.split()[2]) for line in table]
    if ids != [1]:
        return _missing("no cgroup shows it")
    # The kernel counts the processes of a user in each namespace on its own, but limits none of root.
    return _holds("RLIMIT_NPROC of its user namespace") if _is_fork_limited() else _missing("the sandbox belongs to root")


def _is_fork_limited():
    """Whether the kernel refuses one more process than the limit of this user."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    resource.setrlimit(resource.RLIMIT_NPROC, (1, hard))
    try:
        pid = os.fork()
    except BlockingIOError:
        return True
    finally:
        resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return False


def _check_limit(paths, most):
    """None where no cgroup shows it."""
    for path in paths:
        try:
            with open(path, "rb") as file:
                found = file.read().strip().decode()
        except OSError:
            continue
        return _holds() if found != "max" and int(found) <= most else _missing("it is %s" % found)
    return None


def _check_score():
    with open(_OOM_SCORE, "rb") as file:
        score = int(file.read())
    return _holds() if score < _OOM_SCORE_OF_RUNS else _missing("the agent has the score of runs")


def _drop_privileges():
    privileges.drop()
    held = privileges.held()
    return _missing(", ".join(held)) if held else _holds()


def _check_network(plan):
    ways = network.reachable()
    if ways:
        return _missing(", ".join(ways))
    return _holds("the proxy alone is reached" if plan["network"] == "proxy" else "")


def _check_root():
    return _holds() if os.statvfs("/").f_flag & os.ST_RDONLY else _missing("it can be written")


def _restrict(plan):
    """The walls that Landlock builds."""
    if not plan["readOnlyRoot"]:
        files = _off("limits.readOnly")
    elif landlock.can_restrict_files():
        files = _attempt(_restrict_writes, plan)
    else:
        files = _missing("the kernel has no Landlock, or an old one")
    holds = files["state"] == "holds"
    # No version of Landlock keeps a process from connecting to a socket by its path.
    open_paths = [path for path in writable.paths() if not holds or writable.is_socket(path)]
    return {"files": files, "hostFiles": _missing(", ".join(open_paths)) if open_paths else _holds()}


def _restrict_writes(plan):
    # Code needs connections to itself. Only where there is a way out is there more to reach.
    tcp = plan["network"] != "full" and bool(network.reachable())
    landlock.restrict(plan["folders"], _WRITABLE_FILES, tcp)
    return _holds()


def _prepare_scope():
    global _scope
    if landlock.version() < landlock.SCOPE_VERSION:
        return _missing("the kernel's Landlock has no scopes")
    if "new privileges" in privileges.held():
        # The kernel would refuse it to every run.
        return _missing("new privileges")
    _scope = landlock.create_scope()
    return _holds()


def _filter_calls(filters):
    if filters is None:
        return _off("seccomp")
    program = filters.get(os.uname().machine)
    if program is None:
        return _missing("no filter for " + os.uname().machine)
    privileges.filter_calls(binascii.a2b_base64(program))
    return _holds()
