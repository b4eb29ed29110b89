"""Tasks on many processes."""

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.training.errors import TrainingError
from engine.training.processes import Crew, local_crew
from tests.engine.training.fakes import AtOnce

ORPHAN = """
import os, sys, time
from engine.training.errors import TrainingError
from engine.training.processes import local_crew

if __name__ == "__main__":
    with local_crew(2) as crew:
        list(crew.results(abs, [1, 2, 3, 4], lambda: False))
        os.write(1, b"at work\\n")
        os.kill(os.getpid(), 9)
"""


def never() -> bool:
    return False


def test_each_task_comes_with_its_result() -> None:
    with ThreadPoolExecutor(3) as executor:
        found = dict(Crew(executor, 3).results(math.sqrt, [1.0, 4.0, 9.0, 16.0], never))
    assert found == {1.0: 1.0, 4.0: 2.0, 9.0: 3.0, 16.0: 4.0}


def test_no_task_starts_after_the_end() -> None:
    executor, found = AtOnce(), list[int]()
    results = Crew(executor, 1).results(abs, range(1000), lambda: len(found) >= 3)
    for task, _ in results:
        found.append(task)
    assert 3 <= len(found) <= 6
    assert executor.done <= 8


def test_an_exception_of_a_task_is_raised() -> None:
    with pytest.raises(ValueError, match="math domain"):
        list(Crew(AtOnce(), 1).results(math.sqrt, [-1.0], never))


def test_processes_work_and_are_ended() -> None:
    with local_crew(1) as crew:
        ((_, process),) = crew.results(_own_process, [0], never)
        assert process != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_process_that_was_ended_is_a_sentence() -> None:
    with pytest.raises(TrainingError, match="memory"), local_crew(1) as crew:
        list(crew.results(os._exit, [3], never))


def _own_process(_: int) -> int:
    return os.getpid()


def test_processes_end_with_one_that_is_killed(tmp_path: Path) -> None:
    """They hold its output open, which is at its end once they are gone."""
    script = tmp_path / "orphan.py"
    script.write_text(ORPHAN)
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as program:
        out, _ = program.communicate(timeout=60)
    assert (out, program.returncode) == (b"at work\n", -9)
