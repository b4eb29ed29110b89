"""Which system calls a program in the box may make, and what the others answer.

The guardian imports this module by its folder, so it imports nothing of the bot and little of the
standard library.
"""

# A closed list of system calls
#
# The problem. Landlock stops a program at files, and at signals. It does not stop a program that
# changes the limits, the priority or the processors of the bot, which has the same user: the kernel
# allows that by the user alone. Neither does it stop a change of a file's times or attributes, a
# key in the user's keyring, a namespace in which the program is root, or memory that no process
# shows.
#
# The idea. Each call of Linux up to NEWEST has been read, and is in one of four classes:
#
# - It answers as usual. These are all calls that act on the caller, its memory, its descriptors,
#   and on files, which Landlock restricts.
# - It is refused with EPERM (REFUSED), or only with some arguments (`_conditional`). A call about
#   a process is allowed for process 0, which means the caller, and for the engine's first process.
# - It answers ENOSYS, as an older kernel would (ABSENT). Programs then use something else. So does
#   every call that is newer than NEWEST: nobody has read what it does.
# - It returns 0 and does nothing (IGNORED): refused, it would break programs that copy files with
#   their times and permissions. `sync` would write the whole machine's files.
#
# The kernel remembers for which numbers the answer is always "allow", so that most calls cost
# nothing more (Linux 5.11); the others cost less than a microsecond.
#
# Rejected:
#
# - A list of allowed numbers instead. It would be the rest of the same numbers, four times as long.
# - A list of refused numbers without an end: the next kernel's calls would be allowed unread.
# - To end a program at a refused call. Programs try calls to learn what the kernel offers.
# - To allow `clone3`, whose flags lie in memory, where no filter reads them. It is absent; the C
#   libraries and runtimes then use `clone`.
# - To count all shared memory. Pages of a shared mapping stay when a program drops its view,
#   and no process shows them any more. So a program has shared memory only if its operator allows
#   /dev/shm, and on machines with a GPU, whose drivers need it. Without a network `sendmsg` is
#   refused too: a program could hide a file in a socket that nobody reads. So is `vmsplice`, which
#   hides memory in a pipe.

from __future__ import annotations

import ctypes
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Final

    Instruction = tuple[int, int, int, int]
    Condition = tuple[int, int, Sequence[int]]
    """The number of an argument, a mask or 0, and the values of which it must have one."""

PR_SET_SECCOMP: Final = 22
SECCOMP_MODE_FILTER: Final = 2
EPERM, ENOSYS, EOPNOTSUPP, EAFNOSUPPORT = 1, 38, 95, 97

NEWEST: Final = 469
"""`file_setattr`, of Linux 6.17: the newest call that has been read."""
NONE: Final = -1
ARCHITECTURES: Final = {
    "x86_64": (0xC000003E, 0),
    "aarch64": (0xC00000B7, 1),
    "riscv64": (0xC00000F3, 1),
}
"""The audit architecture of each machine, and which of the two numbers of a call it uses."""
X32: Final = 0x40000000
"""A flag in the numbers of system calls of the x32 interface, which would evade the list."""

