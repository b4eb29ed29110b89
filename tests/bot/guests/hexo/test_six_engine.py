"""Our engine speaks Six: with a player that does as it is told, and once as a real program."""

import queue
import subprocess
import sys
from collections.abc import Iterator

import pytest

from bot.guests.hexo.six_engine import SixDialogue
from engine.contract import Limits
from tests.engine.ugi.test_ugi import PATIENCE, ScriptedEngine

FIVE = "0 0 0 1 0 2 1 0 2 0 0 3 1 1 3 0 4 0 5 5 6 6"
"""x has five in a row, and is to move."""


class Host:
    """Sends lines to a dialogue and collects what it answers."""

    def __init__(self, player: ScriptedEngine) -> None:
        self.output: queue.Queue[str] = queue.Queue()
        self.dialogue = SixDialogue(player, self.output.put)

    def send(self, *lines: str) -> None:
        for line in lines:
            assert self.dialogue.handle(line)

    def next(self) -> str:
        return self.output.get(timeout=PATIENCE)

    def ask(self, line: str) -> str:
        self.send(line)
        return self.next()


@pytest.fixture
def player() -> ScriptedEngine:
    player = ScriptedEngine()
    player.turn, player.reply = "1:0,0:-1", ("2:0,2:1",)
    return player


@pytest.fixture
def host(player: ScriptedEngine) -> Iterator[Host]:
    host = Host(player)
    yield host
    host.dialogue.close()


def test_the_greeting_names_engine_and_version(host: Host) -> None:
    host.send("six")
    name, version, end = (host.next() for _ in range(3))
    assert (name, end) == ("id name scripted", "sixok")
    assert version.startswith("id version ")


def test_a_turn_is_answered_in_numbers(host: Host, player: ScriptedEngine) -> None:
    host.send("newgame", "position radius 8 moves 0 0", "go movetime 500")
    report = "info nodes 1000 nps 2000 time 500 winrate 0.7500 score 110"
    assert host.next() == f"{report} pv 1 0 0 -1 2 0 2 1"
    assert host.next() == "bestmove 1 0 0 -1"
    assert player.limits == [Limits(turn_time=0.5)]
    assert player.position is not None
    assert player.position.turns == ("0:0",)


@pytest.mark.parametrize(("moves", "turn"), [("", "0:0"), (f" moves {FIVE}", "5:0")])
def test_the_opening_and_a_win_by_one_stone_have_one_cell(
    host: Host, player: ScriptedEngine, moves: str, turn: str
) -> None:
    player.turn, player.reply = turn, ()
    host.send(f"position radius 8{moves}", "go nodes 5")
    host.next()
    assert host.next() == f"bestmove {turn.replace(':', ' ')}"


def test_each_side_has_its_own_clock(host: Host, player: ScriptedEngine) -> None:
    for moves, limits in [
        ("0 0", Limits(clock=2.0, increment=0.2)),
        ("0 0 1 0 0 1", Limits(clock=1.0, increment=0.1)),
    ]:
        player.turn = "3:0,3:1"
        host.send(f"position radius 8 moves {moves}", "go xtime 1000 otime 2000 xinc 100 oinc 200")
        host.next()
        assert host.next() == "bestmove 3 0 3 1"
        assert player.limits[-1] == limits


def test_a_setup_is_any_board_that_a_game_can_reach(host: Host, player: ScriptedEngine) -> None:
    player.turn = "3:0,0:-1"
    host.send("position radius 8 setup x 0 0 2 0 1 0 o 0 1 0 2 tomove o 2", "go nodes 1")
    host.next()
    assert host.next() == "bestmove 3 0 0 -1"
    assert player.position is not None
    assert {name for name, stone in player.position.stones.items() if stone.player == 1} == {
        "0:0",
        "1:0",
        "2:0",
    }


