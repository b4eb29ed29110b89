"""A clock that goes on only while nobody has anything to do."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import TypeVar

import pytest

from bot.runtime.simulated_time import NothingLeft, SimulatedLoop, SimulatedTime

T = TypeVar("T")

DAY_S = 86_400.0


def run(work: Coroutine[object, object, T]) -> T:
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(work)


def clock() -> SimulatedTime:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimulatedLoop)
    return SimulatedTime(loop)


def test_sleepers_wake_in_the_order_of_their_times() -> None:
    async def main() -> list[tuple[str, float]]:
        time, woken = clock(), list[tuple[str, float]]()

        async def sleep(name: str, days: float) -> None:
            await time.sleep(days * DAY_S)
            woken.append((name, time.monotonic() / DAY_S))

        await asyncio.gather(sleep("last", 14), sleep("first", 1), sleep("second", 1.5))
        return woken

    assert run(main()) == [("first", 1), ("second", 1.5), ("last", 14)]


def test_the_time_of_day_goes_with_it() -> None:
    async def main() -> float:
        time = clock()
        before = time.wall()
        await time.sleep(DAY_S)
        return (time.wall() - before).total_seconds()

    assert run(main()) == DAY_S


def test_a_deadline_of_asyncio_is_one_in_simulated_time() -> None:
    async def main() -> float:
        time = clock()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(DAY_S):
                await asyncio.Event().wait()
        return time.monotonic()

    assert run(main()) == DAY_S


def test_no_time_passes_while_a_thread_is_at_work() -> None:
    """The thread goes on only once the sleeper has had every chance to be woken too early."""

    async def main() -> list[str]:
        done, go_on = list[str](), threading.Event()

        async def sleep() -> None:
            await clock().sleep(1)
            done.append("sleeper")

        async def work() -> None:
            await asyncio.to_thread(go_on.wait)
            done.append("thread")

        tasks = [asyncio.create_task(sleep()), asyncio.create_task(work())]
        for _ in range(100):
            await asyncio.sleep(0)
        threading.Timer(0.05, go_on.set).start()
        await asyncio.gather(*tasks)
        return done

    assert run(main()) == ["thread", "sleeper"]


def test_time_stops_for_a_job_without_a_waiting_task() -> None:
    async def main() -> list[str]:
        done, begun, go_on = list[str](), threading.Event(), threading.Event()

        def job() -> None:
            begun.set()
            go_on.wait()
            done.append("job")

        given_up = asyncio.create_task(asyncio.to_thread(job))
        await asyncio.sleep(0)
        begun.wait()
        given_up.cancel()
        threading.Timer(0.05, go_on.set).start()
        await clock().sleep(1)
        done.append("sleeper")
        return done

    assert run(main()) == ["job", "sleeper"]


def test_a_new_machine_has_a_monotonic_clock_of_its_own() -> None:
    async def main() -> tuple[float, float]:
        first = clock()
        await first.sleep(DAY_S)
        second = clock()
        assert second.wall() == first.wall()
        return first.monotonic(), second.monotonic()

    assert run(main()) == (DAY_S, 0)


def test_waiting_for_nothing_ends() -> None:
    with pytest.raises(NothingLeft):
        run(asyncio.Event().wait())


def loop() -> SimulatedLoop:
    running = asyncio.get_running_loop()
    assert isinstance(running, SimulatedLoop)
    return running


def test_quiet_comes_without_time_after_all_that_can_happen() -> None:
    async def main() -> tuple[bool, float]:
        work = asyncio.create_task(asyncio.to_thread(lambda: sum(range(100_000))))
        late = asyncio.create_task(asyncio.sleep(1))
        await loop().quiet()
        return work.done() and not late.done(), loop().time()

    assert run(main()) == (True, 0)


def test_what_a_socket_of_the_program_sends_arrives_before_time_passes() -> None:
    async def main() -> tuple[bytes, float]:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(await reader.readexactly(4))
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(b"ping")
            async with asyncio.timeout(0.000_001):
                said = await reader.read()
            writer.close()
            return said, loop().time()

    assert run(main()) == (b"ping", 0)


def test_time_stops_while_a_thread_with_a_queue_has_jobs() -> None:
    async def main() -> list[str]:
        jobs, done = ["job"], list[str]()
        loop().count_jobs(lambda: len(jobs))

        def finish() -> None:
            done.append(jobs.pop())

        threading.Timer(0.05, loop().call_soon_threadsafe, (finish,)).start()
        await clock().sleep(DAY_S)
        done.append("sleeper")
        return done

    assert run(main()) == ["job", "sleeper"]


def test_time_passes_at_once_in_a_long_computation() -> None:
    async def main() -> float:
        waking = asyncio.create_task(asyncio.sleep(10))
        await loop().quiet()
        loop().lapse(15)
        await waking
        return loop().time()

    assert run(main()) == 15


def test_the_shortest_sleep_lets_time_pass() -> None:
    """A rest of a sum of floats is slept for again and again until it is gone."""

    async def main() -> float:
        until = loop().time() + 1e-14
        while (left_s := until - loop().time()) > 0:
            await clock().sleep(left_s)
        return loop().time()

    assert run(main()) > 0


def test_a_child_process_ends_before_a_later_deadline() -> None:
    async def main() -> int:
        child = await asyncio.create_subprocess_exec("sh", "-c", "sleep 0.05; exit 3")
        async with asyncio.timeout(60):
            return await child.wait()

    assert run(main()) == 3
