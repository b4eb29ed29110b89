"""Coverage-guided fuzzing with atheris of every parser that reads data from outside."""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

from cyclopts import Parameter, validators

from bot.cli.measurements import FigureTable, MeasurementReport, measurement, progress
from bot.errors import ConfigurationError, HostError
from tests.fuzz.target import CORPORA, MOST_BYTES, Target
from tests.fuzz.targets import TARGETS, target

SLOWEST_S: Final = 10
"""An input that takes longer is a finding."""
MOST_MB: Final = 2048
MOST_FINDINGS: Final = 3
"""libFuzzer ends at a finding, and finds the same one again at once after a restart."""
LONGEST_KEPT: Final = 2_000
"""Longer inputs are not added to the stored corpora."""
STATUS: Final = re.compile(r"#\d+\s.* cov: (\d+) ft: (\d+) corp: (\d+)/")
EXECUTED: Final = re.compile(r"stat::number_of_executed_units: (\d+)")
SLOWEST: Final = re.compile(r"stat::slowest_unit_time_sec:\s+(\d+)")
MERGED: Final = "MERGE-OUTER: successful"
PROBLEM: Final = re.compile(
    r"^(?: === Uncaught Python exception: ===\n(.*)|.*ERROR: (libFuzzer: .*))$", re.MULTILINE
)


@dataclass
class Found:
    """What fuzzing one target gave. `features` as libFuzzer counts them."""

    target: str
    seconds: float = 0.0
    executions: int = 0
    coverage: int = 0
    features: int = 0
    new_inputs: int = 0
    slowest_s: int = 0
    findings: tuple[str, ...] = ()


def fuzz_target(tried: Target, seconds: float, out: Path) -> Found:
    """Fuzz a target for that long. Inputs that break it are written to `out`."""
    found = Found(tried.name)
    own = out / "inputs" / tried.name
    own.mkdir(parents=True, exist_ok=True)
    before = len(list(own.iterdir()))
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) >= 1 and len(found.findings) < MOST_FINDINGS:
        started = time.monotonic()
        output = _run(tried, [own, CORPORA / tried.name], out, f"-max_total_time={int(left)}")
        found.seconds += time.monotonic() - started
        _add(found, output)
        if not (problem := _problem(output)):
            break
        found.findings = (*found.findings, problem)
    found.new_inputs = len(list(own.iterdir())) - before
    return found


def _run(tried: Target, corpora: Sequence[Path], out: Path, *options: str) -> str:
    """Run libFuzzer in a process of its own, which it ends itself; returns its report."""
    words = out / f"{tried.name}.words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in ("0", *tried.words)))
    command = [sys.executable, "-m", "lab.fuzz_process", tried.name, *map(str, corpora)]
    limits = [f"-timeout={SLOWEST_S}", f"-rss_limit_mb={MOST_MB}", f"-max_len={MOST_BYTES}"]
    files = [f"-artifact_prefix={out}/{tried.name}-", f"-dict={words}", "-print_final_stats=1"]
    ended = subprocess.run(
        [*command, *limits, *files, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    output = ended.stdout.decode(errors="replace")
    (out / f"{tried.name}.log").write_text(output)
    return output


def _escaped(word: str) -> str:
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}"
        for byte in word.encode()
    )


def _add(found: Found, output: str) -> None:
    if states := STATUS.findall(output):
        found.coverage, found.features = int(states[-1][0]), int(states[-1][1])
    found.executions += sum(map(int, EXECUTED.findall(output)))
    found.slowest_s = max(found.slowest_s, *map(int, SLOWEST.findall(output) or ["0"]))


def _problem(output: str) -> str | None:
    """The exception that ended libFuzzer; None if it ended in time."""
    if "Done " in output and "Uncaught Python exception" not in output:
        return None
    found = PROBLEM.search(output)
    return (found[1] or found[2])[:200] if found else "ended without a report: " + output[-200:]


def keep(tried: Target, out: Path) -> None:
    """Add to the stored corpus the fewest new inputs that cover more.

    Raises HostError if libFuzzer cannot compare them.
    """
    stored = CORPORA / tried.name
    with TemporaryDirectory() as folder:
        merged = Path(shutil.copytree(stored, Path(folder) / tried.name))
        output = _run(tried, [merged, out / "inputs" / tried.name], out, "-merge=1")
        if MERGED not in output:
            raise HostError(f"{tried.name}: the inputs were not compared: {output[-200:]}")
        for file in merged.iterdir():
            is_new = not (stored / file.name).exists()
            if is_new and file.stat().st_size <= LONGEST_KEPT:
                shutil.copy(file, stored / file.name[:12])


def fuzzed(
    targets: Sequence[Target], seconds: float, out: Path, note: Callable[[str], None]
) -> Iterator[Found]:
    """Fuzz the targets in turn."""
    for tried in targets:
        note(f"{tried.name}: {seconds:g} s")
        yield fuzz_target(tried, seconds, out)


Seconds = Annotated[float, Parameter(validator=validators.Number(gte=1, lte=86_400))]


@measurement
def fuzz(
    *,
    target_names: Annotated[
        list[str] | None, Parameter(name="--target", help="a parser; all in turn without it")
    ] = None,
    seconds: Annotated[Seconds, Parameter(help="for each target")] = 60.0,
    out: Annotated[
        Path, Parameter(help="folder for new inputs, logs, and inputs that break a parser")
    ] = Path("build/fuzz"),
    update: Annotated[
        bool, Parameter(help="add new inputs that cover more to tests/fuzz/corpora")
    ] = False,
) -> MeasurementReport:
    """Fuzz the parsers of data from outside, guided by coverage.

    Needs atheris: `uv pip install -c constraints.txt -e '.[fuzz]'`. The exit code is 1 if an input
    raised an undocumented exception, took more than 10 s, or used more than 2 GB.
    """
    if find_spec("atheris") is None:
        raise ConfigurationError(
            "atheris is not installed: uv pip install -c constraints.txt -e '.[fuzz]'"
        )
    targets = [target(name) for name in target_names] if target_names else list(TARGETS)
    out = out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    found = []
    for each in fuzzed(targets, seconds, out, progress):
        found.append(each)
        if update:
            keep(target(each.target), out)
    return fuzz_report(found)


def fuzz_report(found: Sequence[Found]) -> MeasurementReport:
    """Return a line for each target, and its findings."""
    head = ("target", "executions", "per second", "branches", "features", "new inputs", "findings")
    rows = [
        (
            each.target,
            f"{each.executions:,}",
            f"{each.executions / max(each.seconds, 1e-9):,.0f}",
            str(each.coverage),
            str(each.features),
            str(each.new_inputs),
            str(len(each.findings)),
        )
        for each in found
    ]
    text: list[str | FigureTable] = [FigureTable(head, rows)]
    text += [f"{each.target}: {problem}" for each in found for problem in each.findings]
    is_fine = not any(each.findings for each in found)
    return MeasurementReport(text, [vars(each) for each in found], is_fine)
