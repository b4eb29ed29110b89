#!/usr/bin/python3
"""Stands in for `systemctl` in a root without systemd, for the units of config/.

It does what these units need: folders, environment, credentials that exist while the unit runs, and
a start that returns when the program is ready. The sandbox of the units is not there.
"""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

UNITS = Path("/etc/systemd/system")
RUN = Path("/run/units")
READY_S = 900
STOP_S = 60


def values(text: str, key: str) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)


def start(unit: str) -> None:
    text = (UNITS / f"{unit}.service").read_text()
    for key, above in (("StateDirectory", "/var/lib"), ("CacheDirectory", "/var/cache")):
        for name in values(text, key):
            Path(above, name).mkdir(parents=True, exist_ok=True)
    for value in values(text, "LoadCredential"):
        name, _, source = value.partition(":")
        folder = Path("/run/credentials", f"{unit}.service")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, folder / name)
    added = [value.partition("=") for value in values(text, "Environment")]
    environment = {**os.environ, **{name: value for name, _, value in added}}
    [command] = values(text, "ExecStart")
    words = shlex.split(command.lstrip("+!-"))
    if values(text, "Type") == ["oneshot"]:
        subprocess.run(words, env=environment, check=True)
        return
    RUN.mkdir(parents=True, exist_ok=True)
    address = RUN / f"{unit}.socket"
    address.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        notices.bind(str(address))
        notices.settimeout(READY_S)
        environment["NOTIFY_SOCKET"] = str(address)
        log = (RUN / f"{unit}.log").open("ab")
        running = subprocess.Popen(words, env=environment, stdout=log, stderr=log)
        (RUN / f"{unit}.pid").write_text(str(running.pid))
        while b"READY=1" not in notices.recv(4096):
            if running.poll() is not None:
                log.flush()
                said = (RUN / f"{unit}.log").read_text()
                sys.exit(f"{unit} ended with {running.returncode}: {said}")


def stop(unit: str) -> None:
    file = RUN / f"{unit}.pid"
    if file.exists():
        pid = int(file.read_text())
        file.unlink()
        os.kill(pid, signal.SIGTERM)
        until = time.monotonic() + STOP_S
        while time.monotonic() < until and Path(f"/proc/{pid}").exists():
            time.sleep(0.1)
    shutil.rmtree(Path("/run/credentials", f"{unit}.service"), ignore_errors=True)


def main() -> None:
    verb, *units = [word for word in sys.argv[1:] if not word.startswith("-")]
    for unit in units:
        if verb in {"stop", "restart"}:
            stop(unit)
        if verb in {"start", "enable", "restart"} and not unit.endswith(".timer"):
            start(unit)
        if not (UNITS / (unit if "." in unit else f"{unit}.service")).exists():
            sys.exit(f"there is no unit {unit}")


main()
