/**
 * The system calls that a sandbox may make. Whatever is not allowed here is denied, so a call that a newer kernel adds is
 * denied until it has been considered.
 */

/** What honest programs need, by what they need it for. */
const ALLOWED = {
  files: `
    access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64
    fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync flock fstat fstatfs fsync ftruncate
    futimesat getcwd getdents getdents64 ioctl lchown link linkat lseek lstat memfd_create mkdir mkdirat mknod mknodat
    newfstatat open openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink
    readlinkat readv rename renameat renameat2 rmdir sendfile splice stat statfs statx symlink symlinkat
    sync_file_range tee truncate umask unlink unlinkat utime utimensat utimes write writev`,
  attributes: `
    fgetxattr flistxattr fremovexattr fsetxattr getxattr lgetxattr listxattr llistxattr lremovexattr lsetxattr
    removexattr setxattr`,
  waiting: `
    epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 inotify_add_watch
    inotify_init inotify_init1 inotify_rm_watch poll ppoll pselect6 select`,
  memory: `
    brk cachestat madvise map_shadow_stack membarrier mincore mlock mlock2 mlockall mmap mprotect mremap mseal msync
    munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect`,
  processes: `
    arch_prctl execve execveat exit exit_group fork get_robust_list getcpu getpgid getpgrp getpid getppid getpriority
    getrlimit getrusage getsid gettid ioprio_get pidfd_open pidfd_send_signal prctl
    restart_syscall rseq set_robust_list set_tid_address setpgid setrlimit setsid sysinfo times uname vfork
    wait4 waitid`,
  threads: `
    futex futex_requeue futex_wait futex_waitv futex_wake sched_get_priority_max sched_get_priority_min
    sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_yield`,
  signals: `
    kill pause rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
    rt_tgsigqueueinfo sigaltstack signalfd signalfd4 tgkill tkill`,
  // Without capabilities these change nothing; the runtime itself needs them on its way to the first program.
  identity: `
    capget capset getegid geteuid getgid getgroups getresgid getresuid getuid setfsgid setfsuid setgid setgroups
    setregid setresgid setresuid setreuid setuid`,
  time: `
    alarm clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep setitimer time timer_create
    timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime`,
  sockets: `
    accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg sendmsg
    sendto setsockopt shutdown`,
  // Databases share memory this way. The objects are counted as the sandbox's memory, and a reset removes them.
  systemV: 'msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat shmctl shmdt shmget',
  randomness: 'getrandom',
  // Programs that lock themselves in further.
  confinement: 'landlock_add_rule landlock_create_ruleset landlock_restrict_self seccomp',
};

/** What is denied on purpose. These fail with ENOSYS, as on a kernel that lacks them, so that programs do without. */
export const DENIED = {
  // Its flags lie in memory, where no filter sees them: libraries then use `clone`, whose flags are looked at.
  clone3: 'clone3',
  // A second way to nearly every call, past every filter, and a long list of ways out of containers.
  ioUring: 'io_uring_setup io_uring_enter io_uring_register',
  // The old asynchronous I/O: its contexts are counted for the whole machine, so one sandbox could starve the others.
  asynchronousIo: 'io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents',
  // Keys belong to a user id, not to a container: one sandbox would see another's, and they outlive both.
  keys: 'add_key keyctl request_key',
  // With a user namespace comes root in it, and with that the parts of the kernel that only root could reach.
  namespaces: 'setns unshare',
  // Reading and changing other processes, the agent's above all.
  otherProcesses: 'kcmp pidfd_getfd process_madvise process_mrelease process_vm_readv process_vm_writev ptrace',
  // They leave marks on processes that no longer ask for anything, the agent's too, and nothing shows the marks.
  marks: 'ioprio_set sched_setattr',
  // The shape of the file tree, and ways around its paths.
  mounts: `
    chroot fsconfig fsmount fsopen fspick listmount mount mount_setattr move_mount name_to_handle_at open_by_handle_at
    open_tree open_tree_attr pivot_root statmount umount2`,
  // Programs that run in the kernel, and instruments that look into it.
  kernelPrograms: 'bpf perf_event_open',
  kernelCode: 'create_module delete_module finit_module init_module kexec_file_load kexec_load',
  // They let a program stop the kernel halfway, or hide memory from it: what exploits are made of.
  pageFaults: 'memfd_secret userfaultfd',
  // Pages that a pipe keeps are no process's any more; each may keep two megabytes of memory that no agent can count.
  pagesInPipes: 'vmsplice',
  // Limited for each user id across all containers.
  messageQueues: 'mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink',
  // Reports on files of the whole machine.
  fileWatching: 'fanotify_init fanotify_mark lookup_dcookie',
  // The machine's clock, name, log, disks and power.
  machine: `
    acct adjtimex clock_adjtime clock_settime quotactl quotactl_fd reboot setdomainname sethostname settimeofday
    swapoff swapon sync syncfs syslog vhangup`,
  // Where memory lies; the machine's business. Libraries ask first and take ENOSYS for a machine with one place.
  memoryPlaces: `
    get_mempolicy mbind migrate_pages move_pages set_mempolicy set_mempolicy_home_node`,
  // Ports of the hardware, and segments of 16 bits.
  hardware: 'ioperm iopl modify_ldt',
  // Left from other times, and hardly maintained.
  relics: `
    _sysctl afs_syscall get_kernel_syms getpmsg nfsservctl putpmsg query_module remap_file_pages security sysfs
    tuxcall uselib ustat vserver`,
};