# Each call with its numbers on x86-64 and on the other machines.
REFUSED: Final = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "migrate_pages": (256, 238),
    # what outlives the program
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "shmget": (29, 194),
    "shmctl": (31, 195),
    "shmat": (30, 196),
    "semget": (64, 190),
    "semctl": (66, 191),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgctl": (71, 187),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    # namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "open_tree_attr": (467, 467),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    # interfaces with a history of weaknesses
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "vmsplice": (278, 75),
    "modify_ldt": (154, NONE),
    "lsm_set_self_attr": (460, 460),
    # the machine
    "syslog": (103, 116),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "iopl": (172, NONE),
    "ioperm": (173, NONE),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    "uselib": (134, NONE),
    "ustat": (136, NONE),
    "sysfs": (139, NONE),
    "_sysctl": (156, NONE),
}
ABSENT: Final = {
    "clone3": (435, 435),
    "pidfd_open": (434, 434),
    "memfd_secret": (447, 447),
    "inotify_init": (253, NONE),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "io_setup": (206, 0),  # its contexts are counted for the whole machine
}
UNSUPPORTED: Final = {  # by the file system, as copying programs expect
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
IGNORED: Final = {
    "chmod": (90, NONE),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, NONE),
    "fchown": (93, 55),
    "lchown": (94, NONE),
    "fchownat": (260, 54),
    "utime": (132, NONE),
    "utimes": (235, NONE),
    "futimesat": (261, NONE),
    "utimensat": (280, 88),
    "sync": (162, 81),
    "syncfs": (306, 267),
}
CONDITIONAL: Final = {
    "prlimit64": (302, 261),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "move_pages": (279, 239),
    "sched_setaffinity": (203, 122),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "clone": (56, 220),
    "prctl": (157, 167),
    "mmap": (9, 222),
    "memfd_create": (319, 279),
    "socket": (41, 198),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    "setsockopt": (54, 208),
    "truncate": (76, 45),
}
ABOUT_A_PROCESS: Final = frozenset(
    {"prlimit64", "sched_setscheduler", "sched_setparam", "sched_setattr", "move_pages"}
)
"""Calls whose first argument is a process, or 0 for the caller."""
NAMESPACES: Final = (0x20000, *(1 << bit for bit in range(25, 31)))
"""The flags of `clone` for a new namespace."""
KIND_OF_MAPPING: Final = 0x2F
SHARED_ANONYMOUS: Final = 0x21
PRIO_PROCESS, IOPRIO_WHO_PROCESS = 0, 1
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
"""They let a program hide from the guardian, or outlive it."""
FAMILIES: Final = (1, 2, 10, 16)
"""Unix, IPv4, IPv6, and netlink, by which libraries find the machine's addresses."""
SOL_SOCKET, SO_SNDBUF, SO_RCVBUF = 1, 7, 8

LOAD, AND, EQUAL, AT_LEAST, JUMP, ANSWER = 0x20, 0x54, 0x15, 0x35, 0x05, 0x06
ALLOW: Final = 0x7FFF0000
ERRNO: Final = 0x00050000
IGNORE: Final = ERRNO
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("k", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction)))


def is_supported() -> bool:
    """Whether there is a filter for this processor."""
    return sys.platform == "linux" and os.uname().machine in ARCHITECTURES


def filter_calls(
    *, network: bool, shared_memory: bool, binding: bool = True, truncating: bool = True
) -> bool:
    """Filter the calls of this process, for ever, and return whether the kernel does.

    Args:
        network: Allow sockets of Internet and machine.
        shared_memory: Allow memory that the guardian cannot always see.
        binding: Let it choose its processors. Otherwise the call does nothing.
        truncating: Allow `truncate`, which Landlock restricts since its version 3.
    """
    if not is_supported():
        return False
    architecture, column = ARCHITECTURES[os.uname().machine]
    own = (0, os.getpid())
    lines = [
        (LOAD, 0, 0, ARCHITECTURE_AT),  # not another, such as 32-bit x86
        (EQUAL, 1, 0, architecture),
        (ANSWER, 0, 0, ERRNO | EPERM),
        (LOAD, 0, 0, NUMBER_AT),
        (AT_LEAST, 0, 1, X32),
        (ANSWER, 0, 0, ERRNO | EPERM),
        (AT_LEAST, 0, 1, NEWEST + 1),
        (ANSWER, 0, 0, ERRNO | ENOSYS),
    ]
    classes = ((REFUSED, EPERM), (ABSENT, ENOSYS), (UNSUPPORTED, EOPNOTSUPP), (IGNORED, 0))
    for calls, errno in classes:
        for numbers in calls.values():
            if numbers[column] != NONE:
                lines += _answered(numbers[column], ERRNO | errno)
    refused = {"sendmsg", "sendmmsg", "socket"} if not network else set()
    refused |= {"truncate"} if not truncating else set()
    for name, numbers in CONDITIONAL.items():
        number = numbers[column]
        if name in refused:
            lines += _answered(number, ERRNO | EPERM)
        elif name == "memfd_create" and not shared_memory:
            lines += _answered(number, ERRNO | ENOSYS)
        elif name == "sched_setaffinity" and not binding:
            lines += _answered(number, IGNORE)
        else:
            lines += _conditional(name, number, own, network=network, shared_memory=shared_memory)
    return install([*lines, (ANSWER, 0, 0, ALLOW)])


