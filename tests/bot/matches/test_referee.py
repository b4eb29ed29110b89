"""The referee: a normal game, and every other way in which a game can end."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

import engine
from bot.engines.spec import EngineSpec
from bot.errors import HostError
from bot.matches.referee import STILL_THERE_MS, Officials, play_game
from bot.matches.task import GameReport, fingerprint_of
from bot.records.writing import verify
from bot.time_controls import Absolute, Fischer, PerTurn
from bot.time_source import SystemTime
from bot.tournaments.conduct import Adjudication, DrawAgreement, HostConduct, Resignation
from bot.tournaments.model import ScheduledGame
from tests.bot.matches.games import TURNS, played, played_slowly, playing, seated, task
from tests.fakes.early_end import DECIDED
from tests.fakes.early_end import TURNS as TURNS_OF_STARS
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

RANDOM = EngineSpec(name="random", builtin="random")


def end(report: GameReport) -> tuple[int | None, str]:
    assert report.result is not None
    return report.result.winner, report.result.reason


def message(report: GameReport) -> str:
    assert report.result is not None
    assert report.record is not None
    assert report.record.result is not None
    assert report.result.message == report.record.result.message
    return report.result.message


# ---- normal games ------------------------------------------------------------------------------


async def test_a_game_is_played_from_its_opening_and_recorded() -> None:
    report = await played(task(playing(), playing(), opening=TURNS[:2]))
    assert end(report)[1] == "played_out"
    record = report.record
    assert record is not None
    assert verify(record) == []
    assert record.id == "cup-7"
    assert [player.name for player in record.players] == ["Ann", "Bob"]
    sources = [turn.source for turn in record.turns[:3]]
    assert sources == ["opening", "opening", "engine"]
    third = record.turns[2]
    assert (third.turn, third.value, third.visits) == (TURNS[2], 0.625, 100)
    assert third.clock is None


async def test_built_in_engines_play_a_game_to_its_end_by_the_clock() -> None:
    report = await played(
        task(RANDOM, RANDOM, clock=Fischer(initial_s=60, increment_s=1), board="pent-3")
    )
    assert end(report)[1] == "played_out"
    assert report.record is not None
    assert all(turn.clock is not None for turn in report.record.turns)
    assert all("Seed" in (player.engine or RANDOM).options for player in report.record.players)


async def test_an_engine_gets_the_game_its_seed_and_both_clocks(tmp_path: Path) -> None:
    log = tmp_path / "log"
    clock = Fischer(initial_s=60, increment_s=1)
    await played_slowly(task(playing("waits", "--log", log), playing(), clock=clock), log, 60.2)
    read = log.read_text().splitlines()
    assert "setoption name Board value pent-6" in read
    assert "go p1time 60000 p2time 60000 p1inc 1000 p2inc 1000" in read
    assert read.index("uginewgame") < read.index("position startpos")
    assert read[-1] == "stop"


async def test_a_game_by_nodes_does_not_depend_on_earlier_games() -> None:
    search = EngineSpec(name="search")
    game, time = task(search, search, board="pent-4"), SystemTime()
    async with seated(game, time) as seats:
        first = await play_game(game, seats, time)
        other = game.model_copy(
            update={"scheduled": ScheduledGame(number=8, pair=2, seats=("B", "A"))}
        )
        second = await play_game(other, seats[::-1], time)
        again = await play_game(game, seats[::-1], time)
    assert first.record is not None
    assert second.record is not None
    assert again.record is not None
    assert (
        fingerprint_of(first.record)
        == fingerprint_of(again.record)
        != fingerprint_of(second.record)
    )


# ---- pondering ---------------------------------------------------------------------------------


def pondering(
    mode: str, folder: Path, other: str = "ok", turns: Sequence[str] = TURNS
) -> tuple[EngineSpec, EngineSpec]:
    """An engine that ponders, with a log in that folder, and one that waits until it ponders."""
    fifo = folder / "pondering"
    os.mkfifo(fifo)
    spec = playing(mode, "--log", folder / "log", "--expects", TURNS[1], "--tell", fifo)
    waiting = playing(other, "--wait-for", fifo, turns=turns)
    return spec.model_copy(update={"ponder": True}), waiting


def searches(log: Path) -> list[str]:
    """The commands about searches that the engine read."""
    words = ("go", "stop", "ponderhit")
    return [line for line in log.read_text().splitlines() if line.split()[0] in words]


async def test_an_engine_with_the_setting_ponders_while_the_other_thinks(tmp_path: Path) -> None:
    report = await played(task(*pondering("ponders", tmp_path)))
    assert end(report)[1] == "played_out"
    assert report.record is not None
    assert [turn.turn for turn in report.record.turns[:3]] == [*TURNS[:3]]
    # Its next expectation is illegal, and no search begins.
    expected = ["go nodes 100", "go ponder nodes 100", "ponderhit"]
    assert searches(tmp_path / "log")[:3] == expected


async def test_after_an_unexpected_turn_pondering_stops_and_a_normal_search_begins(
    tmp_path: Path,
) -> None:
    turns = (TURNS[0], "2-0,3-2", "5-3,2-1")
    report = await played(task(*pondering("ponders", tmp_path, turns=turns)))
    assert end(report)[1] == "played_out"
    expected = ["go nodes 100", "go ponder nodes 100", "stop", "go nodes 100"]
    assert searches(tmp_path / "log")[:4] == expected


@pytest.mark.parametrize(
    ("mode", "turn", "reason"),
    [
        ("ponders-on", "2-0,3-2", "stall"),
        ("dies-pondering", TURNS[1], "crash"),
        ("dies-pondering", "2-0,3-2", "disconnect"),
    ],
)
async def test_a_fault_while_pondering_loses_at_the_engines_next_turn(
    tmp_path: Path, mode: str, turn: str, reason: str
) -> None:
    report = await played(task(*pondering(mode, tmp_path, turns=(TURNS[0], turn))))
    assert end(report)[0] == 2
    assert end(report)[1] in (reason, "crash")
    assert report.record is not None
    assert len(report.record.turns) == 2


async def test_pondering_stops_at_the_end_of_the_game(tmp_path: Path) -> None:
    game, time = task(*pondering("ponders", tmp_path, "resigns")), SystemTime()
    async with seated(game, time) as seats:
        assert end(await play_game(game, seats, time)) == (1, "resignation")
        assert all(process.alive for process in seats)
        assert searches(tmp_path / "log") == ["go nodes 100", "go ponder nodes 100", "stop"]
        assert end(await play_game(game, seats, time)) == (1, "resignation")


# ---- resignations and draw offers --------------------------------------------------------------


async def test_an_engine_can_resign() -> None:
    report = await played(task(playing(), playing("resigns")))
    assert end(report) == (1, "resignation")
    assert message(report) == "Bob: resigned"
    assert report.record is not None
    assert len(report.record.turns) == 1


async def test_a_draw_needs_offers_in_two_successive_turns() -> None:
    drawn = await played(task(playing("draws"), playing("draws")))
    assert end(drawn) == (None, "draw_agreement")
    assert drawn.record is not None
    assert [turn.turn for turn in drawn.record.turns] == ["0-0"]
    refused = await played(task(playing("draws"), playing()))
    assert end(refused)[1] == "played_out"


# ---- time --------------------------------------------------------------------------------------


async def test_a_late_turn_loses_on_time_and_says_by_how_much(tmp_path: Path) -> None:
    log = tmp_path / "log"
    game = task(playing("waits", "--log", log), playing(), clock=Absolute(initial_s=60))
    report = await played_slowly(game, log, 61.5)
    assert end(report) == (2, "time_forfeit")
    assert message(report) == "Ann: took 61500 ms of 60000 ms: 1500 ms too long"


async def test_a_turn_within_the_margin_is_no_loss_and_takes_the_clock(tmp_path: Path) -> None:
    log = tmp_path / "log"
    one = playing("waits", "--log", log)
    clock, conduct = Fischer(initial_s=60, increment_s=2), HostConduct(margin_ms=2000)
    game = task(one, playing("resigns"), clock=clock, conduct=conduct)
    report = await played_slowly(game, log, 62)
    assert end(report) == (1, "resignation")
    assert report.record is not None
    first = report.record.turns[0]
    assert first.time_ms == 62_000
    assert first.clock is not None
    assert first.clock.main_ms == 2001


class LateHost:
    """A host that was 5 s late."""

    def worst_ms(self, since: float) -> int:
        return 5000 if since < 1060 else 0


async def test_a_delay_of_the_host_is_not_charged_to_the_engine(tmp_path: Path) -> None:
    log = tmp_path / "log"
    one = playing("waits", "--log", log)
    game = task(one, playing("resigns"), clock=PerTurn(turn_s=60))
    report = await played_slowly(game, log, 61.5, Officials(lateness=LateHost()))
    assert end(report) == (1, "resignation")


# ---- faults ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "reason", "words"),
    [
        ("illegal", "illegal_turn", "plays an illegal turn"),
        ("no-turn", "illegal_turn", "names no turn"),
        ("rubbish", "illegal_turn", "prints an invalid line"),
        ("claims-win", "illegal_turn", "names no turn: 'bestmove I have won'"),
        ("flood", "illegal_turn", "lines per second"),
        ("floods-after", "illegal_turn", "lines per second"),
        ("endless-line", "illegal_turn", "a line of more than 65536 bytes"),
        ("refuses", "illegal_turn", "refuses the position"),
        ("dies", "crash", "its process ended with status 3; its last lines: cannot go on"),
        ("dies-after", "crash", "its process ended with status 3"),
        ("mute-after", "disconnect", "closed its output"),
        ("leaves-after", "disconnect", "its process ended with status 0"),
    ],
)
async def test_a_fault_loses_the_game_with_its_reason(mode: str, reason: str, words: str) -> None:
    game = task(playing(mode), playing())
    time = SystemTime()
    async with seated(game, time) as seats:
        report = await play_game(game, seats, time)
        assert [process.alive for process in seats] == [False, True]
    assert end(report) == (2, reason)
    assert message(report).startswith("Ann: ")
    assert words in message(report)
    assert report.record is not None
    assert verify(report.record) == []


async def test_an_engine_that_never_answers_loses_on_time(tmp_path: Path) -> None:
    log = tmp_path / "log"
    game = task(playing("silent", "--log", log), playing(), clock=Absolute(initial_s=60))
    report = await played_slowly(game, log, 62.5)
    assert end(report) == (2, "time_forfeit")
    assert "Ann: no answer in 62500 ms of 60000 ms: at least 2500 ms too long" in message(report)


async def test_a_game_is_void_if_the_host_stood_still_while_a_clock_ran_out(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    game = task(playing("silent", "--log", log), playing(), clock=Absolute(initial_s=60))
    report = await played_slowly(game, log, 62.5, Officials(lateness=LateHost()))
    assert report.result is None
    assert report.void == "this machine stood still for 5000 ms while an engine was waited for"


async def test_an_engine_without_a_clock_that_never_answers_stalls(tmp_path: Path) -> None:
    log = tmp_path / "log"
    conduct = HostConduct(patience_ms=60_000)
    game = task(playing("silent", "--log", log), playing(), conduct=conduct)
    report = await played_slowly(game, log, 71)
    assert end(report) == (2, "stall")
    assert "no answer to `go" in message(report)


async def test_an_unasked_turn_is_not_played() -> None:
    report = await played(task(playing("out-of-turn"), playing()))
    assert end(report)[1] == "played_out"
    assert report.record is not None
    assert [turn.turn for turn in report.record.turns[:3]] == list(TURNS[:3])


async def test_an_engine_that_ended_between_games_loses_by_disconnect() -> None:
    game, time = task(playing(), playing()), SystemTime()
    async with seated(game, time) as seats:
        seats[1]._dialogue.quit()
        await eventually(lambda: not seats[1].alive)
        assert end(await play_game(game, seats, time)) == (1, "disconnect")


# ---- adjudication ------------------------------------------------------------------------------


class Judge:
    def __init__(self, chance: float) -> None:
        self.asked = 0
        self._chance = chance

    async def chance(self, position: engine.Position) -> float:
        del position
        self.asked += 1
        return self._chance


class NoJudge:
    async def chance(self, position: engine.Position) -> float:
        raise HostError(f"no engine for {position}")


SURE = HostConduct(adjudicate=Adjudication(sure=0.9, turns=2, min_ply=0))
WINS, LOSES = playing("ok", "--winrate", "0.95"), playing("ok", "--winrate", "0.05")


async def test_a_win_is_adjudicated_when_engines_and_host_agree() -> None:
    judge = Judge(0.97)
    report = await played(task(WINS, LOSES, conduct=SURE), Officials(judge))
    assert end(report) == (1, "adjudication")
    assert report.record is not None
    assert (len(report.record.turns), judge.asked) == (4, 1)
    other = await played(task(LOSES, WINS, conduct=SURE), Officials(Judge(0.02)))
    assert end(other) == (2, "adjudication")


@pytest.mark.parametrize("judge", [Judge(0.6), NoJudge(), None])
async def test_no_win_is_adjudicated_if_the_host_does_not_agree(
    judge: Judge | NoJudge | None,
) -> None:
    report = await played(task(WINS, LOSES, conduct=SURE), Officials(judge))
    assert end(report)[1] == "played_out"


async def test_no_win_is_adjudicated_if_both_engines_expect_to_win() -> None:
    report = await played(task(WINS, WINS, conduct=SURE), Officials(Judge(1)))
    assert end(report)[1] == "played_out"


@pytest.mark.parametrize(
    ("conduct", "winner", "reason", "plies"),
    [
        (HostConduct(resign=Resignation(below=0.1, turns=1, min_ply=0)), 1, "resignation", 2),
        (HostConduct(resign=Resignation(below=0.1, turns=1, min_ply=4)), 1, "resignation", 4),
        (
            HostConduct(agree=DrawAgreement(margin=0.49, turns=1, min_ply=0)),
            None,
            "draw_agreement",
            2,
        ),
        (HostConduct(most_turns=3), None, "adjudication", 3),
    ],
)
async def test_the_rules_of_the_conduct_end_games(
    conduct: HostConduct, winner: int | None, reason: str, plies: int
) -> None:
    report = await played(task(WINS, LOSES, conduct=conduct))
    assert end(report) == (winner, reason)
    assert report.record is not None
    assert len(report.record.turns) == plies


# ---- void --------------------------------------------------------------------------------------


async def test_a_game_is_void_if_both_engines_are_silent(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    game = task(playing("deaf-after", "--log", one), playing("deaf-after", "--log", two))
    time = FakeTime()
    async with seated(game, time) as seats:
        running = asyncio.create_task(play_game(game, seats, time))
        await eventually(lambda: one.exists() and one.read_text().count("position") == 2)
        await time.advance(game.conduct.patience_ms / 1000)
        await eventually(lambda: two.read_text().endswith("go nodes 100\nisready\n"))
        await time.advance(STILL_THERE_MS / 1000)
        report = await running
    assert report.result is None
    assert (report.void or "").startswith("both engines are silent")


@pytest.mark.parametrize(
    ("opening", "board", "why"),
    [(("9-99",), "pent-6", "the host failed"), ((), "pent-99", "unknown board 'pent-99'")],
)
async def test_an_error_of_the_host_makes_the_game_void(
    opening: tuple[str, ...], board: str, why: str
) -> None:
    report = await played(task(playing(), playing(), opening=opening, board=board))
    assert why in (report.void or "")


async def test_a_game_of_stargazers_ends_when_its_winner_is_certain() -> None:
    opening = TURNS_OF_STARS[:DECIDED]
    report = await played(
        task(RANDOM, RANDOM, opening=opening, game="stargazers", board="stars-39")
    )
    assert end(report) == (2, "played_out")
    assert "player 1 keeps at least 3, and player 2 gets at most 2" in message(report)
    assert report.record is not None
    assert len(report.record.turns) == DECIDED
    assert verify(report.record) == []
