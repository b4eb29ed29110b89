"""What a program uses."""

import os
import subprocess
import sys

from bot.bench.usage import ProcessUsage, added, machine_busy_s, usage_of, usage_of_family

BUSY = "import time\nwhile time.process_time() < 0.3: pass\nprint('done', flush=True)\ninput()"


def test_a_program_and_its_children_are_counted() -> None:
    worker = f'{sys.executable} -c "{BUSY}"'
    before = machine_busy_s()
    with subprocess.Popen(
        ["sh", "-c", f"{worker}; true"],  # the shell stays, and the work is done by its child
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        usage = usage_of(process.pid)
        process.communicate(b"\n")
    after = machine_busy_s()
    assert after - before > 0.25
    assert usage is not None
    assert 0.25 < usage.cpu_s < 30
    assert usage.memory_mb > 1


def test_children_in_other_sessions_are_counted_also_after_their_end() -> None:
    work = f'{sys.executable} -c "import time\nwhile time.process_time() < 0.3: pass"'
    script = f"setsid --wait {work}; echo done; read line"
    with subprocess.Popen(
        ["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        usage = usage_of_family(process.pid)
        process.communicate(b"\n")
    assert usage is not None
    assert 0.25 < usage.cpu_s < 30
    assert usage_of_family(2**30) is None


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    assert added([ProcessUsage(1.5, 20), ProcessUsage(2, 30)]) == ProcessUsage(3.5, 50)
    assert added([ProcessUsage(1.5, 20), None]) is None


def test_a_missing_session_has_no_usage() -> None:
    assert usage_of(2**30) is None
    assert usage_of(os.getsid(0)) is not None