const ENOSYS = 38;

type Comparison = 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ';

/** A condition on the argument at `index`; for a masked comparison `value` is the mask and `valueTwo` the result. */
interface Argument {
  readonly index: number;
  readonly value: number;
  readonly valueTwo: number;
  readonly op: Comparison;
}

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET together. */
const NEW_NAMESPACES = 0x7e02_0000;
const FAMILY = { unix: 1, inet: 2, inet6: 10 } as const;
const PRIO_PROCESS = 0;
const PROTOCOL = { any: 0, tcp: 6, udp: 17 } as const;

/** Allowed with these arguments only; each list is one way, of which all conditions must hold. */
const ALLOWED_WITH: Readonly<Record<string, readonly (readonly Argument[])[]>> = {
  // Processes and threads, but no namespaces.
  clone: [[{ index: 0, value: NEW_NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }]],
  // Local sockets, TCP and UDP. Not AF_NETLINK, whose unread answers are memory of the host that no limit holds; not
  // AF_ALG (the kernel's ciphers), not AF_VSOCK (the machine that runs this virtual machine), not packets, radios, buses
  // and whatever module a number would load.
  socket: [
    [equal(0, FAMILY.unix)],
    ...[FAMILY.inet, FAMILY.inet6].flatMap((family) =>
      [PROTOCOL.any, PROTOCOL.tcp, PROTOCOL.udp].map((protocol) => [equal(0, family), equal(2, protocol)]),
    ),
  ],
  socketpair: [[equal(0, FAMILY.unix)]],
  // Limits, priority, CPUs and scheduling of oneself (0), not of others: a first process that ranks below busy ones
  // gets no CPU, not even to die. Limits of others may be read.
  prlimit64: [[equal(0, 0)], [equal(2, 0)]],
  setpriority: [[equal(0, PRIO_PROCESS), equal(1, 0)]],
  sched_setaffinity: [[equal(0, 0)]],
  sched_setparam: [[equal(0, 0)]],
  sched_setscheduler: [[equal(0, 0)]],
  // Linux as it is, or the question what it is: other personalities switch protections of memory off.
  personality: [[equal(0, 0)], [equal(0, 0xffff_ffff)]],
};

/** The profile as JSON text, in the form that container engines take. */
export const SECCOMP_PROFILE = JSON.stringify({
  defaultAction: 'SCMP_ACT_ERRNO',
  // No second architecture beside the first: calls of 32-bit programs have their own numbers and their own mistakes.
  archMap: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'].map((architecture) => ({ architecture, subArchitectures: [] })),
  syscalls: [
    { names: Object.values(ALLOWED).flatMap(words), action: 'SCMP_ACT_ALLOW' },
    ...Object.entries(ALLOWED_WITH).flatMap(([name, ways]) =>
      ways.map((args) => ({ names: [name], action: 'SCMP_ACT_ALLOW', args })),
    ),
    { names: Object.values(DENIED).flatMap(words), action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
  ],
});

function equal(index: number, value: number): Argument {
  return { index, value, valueTwo: 0, op: 'SCMP_CMP_EQ' };
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
