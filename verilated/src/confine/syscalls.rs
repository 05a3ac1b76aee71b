//! Which system calls a confined process may make.

use std::collections::BTreeMap;

use libc::{c_long, SYS_tgkill};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::Kind;

/// What a model's process does with the system: memory, open files, clocks, its own signal handlers. New versions of
/// the C library try new calls; those fail as on an old kernel, and the library falls back.
const OF_MODELS: &[c_long] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_execve, // of the program itself
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fadvise64,
    libc::SYS_fdatasync,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_futex,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_read,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_sigaltstack,
    libc::SYS_statx,
    libc::SYS_sysinfo,
    libc::SYS_times,
    libc::SYS_uname,
    libc::SYS_unlinkat,
    libc::SYS_write,
    libc::SYS_writev,
];

/// The same by older names.
#[cfg(target_arch = "x86_64")]
const OLD: &[c_long] = &[
    libc::SYS_access,
    libc::SYS_arch_prctl,
    libc::SYS_dup2,
    libc::SYS_lstat,
    libc::SYS_open,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_time,
    libc::SYS_unlink,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[c_long] = &[];

const THREAD: u64 = libc::CLONE_THREAD as u64;

/// What a design may not even try: its process is ended, so that its report says why. A process that it starts could
/// outlive it, and a signal could end another.
const ENDS_MODELS: &[c_long] = &[
    libc::SYS_kill,
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_tkill,
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_io_uring_setup,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
];
#[cfg(target_arch = "x86_64")]
const OLD_FORKS: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const OLD_FORKS: &[c_long] = &[];

/// What Verilator and compilers have no use for.
const NOT_OF_TOOLS: &[c_long] = &[
    libc::SYS_socket,
    libc::SYS_io_uring_setup,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_bpf,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_unshare,
    libc::SYS_setns,
];

/// The filters of a process; the strictest answer counts.
pub(super) fn filters(kind: Kind) -> Result<Vec<BpfProgram>, BackendError> {
    match kind {
        Kind::Tool => {
            let refused = SeccompAction::Errno(libc::EPERM as u32);
            Ok(vec![program(without_conditions(NOT_OF_TOOLS), SeccompAction::Allow, refused)?])
        }
        Kind::Model => {
            let mut ends = without_conditions(&[ENDS_MODELS, OLD_FORKS].concat());
            ends.insert(SYS_tgkill, vec![rule(2, SeccompCmpOp::Ne, libc::SIGABRT as u64)?]);
            ends.insert(libc::SYS_clone, vec![rule(0, SeccompCmpOp::MaskedEq(THREAD), 0)?]);
            let mut allowed = without_conditions(&[OF_MODELS, OLD].concat());
            allowed.extend(with_conditions()?);
            let missing = SeccompAction::Errno(libc::ENOSYS as u32);
            Ok(vec![
                program(ends, SeccompAction::Allow, SeccompAction::KillProcess)?,
                program(allowed, missing, SeccompAction::Allow)?,
            ])
        }
    }
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn without_conditions(calls: &[c_long]) -> Rules {
    calls.iter().map(|&call| (call, Vec::new())).collect()
}

/// Calls that are harmless with some arguments only.
#[allow(clippy::unnecessary_cast)] // The type of TCGETS is not the same in all C libraries.
fn with_conditions() -> Result<Rules, BackendError> {
    let equal = |argument, value| rule(argument, SeccompCmpOp::Eq, value);
    let commands = [libc::F_DUPFD, libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL, libc::F_SETFL];
    let commands: Result<_, _> = commands.iter().map(|&command| equal(1, command as u64)).collect();
    Ok(BTreeMap::from([
        // A thread ends with its process. (The newer `clone3` hides what it asks for, so that it is as if not there.)
        (libc::SYS_clone, vec![rule(0, SeccompCmpOp::MaskedEq(THREAD), THREAD)?]),
        // Not to say who gets signals.
        (libc::SYS_fcntl, commands?),
        // To ask whether a file is a terminal.
        (libc::SYS_ioctl, vec![equal(1, libc::TCGETS as u64)?]),
        // To ask for limits, not to set them.
        (libc::SYS_prlimit64, vec![equal(2, 0)?]),
        // To give up.
        (SYS_tgkill, vec![equal(2, libc::SIGABRT as u64)?]),
    ]))
}

/// What compares an argument, all of its 64 bits, with a value.
fn rule(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Qword, is, value)?])
}

fn program(rules: Rules, otherwise: SeccompAction, action: SeccompAction) -> Result<BpfProgram, BackendError> {
    let target: TargetArch = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, otherwise, action, target)?.try_into()
}
