"""Faults of the machine, made on purpose: `bluestone doctor` finds each."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.doctor import processes
from bot.doctor.processes import Process, holder_of, memory_limits
from bot.runtime.files import held
from tests.bot.doctor.conftest import Doctor

BOT = """
[engines.search]
options = {{ {option} }}
[[platforms]]
url = "http://127.0.0.1:9"
token_file = "{token}"
"""


@pytest.fixture
def bot(tmp_path: Path) -> Callable[[str], Path]:
    def write(option: str) -> Path:
        token, file = tmp_path / "token", tmp_path / "bot.toml"
        token.write_text("secret")
        file.write_text(BOT.format(option=option, token=token))
        return file

    return write


def test_more_threads_than_cores(doctor: Doctor, bot: Callable[[str], Path]) -> None:
    report = doctor.now("--bot", bot("Threads = 5000"), "--only", "processor")
    assert report.only.startswith("warn  processor")
    assert "for 5000 engine threads" in report.only
    assert report.code == 0


def test_engines_that_need_more_memory_than_there_is(
    doctor: Doctor, bot: Callable[[str], Path]
) -> None:
    report = doctor.now("--bot", bot("Hash = 900_000_000"), "--only", "memory")
    assert report.lines[0].startswith("FAIL  memory")
    assert "lower `processes` and the option Hash" in report.lines[0]
    assert report.code == 1


def test_the_limit_of_a_control_group_counts(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = tmp_path / "proc" / "self"
    group.mkdir(parents=True)
    (group / "cgroup").write_text("0::/system.slice/bluestone.service\n")
    limits = tmp_path / "system" / "system.slice"
    limits.mkdir(parents=True)
    (limits / "memory.max").write_text("104857600\n")
    (limits / "memory.current").write_text("94371840\n")
    monkeypatch.setattr(processes, "PROC", tmp_path / "proc")
    monkeypatch.setattr(processes, "SYSTEM", tmp_path / "system")
    assert list(memory_limits(None)) == [(104857600, 94371840)]
    report = doctor.now("--data", tmp_path / "data", "--only", "memory")
    [line] = report.bad()
    found = "the control group of this shell: 10 MB free, 300 MB needed by the arena"
    assert line.startswith(f"FAIL  memory       {found} -> stop other programs")


@pytest.mark.parametrize(
    ("free", "inodes", "status", "code"),
    [(50, 10**6, "FAIL", 1), (500, 10**6, "warn", 0), (90_000, 50, "FAIL", 1)],
)
def test_a_disk_that_is_full(
    doctor: Doctor,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    free: int,
    inodes: int,
    status: str,
    code: int,
) -> None:
    block = 1 << 20
    values = (block, block, 100_000, free, free, 10**6, inodes, inodes, 0, 255)
    monkeypatch.setattr(os, "statvfs", lambda _path: os.statvfs_result(values))
    report = doctor.now("--data", tmp_path, "--only", "disk")
    assert {line[:4] for line in report.bad()} == {status}
    assert str(tmp_path) in report.bad()[0]
    assert report.code == code


@pytest.mark.parametrize(("limit", "status", "code"), [(90, "FAIL", 1), (1000, "warn", 0)])
def test_too_few_file_descriptors(tmp_path: Path, limit: int, status: str, code: int) -> None:
    words = f"-m bot doctor --data {tmp_path} --only descriptors"
    command = f"ulimit -n {limit}; exec {sys.executable} {words}"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.startswith(f"{status}  descriptors  limit of open files of this shell")
    assert "2,000 connections need 4,0" in done.stdout
    assert "set LimitNOFILE=" in done.stdout
    assert done.returncode == code


def test_the_clock_of_the_kernel_is_asked_and_not_set(doctor: Doctor, tmp_path: Path) -> None:
    report = doctor.now("--data", tmp_path, "--only", "clock")
    assert "synchroni" in report.only


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="this system has no /proc/locks")
def test_the_holder_of_a_lock_is_found_without_taking_it(tmp_path: Path) -> None:
    assert holder_of(tmp_path / "some.lock") is None
    with held(tmp_path, "some.lock", "held"):
        assert holder_of(tmp_path / "some.lock") == Process(os.getpid())
    assert holder_of(tmp_path / "some.lock") is None
