"""Checks of the machine: processor, memory, disks, file descriptors and the clock's discipline."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

from bot.arena.edge.descriptors import (
    FEWEST,
    FEWEST_FOR_HTTP,
    RESERVE,
    descriptor_limit,
    hard_limit,
    open_descriptors,
)
from bot.arena.store.data_folder import LOCK_NAME
from bot.daemon import data_folder as daemon_folder
from bot.daemon.settings import EngineTable
from bot.doctor.examination import Case, DoctorFinding, fail, ok, warn
from bot.doctor.processes import Process, holder_of, memory_limits, processor_share
from bot.engines.spec import EngineSpec

MIB: Final = 1 << 20
ARENA_BYTES: Final = 300 * MIB
"""What an arena with 200 games uses, and room to spare; see docs/performance.md."""
DAEMON_BYTES: Final = 150 * MIB
ENGINE_BYTES: Final = 200 * MIB
"""What an engine process uses besides its hash table."""
USUAL_HASH: Final = 256
LEAST_DISK: Final = 100 * MIB
LITTLE_DISK: Final = 1024 * MIB
LEAST_INODES: Final = 100
LITTLE_INODES: Final = 10_000
LOGS: Final = Path("/var/log")
TIME_ERROR: Final = 5
"""From <sys/timex.h>: the clock is not synchronised."""
TIMEX_BYTES: Final = 512
"""More than any system's `struct timex`; a structure of zeros asks and sets nothing."""
FREE_SPACE: Final = "delete or move what is not needed, or enlarge the disk"


def holders(case: Case) -> dict[str, Process]:
    """Return the running arena and the running bot of the data folders."""
    locks = {"arena": LOCK_NAME, "bot": daemon_folder.LOCK_NAME}
    found = {what: holder_of(folder / locks[what]) for what, folder in case.data_folders}
    return {what: process for what, process in found.items() if process is not None}


# ---- processor and memory --------------------------------------------------------------------


def processor(case: Case) -> Iterator[DoctorFinding]:
    cores = float(len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1)
    share = processor_share()
    usable = cores if share is None else min(cores, share)
    found = f"{usable:g} processor cores"
    threads = sum(
        table.processes * max(1, _number(table, "Threads", 1)) for table in engine_tables(case)
    )
    if threads > usable:
        advice = "lower `processes` or the option Threads under [engines], or expect slower play"
        yield warn(f"{found} for {threads} engine threads at once", advice)
    else:
        yield ok(found)


def memory(case: Case) -> Iterator[DoctorFinding]:
    running = holders(case)
    needs = {what: need for what, need in _needs(case).items() if what not in running}
    yield _enough_memory("the machine", psutil.virtual_memory().available, needs)
    for what, process in {"this shell": None, **running}.items():
        limits = list(memory_limits(process))
        if limits:
            left = min(most - used for most, used in limits)
            own = needs if process is None else {}
            yield _enough_memory(f"the control group of {what}", left, own)


def _enough_memory(where: str, free: int, needs: dict[str, int]) -> DoctorFinding:
    needed = sum(needs.values())
    whose = " and ".join(f"the {what}" for what in needs)
    found = f"{where}: {_mib(free)} free"
    if needed:
        found += f", {_mib(needed)} needed by {whose}"
    if free < max(needed, 64 * MIB):
        advice = "stop other programs, add memory, or lower `processes` and the option Hash"
        return fail(found, advice)
    if free < needed * 1.2 + 128 * MIB:
        return warn(found, "keep some memory free: watch it, and lower the option Hash if it grows")
    return ok(found)


def _needs(case: Case) -> dict[str, int]:
    found = {}
    if case.arena is not None:
        found["arena"] = ARENA_BYTES
    if case.place is not None:
        found["bot"] = DAEMON_BYTES + sum(
            table.processes * (ENGINE_BYTES + _number(table, "Hash", USUAL_HASH) * MIB)
            for table in engine_tables(case)
        )
    return found


def engine_tables(case: Case) -> list[EngineTable]:
    """Return the engines that a bot's platforms use; all of them if it has no platforms."""
    if case.bot is None:
        return []
    used = {table.engine for table in case.bot.platforms} or set(case.bot.engines)
    return [table for name, table in case.bot.engines.items() if name in used]


