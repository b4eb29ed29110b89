"""`python -m lab fuzz`: libFuzzer's reports are read, and findings fail the command."""

from pathlib import Path

import pytest

from bot.errors import ConfigurationError
from lab import fuzz as lab
from lab.fuzz import Found, fuzz_report
from tests.fuzz.targets import TARGETS, target

DONE = """#9\tNEW    cov: 28 ft: 56 corp: 12/51b lim: 8 exec/s: 0 rss: 115Mb
Done 275138 runs in 6 second(s)
stat::number_of_executed_units: 275138
stat::slowest_unit_time_sec:    2
"""
BROKEN = """INFO: found LLVMFuzzerCustomMutator
 === Uncaught Python exception: ===
ValueError: year 99999 is out of range
Traceback (most recent call last):
"""
SLOW = "==17== ERROR: libFuzzer: timeout after 11 seconds\n"


def test_a_report_is_read() -> None:
    found = Found("turns")
    lab._add(found, DONE)
    assert (found.executions, found.coverage, found.features) == (275138, 28, 56)
    assert found.slowest_s == 2
    assert lab._problem(DONE) is None


@pytest.mark.parametrize(
    ("output", "problem"),
    [(BROKEN, "ValueError: year 99999"), (SLOW, "libFuzzer: timeout after"), ("", "without")],
)
def test_the_end_of_libfuzzer_is_named(output: str, problem: str) -> None:
    assert problem in str(lab._problem(output))


def test_findings_fail_the_command() -> None:
    assert fuzz_report([Found("turns", seconds=1, executions=5)]).passed
    report = fuzz_report([Found("turns", findings=("ValueError: x",))])
    assert not report.passed
    assert "turns: ValueError: x" in report.text


def test_an_unknown_target_is_refused_with_the_known_ones() -> None:
    assert target("turns").name == "turns"
    with pytest.raises(ConfigurationError, match="the targets are arena-packet, ") as refused:
        target("nothing")
    assert all(each.name in str(refused.value) for each in TARGETS)


def test_inputs_that_cover_more_are_added_to_the_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("atheris", reason="the extra `fuzz` is not installed")
    stored, found = tmp_path / "corpora" / "clocks", tmp_path / "inputs" / "clocks"
    for folder, text in ((stored, "none"), (found, "10+0.1"), (found, "20+0.2")):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / text.replace("+", "-")).write_text(text)
    monkeypatch.setattr(lab, "CORPORA", stored.parent)
    lab.keep(target("clocks"), tmp_path)
    assert len(list(stored.iterdir())) == 2
