"""`python -m tests.mutants`: put bugs into copies of the sources, and show what catches each."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.mutants.catalogue import MUTANTS
from tests.mutants.sabotage import CannotApply, Check, Mutant, apply, package_of

ABOUT = """
Applies each sabotage to a copy of the sources, and runs the one check that has to notice it. The
same checks must pass on a copy without a sabotage. Exit status 1 if a sabotage is not caught, if
one can no longer be applied, or if a check fails without one.
"""
ROOT: Final = Path(__file__).parents[2]
CHECK_S: Final = 400
LAST_LINES: Final = 15


@dataclass(frozen=True)
class Run:
    """The result of a check; `said` is its whole output."""

    passed: bool
    said: str
    seconds: float

    @property
    def end(self) -> str:
        return "\n".join(self.said.splitlines()[-LAST_LINES:])


@dataclass(frozen=True)
class Verdict:
    """The verdict on a mutant, or on a check without one."""

    name: str
    check: str
    is_good: bool
    told: str
    seconds: float


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.mutants", description=ABOUT)
    parser.add_argument(
        "--only",
        default="",
        help="try only mutants whose name contains one of these texts: A,B,...",
    )
    parser.add_argument(
        "--jobs", type=int, default=2, help="number of mutants at the same time (default 2)"
    )
    options = parser.parse_args()
    wanted = options.only.split(",")
    chosen = [mutant for mutant in MUTANTS if any(text in mutant.name for text in wanted)]
    checks = list(dict.fromkeys(mutant.check for mutant in chosen))
    with ThreadPoolExecutor(options.jobs) as pool:
        controls = [pool.submit(_control, check) for check in checks]
        tried = [pool.submit(_try, mutant) for mutant in chosen]
        verdicts = [each.result() for each in (*controls, *tried)]
    _print(verdicts)
    return 0 if chosen and all(verdict.is_good for verdict in verdicts) else 1


def _control(check: Check) -> Verdict:
    """Run the check on unchanged sources."""
    with TemporaryDirectory() as folder:
        run = _run(check, _copy(Path(folder), {"bot"}))
    told = "passes" if run.passed else f"fails without a mutant:\n{run.end}"
    return _told(Verdict("no sabotage", check.name, run.passed, told, run.seconds))


def _try(mutant: Mutant) -> Verdict:
    with TemporaryDirectory() as folder:
        try:
            copy = _copy(Path(folder), {"bot", package_of(mutant, ROOT)})
            apply(mutant, copy)
        except CannotApply as error:
            told = f"cannot be applied: {error}"
            return _told(Verdict(mutant.name, mutant.check.name, False, told, 0.0))
        run = _run(mutant.check, copy)
    if run.passed:
        told, is_caught = "NOT caught", False
    elif mutant.sign not in run.said:
        told, is_caught = f"fails without {mutant.sign!r} in its output:\n{run.end}", False
    else:
        told, is_caught = f"caught: {mutant.sign}", True
    return _told(Verdict(mutant.name, mutant.check.name, is_caught, told, run.seconds))


def _copy(folder: Path, packages: Iterable[str]) -> Path:
    """Copy the packages.

    A copied engine would compile for a minute, so it is copied only to be changed.
    """
    unwanted = shutil.ignore_patterns("__pycache__", "node_modules")
    for name in {"tests", *packages}:
        shutil.copytree(ROOT / name, folder / name, ignore=unwanted)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def _run(check: Check, copy: Path) -> Run:
    began = time.monotonic()
    command = [sys.executable, "-m", *check.arguments]
    with subprocess.Popen(
        command,
        cwd=copy,
        env={**os.environ, "PYTHONPATH": f"{copy}{os.pathsep}{ROOT}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=CHECK_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said = f"{process.communicate()[0]}\nno result within {CHECK_S} s"
        finally:
            _end_what_is_left(copy)
    return Run(process.returncode == 0, said, time.monotonic() - began)


def _end_what_is_left(copy: Path) -> None:
    """End programs that a mutant left running. The path of the copy identifies them."""
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if str(copy).encode() in line.read_bytes():
                os.kill(int(line.parent.name), signal.SIGKILL)


def _told(verdict: Verdict) -> Verdict:
    line = f"{verdict.name} ({verdict.check}): {verdict.told} ({verdict.seconds:.0f} s)"
    print(line, file=sys.stderr, flush=True)
    return verdict


def _print(verdicts: Sequence[Verdict]) -> None:
    table = Table("sabotage", "check", "result", "time", box=None, pad_edge=False)
    for each in verdicts:
        result = each.told.splitlines()[0]
        table.add_row(each.name, each.check, result, f"{each.seconds:.0f} s")
    Console(highlight=False, markup=False, width=160).print(table)


if __name__ == "__main__":
    sys.exit(main())
