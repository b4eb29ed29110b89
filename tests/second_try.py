"""Runs all tests, and each test that failed once more by its name: `python -m tests.second_try`.

A test that passes at the second try has a race, or has met one of the product. The list of such
tests is printed last, so that somebody mends them. A second try must not hide anything else:

- Only status 1 of pytest, "tests failed", has a second try. An interrupt, an error of pytest and a
  run without tests end with their own status.
- A file that cannot be collected has no second try.
- Every failed test is selected by its id. The run fails if one of them did not run or was skipped.
- More than MOST failures are no races.

pytest's own `--last-failed` is not enough: with `--dist loadgroup` the ids of tests in a group end
with "@group", and it does not find those.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

MOST: Final = 25
OUTCOMES: Final = "BLUESTONE_TEST_OUTCOMES"
"""The variable with the file in which the plugin of this module stores the outcomes."""
PLUGIN: Final = "tests.second_try"
TESTS_FAILED: Final = int(pytest.ExitCode.TESTS_FAILED)


@dataclass
class Outcomes:
    """The ids of the tests that passed and that failed, and of files that were not collected."""

    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    not_collected: list[str] = field(default_factory=list)


class Recorder:
    """A pytest plugin that stores the outcomes of a run."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._outcomes = Outcomes()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = _without_group(report.nodeid)
        if report.failed:
            self._outcomes.failed.append(test)
        elif report.passed and report.when == "call":
            self._outcomes.passed.append(test)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._outcomes.not_collected.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        failed = list(dict.fromkeys(self._outcomes.failed))
        passed = [each for each in self._outcomes.passed if each not in set(failed)]
        stored = Outcomes(passed, failed, self._outcomes.not_collected)
        self._file.write_text(json.dumps(vars(stored)))


def pytest_configure(config: pytest.Config) -> None:
    """Register the recorder, except in the worker processes of pytest-xdist."""
    file = os.environ.get(OUTCOMES)
    if file and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(file)))


def _without_group(test: str) -> str:
    """Remove what pytest-xdist adds to the id of a test in a group, by its own rule."""
    at = test.rfind("@")
    return test[:at] if at > test.rfind("]") else test


def run_tests(arguments: list[str]) -> tuple[int, Outcomes]:
    """Run pytest; returns its exit status and the outcomes, which are empty if it crashed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "outcomes.json"
        command = [sys.executable, "-m", "pytest", "-p", PLUGIN, *arguments]
        environment = os.environ | {OUTCOMES: str(file)}
        status = subprocess.run(command, env=environment, check=False).returncode
        stored: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return status, Outcomes(**stored)


def main(arguments: list[str]) -> int:
    """Run pytest with these arguments, and the failed tests again; returns the exit status."""
    status, outcomes = run_tests(arguments)
    if status != TESTS_FAILED or outcomes.not_collected or not outcomes.failed:
        return status
    if len(outcomes.failed) > MOST:
        print(f"{len(outcomes.failed)} tests failed: too many for a second try")
        return status
    print(f"second try, one after the other: {len(outcomes.failed)} failed tests", flush=True)
    status, again = run_tests(outcomes.failed)
    lost = [each for each in outcomes.failed if each not in again.passed]
    for test in lost:
        print(f"did not pass at the second try: {test}")
    for test in again.passed:
        print(f"passed at the second try, mend its race: {test}")
    return status or (TESTS_FAILED if lost else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
