"""The order and the file of many faults, and the checks of their evidence, without programs."""

import asyncio
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bot.errors import ConfigurationError
from bot.tournaments.events import Began, Event, Finished, Paired
from bot.tournaments.model import Entrant, GameResult, MatchSetup, Pairing, ScheduledGame
from tests.chaos import processes
from tests.chaos.campaign import KINDS, Plan, State
from tests.chaos.campaign import Result as Line
from tests.chaos.ledger import Ledger
from tests.chaos.processes import Marked
from tests.chaos.test_ledger import game_of
from tests.chaos.tournaments import impossible_events, went_back

STOPS = {"arena-stopped", "bot-stopped", "engine-stopped", "site-stopped"}


def test_a_plan_of_a_thousand_has_every_fault_and_thirty_stops() -> None:
    faults = [each for scene in Plan(1000).scenes() for each in scene]
    assert [number for number, _ in faults] == list(range(1000))
    counts = Counter(name for _, name in faults)
    assert counts.keys() == KINDS.keys()
    assert sum(counts[name] for name in STOPS) >= 30


def test_the_faults_of_a_scene_need_the_same_programs() -> None:
    for scene in Plan(200, seed=5).scenes():
        assert len({KINDS[name].scene for _, name in scene}) == 1


def test_an_interrupted_campaign_continues_after_its_last_whole_line(tmp_path: Path) -> None:
    file, plan = tmp_path / "state.jsonl", Plan(3, names=("cut",))
    state = State.opened(plan, file)
    state.add(Line(0, 0, "cut", [], 1.5))
    state.add(Line(0, 1, "cut", ["a turn is lost"]))
    with file.open("a") as cut_off:
        cut_off.write('{"scene": 0, "num')
    again = State.opened(plan, file)
    assert again.done() == {0, 1}
    again.add(Line(0, 2, "cut", [], 0.5))
    outcome, _ = State.opened(plan, file).outcomes()
    assert (outcome.times, outcome.survived, outcome.longest_s) == (3, 2, 1.5)
    assert outcome.lost == ["a turn is lost"]


def test_a_file_of_another_plan_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "state.jsonl"
    State.opened(Plan(3), file)
    with pytest.raises(ConfigurationError, match="another plan"):
        State.opened(Plan(4), file)


def test_a_lost_and_a_changed_event_of_a_tournament_are_found() -> None:
    before = ['{"kind":"began"}', '{"kind":"paused"}']
    assert went_back("t", before, [*before, '{"kind":"resumed"}']) == []
    assert went_back("t", before, before[:1]) == [f"tournament t: event 1 ({before[1]}) is lost"]
    assert "was" in went_back("t", before, [before[0], '{"kind":"resumed"}'])[0]


def test_two_results_of_one_game_of_a_tournament_are_found() -> None:
    began = Began(
        name="Cup",
        entrants=(Entrant(name="Ann"), Entrant(name="Ben")),
        setups=(MatchSetup(game="bluestone", board="pent-3", rules="official"),),
        seed=0,
        settings={},
        software="test",
    )
    game = ScheduledGame(number=1, pair=1, seats=("Ann", "Ben"), setup=0)
    pairing = Pairing(number=1, round=1, players=("Ann", "Ben"), games=(game,))
    result = GameResult(winner=1, reason="played_out")
    finished = Finished(game=1, game_id="g", result=result, plies=3, fingerprint="")
    events: list[Event] = [began, Paired(pairings=(pairing,)), finished]
    assert impossible_events(events)[0] == []
    assert "game 1 has 2 results" in impossible_events([*events, finished])[0]


def test_only_a_stopped_player_may_lose_on_time() -> None:
    late = {"reason": "time_forfeit", "winner": 2}
    ledger = Ledger()
    ledger.stopped = "Ann"
    ledger.saw({**game_of("0-0"), "result": late})
    assert ledger.problems == []
    ledger = Ledger()
    ledger.stopped = "Ben"
    ledger.saw({**game_of("0-0"), "result": late})
    assert ledger.problems == ["g: ended by time_forfeit"]


def with_a_child(marked: Marked) -> "subprocess.Popen[str]":
    """Start a program that ends at once, and leaves a child that ends with its input."""
    child = "subprocess.Popen([sys.executable, '-c', 'input()'], stdin=0)"
    return subprocess.Popen(
        [sys.executable, "-c", f"import subprocess, sys; print({child}.pid)"],
        env=marked.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_a_process_whose_parent_has_ended_is_left_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "GONE_S", 0.0)
    marked = Marked()
    started = with_a_child(marked)
    assert started.stdin is not None
    assert started.stdout is not None
    pid = int(started.stdout.readline())
    started.wait()
    try:
        [problem] = await marked.left_behind({started.pid}, 5)
        assert problem.startswith(f"process {pid} is left behind")
    finally:
        started.stdin.close()
        started.stdout.close()
    monkeypatch.setattr(processes, "GONE_S", 20.0)
    async with asyncio.timeout(20):
        assert await marked.left_behind((), 0) == []
