"""The engine protocol: with a player that does as it is told, and once as a real program."""

import io
import queue
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import IO, ClassVar

import pytest

from engine.contract import (
    Candidate,
    Choice,
    Engine,
    Info,
    InfoListener,
    Limits,
    Option,
    OptionValue,
    Signals,
)
from engine.game import Game, Position
from engine.players.random import RandomEngine
from engine.ugi import __main__ as ugi
from engine.ugi import dialogue
from engine.ugi.dialogue import HostDialogue
from engine.ugi.text import CommandRefused, parse_limits

PATIENCE = 60.0
"""Seconds that a test waits for a line before it fails."""


class ScriptedEngine(Engine):
    """Plays the turn it is given, or waits for a signal first; remembers what it was told."""

    name: ClassVar = "scripted"
    author: ClassVar = "tests"
    options: ClassVar[Sequence[Option]] = (
        Option("Speed", "spin", 3, 1, 9),
        Option("Mood", "combo", "calm", choices=("calm", "wild")),
        Option("Loud", "check", default=False),
        Option("Nick Name", "string", "none"),
    )

    def __init__(self) -> None:
        self.turn = "0-0"
        self.waits = False
        self.reply: tuple[str, ...] = ("1-0,1-2",)
        self.others: tuple[Candidate, ...] = ()
        self.failure: Exception | None = None
        self.settings: dict[str, OptionValue] = {}
        self.limits: list[Limits] = []
        self.position: Position | None = None
        self.games = 0

    def set_option(self, name: str, value: OptionValue) -> None:
        self.settings[name] = value

    def new_game(self) -> None:
        self.games += 1

    def set_position(self, position: Position) -> None:
        self.position = position

    def search(self, limits: Limits, on_info: InfoListener, signals: Signals) -> Choice:
        self.limits.append(limits)
        line = (self.turn, *self.reply)
        on_info(Info(1000, 0.5, Candidate(self.turn, 0.75, 600, line), self.others))
        if self.waits:
            assert signals.stop.wait(PATIENCE)
        if self.failure is not None:
            raise self.failure
        return Choice(self.turn, 0.75, 600, line)


class Console:
    """Sends lines to a dialogue and collects what it answers."""

    def __init__(self, player: Engine) -> None:
        self.output: queue.Queue[str] = queue.Queue()
        self.dialogue = HostDialogue(player, self.output.put)

    def send(self, *lines: str) -> None:
        for line in lines:
            assert self.dialogue.handle(line)

    def next(self) -> str:
        return self.output.get(timeout=PATIENCE)

    def until(self, word: str) -> str:
        while True:
            line = self.next()
            if line.split()[0] == word:
                return line

    def ask(self, line: str) -> str:
        self.send(line)
        return self.next()


@pytest.fixture
def player() -> ScriptedEngine:
    return ScriptedEngine()


@pytest.fixture
def console(player: ScriptedEngine) -> Iterator[Console]:
    console = Console(player)
    yield console
    console.dialogue.close()


def test_introduction_names_the_engine_and_declares_every_option(console: Console) -> None:
    console.send("ugi")
    lines = list(iter(console.next, "ugiok"))
    assert lines[:4] == [
        "id name scripted",
        "id author tests",
        (
            "option name Game type combo default bluestone "
            "var bluestone var blooms var stargazers var hexo var freego"
        ),
        "option name Board type string default pent-6",
    ]
    assert lines[4:] == [
        "option name Rules type combo default official var official var abstractplay",
        "option name captures type spin default 25 min 1 max 1000",
        "option name handicap_1 type spin default 0 min 0 max 999",
        "option name handicap_2 type spin default 0 min 0 max 999",
        "option name protocol type combo default 122 var 122 var alternating",
        "option name cap type spin default 300 min 0 max 2000",
        "option name Speed type spin default 3 min 1 max 9",
        "option name Mood type combo default calm var calm var wild",
        "option name Loud type check default false",
        "option name Nick Name type string default none",
    ]