def _number(spec: EngineSpec, option: str, usual: int) -> int:
    values = {name.lower(): value for name, value in spec.options.items()}
    with suppress(ValueError):
        return int(values.get(option.lower(), usual))
    return usual


def _mib(size: int) -> str:
    return f"{size / MIB:,.0f} MB" if size < 10_240 * MIB else f"{size / MIB / 1024:,.0f} GB"


# ---- disks and file descriptors --------------------------------------------------------------


def disk(case: Case) -> Iterator[DoctorFinding]:
    folders = [folder for _, folder in case.data_folders]
    if case.backups is not None:
        folders.append(case.backups.absolute())
    folders.append(LOGS)
    seen = set()
    for folder in folders:
        place = existing(folder)
        device = place.stat().st_dev
        if device not in seen:
            seen.add(device)
            yield from _disk(folder, os.statvfs(place))


def _disk(folder: Path, found: os.statvfs_result) -> Iterator[DoctorFinding]:
    free, whole = found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize
    text = f"{folder}: {_mib(free)} of {_mib(whole)} free"
    if free < LEAST_DISK:
        yield fail(text, FREE_SPACE)
    elif free < LITTLE_DISK:
        yield warn(text, FREE_SPACE)
    else:
        yield ok(text)
    if not found.f_files:  # file systems without a fixed number, such as btrfs
        return
    text = f"{folder}: {found.f_favail:,} of {found.f_files:,} inodes free"
    if found.f_favail < LEAST_INODES:
        yield fail(text, "delete folders with many small files")
    elif found.f_favail < LITTLE_INODES:
        yield warn(text, "delete folders with many small files")


def existing(folder: Path) -> Path:
    """Return the folder, or the nearest folder above it that exists."""
    return next(each for each in (folder, *folder.parents) if each.exists())


def descriptors(case: Case) -> Iterator[DoctorFinding]:
    soft, hard = descriptor_limit(), hard_limit()
    running = holders(case)
    if case.arena is not None:
        limit, whose = hard, "this shell"
        if (process := running.get("arena")) is not None:
            limit, whose = process.most_files or hard, f"the arena (process {process.pid})"
        yield _room_for_sockets(case.arena.connections.connections, limit, whose)
    if case.place is not None:
        needed = RESERVE + sum(8 * table.processes for table in engine_tables(case))
        limit, whose = soft, "this shell"
        if (process := running.get("bot")) is not None:
            limit, whose = process.most_files or soft, f"the bot (process {process.pid})"
        text = f"limit of open files of {whose}: {limit:,}; the bot needs about {needed}"
        yield ok(text) if limit >= needed else fail(text, _raise_to(needed))


def _room_for_sockets(sockets: int, limit: int, whose: str) -> DoctorFinding:
    in_use = RESERVE + open_descriptors()
    wanted = sockets + max(sockets, FEWEST_FOR_HTTP) + in_use
    text = f"limit of open files of {whose}: {limit:,}; {sockets:,} connections need {wanted:,}"
    if limit < in_use + FEWEST:
        return fail(f"{text}, and the arena does not start", _raise_to(wanted))
    if limit < wanted:
        lower = "or lower `connections` under [connections]"
        return warn(f"{text}, so the arena admits fewer", f"{_raise_to(wanted)}, {lower}")
    return ok(text)


def _raise_to(needed: int) -> str:
    return f"set LimitNOFILE={needed} in the unit, or `ulimit -n {needed}` before the start"


# ---- clock -----------------------------------------------------------------------------------


def synchronisation() -> DoctorFinding:
    """Return whether the kernel's clock is synchronised, as far as the system says it."""
    if sys.platform != "linux":
        return ok("synchronisation: not known on this system")
    try:
        state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.create_string_buffer(TIMEX_BYTES))
    except AttributeError:
        state = -1
    if state == TIME_ERROR:
        advice = "start a time service, such as `timedatectl set-ntp true` or chrony"
        return warn("the clock is not synchronised with a time server", advice)
    return ok("the clock is synchronised" if state >= 0 else "synchronisation: not known here")
