"""Which protections of the engines' box hold on this machine, found by trying each of them."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from bot.engines.sandbox import box_of
from bot.engines.spec import EngineSpec
from bot.runtime import guardian

PROBE: Final = """
import ctypes, mmap, os, resource, socket, sys
secret, bot, user = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
own_processes = os.getppid() == 0  # the parent is outside

def refused(what, *more):
    try:
        what()
    except (PermissionError, *more):
        return True
    except OSError:
        return False
    return False

def forget_the_time():
    os.utime(secret, (1, 1))
    if os.stat(secret).st_mtime != 1:
        raise PermissionError

def start_watching():
    if ctypes.CDLL(None).inotify_init1(0) < 0:
        raise PermissionError

def say(name, holds):
    print(name, "yes" if holds else "no")

say("files", refused(lambda: open(secret)))
say("network", refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)))
say("signals", own_processes or refused(lambda: os.kill(bot, 0)))
hidden = FileNotFoundError  # with ProtectProc=invisible of a unit
say("environment", own_processes or refused(lambda: open(f"/proc/{bot}/environ"), hidden))
say("limits", refused(lambda: resource.prlimit(bot, resource.RLIMIT_NOFILE), ProcessLookupError))
say("attributes", refused(forget_the_time))
say("kernel", refused(start_watching))
say("watch", os.path.exists("/proc/self/task"))
hides = (lambda: os.memfd_create("probe"), lambda: mmap.mmap(-1, 4096))
say("memory", all(refused(hide, OSError) for hide in hides))
say("processes", own_processes)
say("user", os.getuid() != user)
"""
PROBE_S: Final = 30.0


@dataclass(frozen=True)
class Protection:
    name: str
    holds: bool
    meaning: str
    """What an engine cannot do if it holds, and can do if not."""
    is_second_line: bool = False
    """Whether others protect from the same as long as the kernel has no weakness."""


ALL: Final = (
    Protection("files", False, "read and change files that are not its own"),
    Protection("network", False, "use the network"),
    Protection("signals", False, "end the bot or another engine"),
    Protection("environment", False, "read the environment of the bot"),
    Protection("limits", False, "change the limits and the priority of the bot"),
    Protection("attributes", False, "change times and attributes of the bot's files"),
    Protection("kernel", False, "use parts of the kernel that no engine needs"),
    Protection("watch", False, "use more memory and processes than its limit"),
    Protection("memory", False, "hide memory from its limit"),
    Protection("processes", False, "see other processes", is_second_line=True),
    Protection("user", False, "own the bot's files", is_second_line=True),
)


@dataclass(frozen=True)
class Held:
    """The names of the protections by what came of them. `unavailable` are of the second line."""

    holds: list[str]
    missing: list[str]
    unavailable: list[str]

    @classmethod
    def of(cls, found: Iterable[Protection]) -> Self:
        names: dict[str, list[str]] = {"holds": [], "missing": [], "unavailable": []}
        for each in found:
            failed = "unavailable" if each.is_second_line else "missing"
            names["holds" if each.holds else failed].append(each.name)
        return cls(**names)


def what_holds() -> list[Protection]:
    """Start a program in the box of an engine and return what it could not do. Takes 0.1 s."""
    answers: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder) / "secret"
        secret.touch()
        spec = EngineSpec(name="probe", command=[sys.executable])
        command = [
            *spec.argv,
            "-I",
            "-S",
            "-c",
            PROBE,
            *map(str, (secret, os.getpid(), os.getuid())),
        ]
        for line in _output(spec, command).splitlines():
            name, _, answer = line.partition(" ")
            answers[name] = answer
    return [replace(each, holds=answers.get(each.name) == "yes") for each in ALL]


def _output(spec: EngineSpec, command: list[str]) -> str:
    box = box_of(spec)
    end, lifeline = os.pipe()
    with open(os.devnull, "wb") as report, box.limits() as limits:  # noqa: PTH123
        ends = (end, report.fileno(), *limits)
        try:
            return subprocess.run(  # noqa: S603
                [*guardian.COMMAND, *map(str, ends), "--", *command],
                pass_fds=ends,
                env=box.environment,
                capture_output=True,
                text=True,
                timeout=PROBE_S,
                check=False,
                start_new_session=True,
            ).stdout
        except (OSError, subprocess.SubprocessError):
            return ""
        finally:
            os.close(end)
            os.close(lifeline)