def test_options_reach_the_player_as_values(console: Console, player: ScriptedEngine) -> None:
    console.send(
        "setoption name speed value 7",
        "setoption name Mood value wild",
        "setoption name Loud value TRUE",
        "setoption name nick name value Blue Stone",
    )
    assert player.settings == {"Speed": 7, "Mood": "wild", "Loud": True, "Nick Name": "Blue Stone"}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (
            "setoption name Speed value 10",
            "option Speed takes a whole number from 1 to 9, not '10'",
        ),
        ("setoption name Speed value x", "option Speed takes a whole number from 1 to 9, not 'x'"),
        ("setoption name Mood value sad", "option Mood takes calm, wild, not 'sad'"),
        ("setoption name Loud value 1", "option Loud takes true or false, not '1'"),
        ("setoption name Depth value 1", "unknown option Depth"),
        ("setoption Speed 3", "setoption takes: name N value V"),
        (
            "setoption name Game value go",
            "option unknown game 'go'; known: bluestone, blooms, stargazers, hexo, freego",
        ),
        ("setoption name captures value 9", "option unknown option 'captures'; known: none"),
        ("bestmove 0-0", "unknown command bestmove"),
        ("stop", "stop ignored: no search is running"),
        ("ponderhit", "ponderhit ignored: no search is running"),
        ("query score", "query takes one of p1turn, gameover, result"),
        ("position fen 1", "position takes: startpos [moves T1 T2 ...]"),
        ("go movetime soon", "go ignored: movetime takes a whole number, not 'soon'"),
        (f"go movetime {2**63}", f"go ignored: movetime is too large: {2**63}"),
        (f"go p1time {'9' * 400}", f"go ignored: p1time is too large: {'9' * 40}..."),
        ("go depth 3", "go ignored: unknown limit depth"),
        ("go p2time 1000", "go ignored: p1time is missing"),
        ("isready now", "unexpected now"),
    ],
)
def test_a_command_that_cannot_be_obeyed_is_answered_and_ignored(
    console: Console, line: str, complaint: str
) -> None:
    assert console.ask(line) == f"info string {complaint}"
    assert console.ask("isready") == "readyok"


