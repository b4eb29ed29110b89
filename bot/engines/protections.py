"""Which protections of the engines' box hold on this machine, found by trying each of them."""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bot.engines.sandbox import box_of
from bot.engines.spec import EngineSpec
from bot.runtime import guardian

PROBE: Final = """
import os, socket, sys
secret, bot = sys.argv[1], int(sys.argv[2])

def refused(what, *more):
    try:
        what()
    except (PermissionError, *more):
        return "yes"
    except OSError:
        return "no"
    return "no"

print("files", refused(lambda: open(secret)))
print("network", refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)))
print("signals", refused(lambda: os.kill(bot, 0)))
hidden = FileNotFoundError  # with ProtectProc=invisible of a unit
print("environment", refused(lambda: open(f"/proc/{bot}/environ"), hidden))
print("watch", "yes" if os.path.exists("/proc/self/task") else "no")
"""
PROBE_S: Final = 30.0


@dataclass(frozen=True)
class Protection:
    name: str
    holds: bool
    meaning: str
    """What an engine cannot do if it holds, and can do if not."""


ALL: Final = (
    Protection("files", False, "read and change files that are not its own"),
    Protection("network", False, "use the network"),
    Protection("signals", False, "end the bot or another engine"),
    Protection("environment", False, "read the environment of the bot"),
    Protection("watch", False, "use more memory and processes than its limit"),
)


def what_holds() -> list[Protection]:
    """Start a program in the box of an engine and return what it could not do. Takes 0.1 s."""
    answers: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder) / "secret"
        secret.touch()
        spec = EngineSpec(name="probe", command=[sys.executable])
        command = [*spec.argv, "-I", "-S", "-c", PROBE, str(secret), str(os.getpid())]
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
