// Calls that this machine does not have are left out of its table.
#include "agent/collectors/syscall_classes.h"

#include <sys/syscall.h>

#include <initializer_list>

namespace statmill {
namespace {

struct Member {
  long number;
  std::string_view syscall_class;
};

// clang-format off
constexpr Member kMembers[] = {
    {SYS_read, "read"}, {SYS_pread64, "read"}, {SYS_readv, "read"}, {SYS_preadv, "read"},
    {SYS_preadv2, "read"}, {SYS_readahead, "read"}, {SYS_sendfile, "read"}, {SYS_copy_file_range, "read"},
    {SYS_splice, "read"}, {SYS_tee, "read"}, {SYS_vmsplice, "read"}, {SYS_getdents64, "read"},
    {SYS_write, "write"}, {SYS_pwrite64, "write"}, {SYS_writev, "write"}, {SYS_pwritev, "write"},
    {SYS_pwritev2, "write"},
    {SYS_fsync, "sync"}, {SYS_fdatasync, "sync"}, {SYS_sync, "sync"}, {SYS_syncfs, "sync"},
    {SYS_sync_file_range, "sync"}, {SYS_msync, "sync"},
    {SYS_ppoll, "poll"}, {SYS_pselect6, "poll"}, {SYS_epoll_create1, "poll"}, {SYS_epoll_ctl, "poll"},
    {SYS_epoll_pwait, "poll"},
#ifdef SYS_poll
    {SYS_poll, "poll"},
#endif
#ifdef SYS_select
    {SYS_select, "poll"},
#endif
#ifdef SYS_epoll_create
    {SYS_epoll_create, "poll"},
#endif
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, "poll"},
#endif
#ifdef SYS_epoll_pwait2
    {SYS_epoll_pwait2, "poll"},
#endif
    {SYS_futex, "lock"}, {SYS_set_robust_list, "lock"}, {SYS_get_robust_list, "lock"}, {SYS_flock, "lock"},
#ifdef SYS_futex_wait
    {SYS_futex_wait, "lock"},
#endif
#ifdef SYS_futex_wake
    {SYS_futex_wake, "lock"},
#endif
#ifdef SYS_futex_waitv
    {SYS_futex_waitv, "lock"},
#endif
#ifdef SYS_futex_requeue
    {SYS_futex_requeue, "lock"},
#endif
    {SYS_nanosleep, "sleep"}, {SYS_clock_nanosleep, "sleep"},
#ifdef SYS_pause
    {SYS_pause, "sleep"},
#endif
    {SYS_clock_gettime, "time"}, {SYS_clock_getres, "time"}, {SYS_clock_settime, "time"},
    {SYS_settimeofday, "time"}, {SYS_timer_create, "time"}, {SYS_timer_settime, "time"},
    {SYS_timer_gettime, "time"}, {SYS_timer_delete, "time"}, {SYS_timerfd_create, "time"},
    {SYS_timerfd_settime, "time"}, {SYS_timerfd_gettime, "time"}, {SYS_setitimer, "time"},
    {SYS_getitimer, "time"},
#ifdef SYS_gettimeofday
    {SYS_gettimeofday, "time"},
#endif
#ifdef SYS_time
    {SYS_time, "time"},
#endif
#ifdef SYS_times
    {SYS_times, "time"},
#endif
#ifdef SYS_alarm
    {SYS_alarm, "time"},
#endif
    {SYS_socket, "socket"}, {SYS_socketpair, "socket"}, {SYS_bind, "socket"}, {SYS_listen, "socket"},
    {SYS_connect, "socket"}, {SYS_accept, "socket"}, {SYS_accept4, "socket"}, {SYS_shutdown, "socket"},
    {SYS_sendto, "socket"}, {SYS_recvfrom, "socket"}, {SYS_sendmsg, "socket"}, {SYS_recvmsg, "socket"},
    {SYS_sendmmsg, "socket"}, {SYS_recvmmsg, "socket"}, {SYS_getsockname, "socket"},
    {SYS_getpeername, "socket"}, {SYS_setsockopt, "socket"}, {SYS_getsockopt, "socket"},
    {SYS_openat, "file"}, {SYS_close, "file"}, {SYS_dup, "file"}, {SYS_dup3, "file"}, {SYS_fcntl, "file"},
    {SYS_ioctl, "file"}, {SYS_lseek, "file"}, {SYS_ftruncate, "file"}, {SYS_truncate, "file"},
    {SYS_fallocate, "file"}, {SYS_fadvise64, "file"}, {SYS_pipe2, "file"}, {SYS_eventfd2, "file"},
    {SYS_memfd_create, "file"},
#ifdef SYS_open
    {SYS_open, "file"},
#endif
#ifdef SYS_openat2
    {SYS_openat2, "file"},
#endif
#ifdef SYS_creat
    {SYS_creat, "file"},
#endif
#ifdef SYS_close_range
    {SYS_close_range, "file"},
#endif
#ifdef SYS_dup2
    {SYS_dup2, "file"},
#endif
#ifdef SYS_pipe
    {SYS_pipe, "file"},
#endif
    {SYS_statx, "filesystem"}, {SYS_statfs, "filesystem"}, {SYS_fstatfs, "filesystem"},
    {SYS_faccessat, "filesystem"}, {SYS_readlinkat, "filesystem"}, {SYS_renameat, "filesystem"},
    {SYS_renameat2, "filesystem"}, {SYS_linkat, "filesystem"}, {SYS_unlinkat, "filesystem"},
    {SYS_symlinkat, "filesystem"}, {SYS_mkdirat, "filesystem"}, {SYS_mknodat, "filesystem"},
    {SYS_fchmod, "filesystem"}, {SYS_fchmodat, "filesystem"}, {SYS_fchown, "filesystem"},
    {SYS_fchownat, "filesystem"}, {SYS_utimensat, "filesystem"}, {SYS_chdir, "filesystem"},
    {SYS_fchdir, "filesystem"}, {SYS_getcwd, "filesystem"}, {SYS_chroot, "filesystem"},
    {SYS_mount, "filesystem"}, {SYS_umount2, "filesystem"}, {SYS_getxattr, "filesystem"},
    {SYS_setxattr, "filesystem"}, {SYS_inotify_init1, "filesystem"}, {SYS_inotify_add_watch, "filesystem"},
#ifdef SYS_stat
    {SYS_stat, "filesystem"},
#endif
#ifdef SYS_fstat
    {SYS_fstat, "filesystem"},
#endif
#ifdef SYS_lstat
    {SYS_lstat, "filesystem"},
#endif
#ifdef SYS_newfstatat
    {SYS_newfstatat, "filesystem"},
#endif
#ifdef SYS_access
    {SYS_access, "filesystem"},
#endif
#ifdef SYS_faccessat2
    {SYS_faccessat2, "filesystem"},
#endif
#ifdef SYS_readlink
    {SYS_readlink, "filesystem"},
#endif
#ifdef SYS_rename
    {SYS_rename, "filesystem"},
#endif
#ifdef SYS_link
    {SYS_link, "filesystem"},
#endif
#ifdef SYS_unlink
    {SYS_unlink, "filesystem"},
#endif
#ifdef SYS_symlink
    {SYS_symlink, "filesystem"},
#endif
#ifdef SYS_mkdir
    {SYS_mkdir, "filesystem"},
#endif
#ifdef SYS_rmdir
    {SYS_rmdir, "filesystem"},
#endif
#ifdef SYS_mknod
    {SYS_mknod, "filesystem"},
#endif
#ifdef SYS_chmod
    {SYS_chmod, "filesystem"},
#endif
#ifdef SYS_chown
    {SYS_chown, "filesystem"},
#endif
#ifdef SYS_lchown
    {SYS_lchown, "filesystem"},
#endif
#ifdef SYS_getdents
    {SYS_getdents, "filesystem"},
#endif
    {SYS_brk, "memory"}, {SYS_mmap, "memory"}, {SYS_munmap, "memory"}, {SYS_mremap, "memory"},
    {SYS_mprotect, "memory"}, {SYS_madvise, "memory"}, {SYS_mlock, "memory"}, {SYS_munlock, "memory"},
    {SYS_mlockall, "memory"}, {SYS_munlockall, "memory"}, {SYS_mincore, "memory"}, {SYS_mbind, "memory"},
    {SYS_get_mempolicy, "memory"}, {SYS_set_mempolicy, "memory"},
#ifdef SYS_process_madvise
    {SYS_process_madvise, "memory"},
#endif
    {SYS_clone, "process"}, {SYS_execve, "process"}, {SYS_execveat, "process"}, {SYS_exit, "process"},
    {SYS_exit_group, "process"}, {SYS_wait4, "process"}, {SYS_waitid, "process"}, {SYS_kill, "process"},
    {SYS_tkill, "process"}, {SYS_tgkill, "process"}, {SYS_ptrace, "process"}, {SYS_prctl, "process"},
    {SYS_setsid, "process"}, {SYS_setpgid, "process"}, {SYS_setuid, "process"}, {SYS_setgid, "process"},
    {SYS_setresuid, "process"}, {SYS_setresgid, "process"},
#ifdef SYS_fork
    {SYS_fork, "process"},
#endif
#ifdef SYS_vfork
    {SYS_vfork, "process"},
#endif
#ifdef SYS_clone3
    {SYS_clone3, "process"},
#endif
#ifdef SYS_pidfd_open
    {SYS_pidfd_open, "process"},
#endif
#ifdef SYS_pidfd_send_signal
    {SYS_pidfd_send_signal, "process"},
#endif
    {SYS_rt_sigaction, "signal"}, {SYS_rt_sigprocmask, "signal"}, {SYS_rt_sigreturn, "signal"},
    {SYS_rt_sigpending, "signal"}, {SYS_rt_sigtimedwait, "signal"}, {SYS_rt_sigqueueinfo, "signal"},
    {SYS_rt_sigsuspend, "signal"}, {SYS_sigaltstack, "signal"}, {SYS_signalfd4, "signal"},
    {SYS_sched_yield, "schedule"}, {SYS_sched_setscheduler, "schedule"}, {SYS_sched_getscheduler, "schedule"},
    {SYS_sched_setparam, "schedule"}, {SYS_sched_getparam, "schedule"}, {SYS_sched_setaffinity, "schedule"},
    {SYS_sched_getaffinity, "schedule"}, {SYS_sched_setattr, "schedule"}, {SYS_sched_getattr, "schedule"},
    {SYS_setpriority, "schedule"}, {SYS_getpriority, "schedule"},
    {SYS_getpid, "query"}, {SYS_getppid, "query"}, {SYS_gettid, "query"}, {SYS_getuid, "query"},
    {SYS_geteuid, "query"}, {SYS_getgid, "query"}, {SYS_getegid, "query"}, {SYS_getpgid, "query"},
    {SYS_getsid, "query"}, {SYS_getrusage, "query"}, {SYS_prlimit64, "query"}, {SYS_uname, "query"},
    {SYS_sysinfo, "query"}, {SYS_getcpu, "query"}, {SYS_getrandom, "query"}, {SYS_umask, "query"},
#ifdef SYS_getpgrp
    {SYS_getpgrp, "query"},
#endif
#ifdef SYS_getrlimit
    {SYS_getrlimit, "query"},
#endif
#ifdef SYS_setrlimit
    {SYS_setrlimit, "query"},
#endif
#ifdef SYS_arch_prctl
    {SYS_arch_prctl, "query"},
#endif
};
// clang-format on

}  // namespace

const std::array<std::string_view, SYSCALL_CLASSES> kSyscallClasses = {
    "read", "write",      "sync",   "poll",    "lock",   "sleep",    "time",  "socket",
    "file", "filesystem", "memory", "process", "signal", "schedule", "query", "other"};

std::array<uint8_t, SYSCALL_NUMBERS> syscall_classes() {
  std::array<uint8_t, SYSCALL_NUMBERS> classes{};
  classes.fill(SYSCALL_CLASSES - 1);
  for (const Member& member : kMembers) {
    for (uint8_t i = 0; i < SYSCALL_CLASSES; ++i) {
      const bool is_it = kSyscallClasses[i] == member.syscall_class;
      if (is_it && member.number < SYSCALL_NUMBERS - 1) classes[static_cast<size_t>(member.number)] = i;
    }
  }
  return classes;
}

}  // namespace statmill