def test_an_engine_reports_compiling(
    console: Console, player: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its host waits for as long as it goes on saying so."""
    monkeypatch.setattr(dialogue, "COMPILING_EVERY_SECONDS", 0.001)
    said = list[str]()

    def compile_until_it_was_said_twice(_: Game) -> None:
        said.extend((console.next(), console.next()))

    monkeypatch.setattr(player, "warm_up", compile_until_it_was_said_twice)
    console.send("isready")
    assert said == ["info string compiling"] * 2
    assert console.until("readyok")


def test_blank_lines_are_nothing(console: Console) -> None:
    console.send("", "   ")
    assert console.ask("isready") == "readyok"


def test_a_search_reports_and_plays(console: Console, player: ScriptedEngine) -> None:
    console.send("position startpos moves 5-3", "go movetime 900")
    assert console.next() == (
        "info nodes 1000 nps 2000 time 500 winrate 0.7500 score cp 110 pv 0-0 1-0,1-2"
    )
    # One stone on the second turn is against the rules: the host gets the first legal turn instead.
    assert console.next() == "info string the search chose an illegal turn '0-0'"
    assert console.next().startswith("bestmove 0-0,")
    player.turn = "0-0,5-9"
    console.send("go movetime 900")
    assert console.until("bestmove") == "bestmove 0-0,5-9 ponder 1-0,1-2"
    assert player.limits[-1] == Limits(turn_time=0.9)
    assert player.position is not None
    assert player.position.turns == ("5-3",)


def test_a_failing_player_still_gets_a_legal_turn_out(
    console: Console, player: ScriptedEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    player.failure = RuntimeError("out of\nideas")
    console.send("position startpos", "go nodes 5")
    assert console.until("info")
    assert console.next() == "info string the search failed: RuntimeError('out of\\nideas')"
    assert console.next() == "bestmove 0-0"
    assert "RuntimeError" in capsys.readouterr().err


def test_several_lines_are_numbered_from_the_best(console: Console, player: ScriptedEngine) -> None:
    player.reply = ()
    player.others = (Candidate("1-0", 0.5, 300, ("1-0",)), Candidate("2-0", 0.25, 9, ("2-0",)))
    console.send("position startpos", "go nodes 5")
    assert [console.next() for _ in range(4)] == [
        "info multipv 1 nodes 1000 nps 2000 time 500 visits 600 winrate 0.7500 score cp 110 pv 0-0",
        "info multipv 2 nodes 1000 nps 2000 time 500 visits 300 winrate 0.5000 score cp 0 pv 1-0",
        "info multipv 3 nodes 1000 nps 2000 time 500 visits 9 winrate 0.2500 score cp -110 pv 2-0",
        "bestmove 0-0",
    ]


def test_while_it_searches_it_listens_but_keeps_its_position(
    console: Console, player: ScriptedEngine
) -> None:
    player.waits = True
    console.send("position startpos", "go infinite")
    assert console.next().startswith("info nodes")
    assert console.ask("isready") == "readyok"
    assert console.ask("query p1turn") == "response true"
    for line in ("go nodes 1", "position startpos", "uginewgame", "setoption name Speed value 1"):
        refusal = f"info string {line.split()[0]} ignored: a search is running"
        assert console.ask(line) == refusal
    assert console.ask("stop") == "bestmove 0-0 ponder 1-0,1-2"
    assert console.ask("stop") == "info string stop ignored: no search is running"
    assert player.games == 0


@pytest.mark.parametrize(
    ("go", "release"), [("go infinite", "stop"), ("go ponder nodes 5", "ponderhit")]
)
def test_an_early_answer_is_kept_until_it_is_requested(
    console: Console, go: str, release: str
) -> None:
    console.send("position startpos", go)
    assert console.next().startswith("info nodes")
    assert console.ask("isready") == "readyok"
    assert console.ask(release) == "bestmove 0-0 ponder 1-0,1-2"


def test_an_illegal_turn_is_named_and_not_searched(
    console: Console, player: ScriptedEngine
) -> None:
    line = console.ask("position startpos moves 5-3 0-0,9-9 1-0,1-2")
    assert line.startswith("error illegal turn 2: 0-0,9-9 (")
    assert console.ask("go nodes 10") == "info string go ignored: the position could not be reached"
    assert console.ask("query result").startswith("info string query ignored")
    console.send("position startpos")
    assert console.ask("query p1turn") == "response true"
    assert player.limits == []


def test_queries_follow_a_game_to_its_end(console: Console) -> None:
    console.send("position startpos moves 0-0")
    assert console.ask("query p1turn") == "response false"
    assert console.ask("query gameover") == "response false"
    assert console.ask("query result") == "response none"
    console.send("position startpos moves 5-3 pass pass")
    assert console.ask("query gameover") == "response true"
    assert console.ask("query result") == "response p1win"
    assert console.ask("go nodes 10") == "info string go ignored: the game is over"
    console.send("position startpos moves pass pass")
    assert console.ask("query result") == "response draw"


def test_board_and_rules_change_the_game(console: Console) -> None:
    console.send("setoption name Board value hexhex-4", "setoption name Rules value abstractplay")
    console.send("position startpos moves a1 b2")
    assert console.ask("query p1turn") == "response true"
    complaint = console.ask("setoption name Board value pent-99")
    assert complaint.startswith("info string option unknown board 'pent-99'")
    console.send("position startpos moves a1 b2")
    assert console.ask("query p1turn") == "response true"


def test_a_game_with_an_option_of_its_own(console: Console) -> None:
    console.send("setoption name Game value blooms", "setoption name Captures value 1")
    console.send("position startpos moves 1a1 1a2,2b1 1i1 1b2")
    assert console.ask("query result") == "response p2win"
    complaint = console.ask("setoption name captures value 0")
    assert complaint.endswith("captures takes a whole number from 1 to 1000, not '0'")


def test_an_option_that_the_host_sets_ends_one_that_it_excludes(console: Console) -> None:
    console.send("setoption name Game value blooms", "setoption name handicap_1 value 22")
    console.send("setoption name Board value hexhex-4", "setoption name captures value 1")
    console.send("position startpos moves 1a1 1a2,2b1 1g1 1b2")
    assert console.ask("query result") == "response p2win"
    complaint = console.ask("setoption name handicap_1 value 1")
    assert complaint.endswith(
        "handicap_1 takes a whole number from 0 to 0, below captures, not '1'"
    )
    console.send("setoption name captures value 2", "setoption name handicap_2 value 1")
    console.send("position startpos moves 1a1 1a2,2b1 1g1 1b2")
    assert console.ask("query result") == "response p2win"


def test_quit_ends_the_conversation(console: Console) -> None:
    assert console.dialogue.handle("quit") is False


@pytest.mark.parametrize(
    ("words", "player", "expected"),
    [
        ("nodes 100", 1, Limits(nodes=100)),
        ("infinite", 1, Limits()),
        ("", 2, Limits()),
        ("infinite ponder", 1, Limits(ponder=True)),
        ("movetime 1500 ponder", 2, Limits(turn_time=1.5, ponder=True)),
        (
            "p1time 60000 p2time 9000 p1inc 1000 p2inc 500 movestogo 4",
            2,
            Limits(clock=9.0, increment=0.5, turns_to_go=4),
        ),
        ("p1time -20 p2time 9000", 1, Limits(clock=0.0)),
    ],
)
def test_limits_are_those_of_the_player_to_move(words: str, player: int, expected: Limits) -> None:
    assert parse_limits(words.split(), player) == expected


def test_limits_without_the_own_clock_are_refused() -> None:
    with pytest.raises(CommandRefused, match="p2time is missing"):
        parse_limits(["p1time", "1000"], 2)


def test_long_lines_and_invalid_bytes_are_harmless() -> None:
    answers: list[str] = []
    sent = b"x" * (ugi.LONGEST_LINE + 5) + b"\n\xff\xfe\nisready\nquit\nisready\n"
    ugi.converse(RandomEngine(), io.BytesIO(sent), answers.append)
    assert answers[0] == "info string line too long"
    assert answers[1].startswith("info string unknown command")
    assert answers[2:] == ["readyok"]


def test_an_unknown_player_is_refused() -> None:
    assert ugi.main(["--engine", "nobody"]) == 2


class Program:
    """The engine as a process."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "engine.ugi", *arguments]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def send(self, text: str) -> None:
        stdin = piped(self.process.stdin)
        stdin.write(text)
        stdin.flush()

    def until(self, accept: Callable[[str], bool]) -> str:
        for line in piped(self.process.stdout):
            if accept(line):
                return line.strip()
        raise AssertionError("the program ended")

    def close_input(self) -> int:
        piped(self.process.stdin).close()
        return self.process.wait(PATIENCE)


def piped(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


@pytest.fixture
def program() -> Iterator[Program]:
    program = Program()
    with program.process:
        yield program
        program.process.kill()


@pytest.mark.e2e
def test_the_program_plays_listens_and_ends_with_its_input(program: Program) -> None:
    program.send("ugi\nsetoption name Board value pent-4\nsetoption name Hash value 16\nisready\n")
    program.until(lambda line: line == "readyok\n")
    program.send("rubbish \x01\nposition startpos moves 0-0\ngo infinite\nisready\n")
    program.until(lambda line: line == "info string unknown command rubbish\n")
    program.until(lambda line: line == "readyok\n")
    program.send("stop\n")
    turn = program.until(lambda line: line.startswith("bestmove")).split()[1]
    program.send(f"position startpos moves 0-0 {turn}\nquery p1turn\n")
    assert program.until(lambda line: line.startswith(("response", "error"))) == "response true"
    program.send("position startpos moves 0-0 0-0\ngo nodes 5\nisready\n")
    assert program.until(lambda line: line.startswith("error")).startswith(
        "error illegal turn 2: 0-0 ("
    )
    assert program.until(lambda line: line.startswith(("info", "bestmove"))).startswith("info")
    program.send("position startpos\ngo infinite\n")
    assert program.close_input() == 0
    assert piped(program.process.stderr).read() == ""