def _conditional(
    name: str, number: int, own: tuple[int, int], *, network: bool, shared_memory: bool
) -> Sequence[Instruction]:
    """The lines for a call whose answer depends on its arguments; none if it is allowed."""
    if name in ABOUT_A_PROCESS:
        return _where(number, [(0, 0, own)], ALLOW, ERRNO | EPERM)
    if name == "sched_setaffinity":
        return _where(number, [(0, 0, own)], ALLOW, IGNORE)
    if name in ("setpriority", "ioprio_set"):
        process = PRIO_PROCESS if name == "setpriority" else IOPRIO_WHO_PROCESS
        return _where(number, [(0, 0, (process,)), (1, 0, own)], ALLOW, ERRNO | EPERM)
    if name == "clone":
        return _where(number, [(0, sum(NAMESPACES), (0,))], ALLOW, ERRNO | EPERM)
    if name == "prctl":
        return _where(number, [(0, 0, (PR_SET_PDEATHSIG, PR_SET_DUMPABLE))], IGNORE, ALLOW)
    if name == "mmap" and not shared_memory:
        return _where(number, [(3, KIND_OF_MAPPING, (SHARED_ANONYMOUS,))], ERRNO | EPERM, ALLOW)
    if name == "socket":
        return _where(number, [(0, 0, FAMILIES)], ALLOW, ERRNO | EAFNOSUPPORT)
    if name == "setsockopt" and not network:  # larger buffers, which no process shows
        buffers = [(1, 0, (SOL_SOCKET,)), (2, 0, (SO_SNDBUF, SO_RCVBUF))]
        return _where(number, buffers, IGNORE, ALLOW)
    return ()


def _answered(number: int, answer: int) -> Iterator[Instruction]:
    yield (EQUAL, 0, 1, number)
    yield (ANSWER, 0, 0, answer)


def _where(
    number: int, conditions: Sequence[Condition], then: int, otherwise: int
) -> list[Instruction]:
    """The lines that answer `then` to a call whose arguments meet all conditions.

    Only the lower half of an argument is read: all of them are int, or have their flags there.
    """
    lines: list[Instruction] = [(ANSWER, 0, 0, then), (ANSWER, 0, 0, otherwise)]
    for argument, mask, values in reversed(conditions):
        tests = [(EQUAL, len(values) - i, 0, value) for i, value in enumerate(values)]
        lines = [
            (LOAD, 0, 0, ARGUMENTS_AT + 8 * argument),
            *([(AND, 0, 0, mask)] if mask else []),
            *tests,
            (JUMP, 0, 0, len(lines) - 1),
            *lines,
        ]
    return [(EQUAL, 0, len(lines), number), *lines]


def install(lines: Sequence[Instruction]) -> bool:
    """Filter the calls of this process by these lines, for ever. It must have no new privileges."""
    instructions = (_Instruction * len(lines))(*(_Instruction(*line) for line in lines))
    program = _Program(len(lines), instructions)
    arguments = map(ctypes.c_ulong, (SECCOMP_MODE_FILTER, ctypes.addressof(program), 0, 0))
    return int(ctypes.CDLL(None).prctl(PR_SET_SECCOMP, *arguments)) == 0