@pytest.mark.parametrize(
    ("position", "stones"),
    [
        ("moves 0 0 1 0", ["0:0", "1:0"]),
        ("moves 0 0 1 0 0 1 2 0", ["0:0", "1:0", "0:1", "2:0"]),
        ("setup x 0 0 o 1 0 tomove o 1", ["0:0", "1:0"]),
        ("setup x 0 0 2 0 o 1 0 0 1 tomove x 1", ["0:0", "1:0", "0:1", "2:0"]),
    ],
)
def test_in_the_middle_of_a_turn_the_answer_is_the_second_stone(
    host: Host, player: ScriptedEngine, position: str, stones: list[str]
) -> None:
    player.turn, player.reply = "3:0", ()
    host.send(f"position radius 8 {position}", "go xtime 1000 otime 2000")
    host.next()
    assert host.next() == "bestmove 3 0"
    assert player.position is not None
    assert set(player.position.stones) == set(stones)
    assert player.limits == [Limits(clock=2.0 if len(stones) == 2 else 1.0)]


def test_a_first_stone_that_wins_leaves_nothing_to_search(host: Host) -> None:
    host.send(f"position radius 8 moves {FIVE} 5 0")
    assert host.ask("go nodes 1") == "error go ignored: the game is over"


def test_the_host_may_stop_a_search_at_any_time(host: Host, player: ScriptedEngine) -> None:
    player.waits = True
    host.send("position radius 8 moves 0 0", "go", "isready")
    assert {host.next(), host.next()} >= {"readyok"}
    assert host.ask("go") == "error go ignored: a search is running"
    host.send("stop")
    assert host.next() == "bestmove 1 0 0 -1"
    host.send("stop")
    assert host.ask("isready") == "readyok"


def test_options_are_two_words(host: Host, player: ScriptedEngine) -> None:
    host.send("setoption Speed 7", "setoption mood wild")
    assert player.settings == {"Speed": 7, "Mood": "wild"}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("ugi", "unknown command ugi"),
        ("setoption Speed", "setoption takes: NAME VALUE"),
        ("setoption Speed 99", "option Speed takes a whole number from 1 to 9, not '99'"),
        ("setoption Depth 3", "unknown option Depth"),
        ("position startpos", "position takes: radius 8 [moves q r ... | setup x ... o ...]"),
        ("position radius 5", "radius 5 is not supported; 8 is"),
        ("position radius 8 moves 0", "a stone is two numbers, and one is missing"),
        ("position radius 8 moves 0 x", "a number is needed, not x"),
        ("position radius 8 moves 0 99999999999", "99999999999 is too far away"),
        ("position radius 8 moves" + " 0 0" * 1025, "there are more than 1024 stones"),
        ("position radius 8 setup o 0 0", "setup takes: x q r ... o q r ... [tomove SIDE N]"),
        (
            "position radius 8 setup x 0 0 o 1 0 2 0 tomove o 2",
            "after these stones it is: tomove x 2",
        ),
        (
            "position radius 8 setup x 0 0 o 1 0 tomove o 2",
            "after these stones it is: tomove o 1",
        ),
        ("go depth 3", "go takes movetime, nodes or clocks, not depth"),
        ("go movetime soon", "go ignored: movetime takes a whole number, not 'soon'"),
    ],
)
def test_a_command_that_cannot_be_obeyed_is_an_error(host: Host, line: str, complaint: str) -> None:
    assert host.ask(line) == f"error {complaint}"
    assert host.ask("isready") == "readyok"


def test_no_search_follows_a_position_that_is_refused(host: Host) -> None:
    refusal = host.ask("position radius 8 moves 0 0 0 0 1 0")
    assert refusal.startswith("error illegal turn 2: 0:0,1:0 (")
    assert host.ask("go nodes 1") == "error go ignored: the position could not be reached"
    begun = host.ask("position radius 8 moves 0 0 1 0 0 1 40 0")
    assert begun.startswith("error illegal turn 3: 40:0 (")
    unreachable = host.ask("position radius 8 setup x 0 0 o 1 0 40 0")
    assert unreachable.startswith("error no game leads to this setup: ")


def test_the_program_speaks_six() -> None:
    lines = "six\nisready\nposition radius 8 moves 0 0\ngo nodes 10\n"
    command = [sys.executable, "-m", "engine.ugi", "--engine", "random", "--protocol", "six"]
    ended = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=100)
    words = [line.split() for line in ended.stdout.splitlines()]
    assert ["sixok"] in words
    assert words[-1][0] == "bestmove"
    assert len(words[-1]) == 5
    assert ended.returncode == 0
