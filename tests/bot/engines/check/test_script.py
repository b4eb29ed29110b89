"""The check of engines: ours pass, and what others do wrong is named."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import engine
from bot.engines.check.manners import MANNERS
from bot.engines.check.positions import EXCLUDING, POSITIONS
from bot.engines.check.script import SCRIPT, check_engine
from bot.engines.check.searches import SEARCHES
from bot.engines.check.step import Finding, Step
from bot.engines.spec import EngineSpec, SandboxSettings
from bot.time_source import SystemTime
from tests.bot.engines.fakes import fake

EXCLUDE = "option name Exclude type string default"
TOLD_IN_VAIN = fake("ok", "--turns", "0-0", "1-0,3-0", "--option-line", EXCLUDE)
LATE_EVERY_TENTH_TURN = """
import sys, time
from engine.players.random import RandomEngine
from engine.ugi.__main__ import converse, print_line

class Late(RandomEngine):
    def search(self, *limits):
        if self.turns % 10 == 9:
            time.sleep(2.5)
        return super().search(*limits)

    def set_position(self, position):
        self.turns = len(position.turns)
        super().set_position(position)

converse(Late(), sys.stdin.buffer, print_line)
"""
ALL = {step.name: step for step in SCRIPT}
HELLO = ALL["hello"], ALL["options"]


async def found(spec: EngineSpec, steps: Sequence[Step] = SCRIPT) -> dict[str, Finding]:
    findings = await check_engine(spec, SystemTime(), steps=steps)
    assert [finding.name for finding in findings] == [step.name for step in steps]
    return {finding.name: finding for finding in findings}


async def one_of(spec: EngineSpec, name: str) -> Finding:
    return (await found(spec, (ALL["hello"], ALL[name])))[name]


async def test_a_built_in_engine_fails_in_nothing() -> None:
    findings = await found(EngineSpec(name="random", builtin="random"))
    assert len(findings) >= 40
    assert [each for each in findings.values() if each.verdict == "fail"] == []
    assert findings["winrate"].verdict == "warn", "it does not search"
    assert findings["go nodes"].sent[-1] == "go nodes 100"


async def test_manners_are_checked_of_an_engine_that_knows_no_rules() -> None:
    steps = [step for step in MANNERS if step.name != "hello again"]
    findings = await found(fake("ok", "--turns", "0-0"), steps)
    assert {each.verdict for each in findings.values()} <= {"pass", "warn"}
    assert findings["usual options"].verdict == "warn"
    assert "Game, Rules" in findings["usual options"].seen


@pytest.mark.parametrize(
    ("mode", "name", "seen"),
    [
        ("dies", "go nodes", "its process ended with status 3"),
        ("illegal", "go nodes", "illegal turn"),
        ("no-turn", "go nodes", "no turn in 'bestmove'"),
        ("resigns", "go nodes", "illegal turn"),
        ("claims-win", "go nodes", "no turn in 'bestmove I have won'"),
        ("out-of-turn", "one answer", "without a question"),
        ("floods-after", "one answer", "lines"),
        ("ok", "go infinite, stop", "ends before `stop`"),
        ("ok", "ponder, ponderhit", "answers before `ponderhit`"),
        ("ok", "illegal turn", "no `error`"),
        ("ok", "go without a position", "cannot be reached"),
    ],
)
async def test_a_fault_fails_its_step_with_an_observation(mode: str, name: str, seen: str) -> None:
    finding = await one_of(fake(mode, "--turns", "0-0"), name)
    assert (finding.verdict, seen in finding.seen) == ("fail", True), finding.seen


@pytest.mark.parametrize("mode", ["waits"])
async def test_an_engine_that_waits_for_stop_passes_where_that_is_asked(mode: str) -> None:
    for name in ("go infinite, stop", "ready while it searches", "ponder, stop"):
        finding = await one_of(fake(mode, "--turns", "0-0"), name)
        assert finding.verdict in ("pass", "warn"), finding


async def test_the_value_at_which_an_engine_ends_is_the_last_that_was_sent() -> None:
    finding = await one_of(fake("dies-at-letters"), "impossible value")
    assert finding.verdict == "fail"
    assert finding.sent == ("setoption name Seed value x", "isready")


async def test_time_left_is_not_reported_as_negative_lateness() -> None:
    finding = await one_of(fake("ok", "--turns", "0-0"), "go movetime")
    assert finding.verdict == "pass"
    assert re.fullmatch(r"\d+ ms less than the 200 ms", finding.seen), finding.seen


@pytest.mark.parametrize("name", ["a game by movetime", "a game by the clock"])
async def test_an_engine_that_is_late_every_tenth_turn_fails_a_timed_game(
    name: str, tmp_path: Path
) -> None:
    program = tmp_path / "late.py"
    program.write_text(LATE_EVERY_TENTH_TURN)
    spec = EngineSpec(
        name="late",
        command=[sys.executable, str(program)],
        sandbox=SandboxSettings(write=(tmp_path,)),
    )
    finding = await one_of(spec, name)
    assert finding.verdict == "fail"
    assert re.fullmatch(r"turn 10 was \d{4,} ms late", finding.seen), finding.seen


async def test_after_a_fault_the_next_step_has_an_engine_of_its_own() -> None:
    steps = (ALL["hello"], ALL["go nodes"], ALL["blank lines"])
    findings = await found(fake("dies"), steps)
    assert [each.verdict for each in findings.values()] == ["pass", "fail", "pass"]


async def test_without_a_hello_nothing_else_is_tried() -> None:
    findings = await found(fake("no-start"), SCRIPT)
    assert findings["hello"].verdict == "fail"
    assert "cannot find my network" in findings["hello"].seen
    assert {each.verdict for each in findings.values()} == {"fail", "skipped"}


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("option type spin", "no name"),
        ("option name Board type string default x", "Board twice"),
        ("option name X type slider default 1", "an unknown type"),
        ("option name X type combo default 1", "offers no choices"),
        ("option name X type spin default 1", "no bounds"),
        ("option name X type spin default 9 min 1 max 3", "its own default"),
    ],
)
async def test_options_that_make_no_sense_are_named(line: str, seen: str) -> None:
    findings = await found(fake("ok", "--option-line", line), HELLO)
    assert findings["options"].verdict == "fail"
    assert seen in findings["options"].seen


@pytest.mark.parametrize(
    ("winrate", "verdict"), [("0.3", "pass"), ("1.5", "fail"), ("-1", "fail"), ("x", "fail")]
)
async def test_chances_are_between_0_and_1(winrate: str, verdict: str) -> None:
    finding = await one_of(fake("ok", "--turns", "0-0", "--winrate", winrate), "winrate")
    assert finding.verdict == verdict, finding.seen


async def test_our_own_engine_plays_no_excluded_turn() -> None:
    findings = await found(EngineSpec(), (ALL["hello"], *EXCLUDING))
    assert {each.verdict for each in findings.values()} == {"pass"}, findings


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("excluded turn", "plays 1-0,3-0, although it is excluded"),
        ("excluded all but one", "plays pass, although it is excluded"),
    ],
)
async def test_an_engine_that_offers_to_exclude_turns_has_to_do_it(name: str, seen: str) -> None:
    finding = await one_of(TOLD_IN_VAIN, name)
    assert (finding.verdict, finding.seen) == ("fail", seen)


async def test_an_engine_need_not_offer_to_exclude_turns() -> None:
    findings = await found(fake("ok"), (ALL["hello"], *EXCLUDING))
    for step in EXCLUDING:
        assert findings[step.name].verdict == "skipped"
        assert findings[step.name].seen == "not offered: it has no option Exclude"


def test_names_of_steps_are_their_own() -> None:
    assert len(ALL) == len(SCRIPT)
    assert {step.name for step in (*MANNERS, *POSITIONS, *SEARCHES)} <= ALL.keys()


ONLY_HEXO = """
import io, sys
from engine.players.random import RandomEngine
from engine.ugi.__main__ import converse, print_line

class Input(io.BufferedReader):
    lines = [b"setoption name Game value hexo\\n"]

    def readline(self, size=-1):
        return self.lines.pop() if self.lines else super().readline(size)

def say(line):
    if not line.startswith("option "):
        print_line(line)

converse(RandomEngine(), Input(sys.stdin.buffer.raw), say)
"""
STEPS_OF_ONE_GAME = (
    "hello",
    "options",
    "go nodes",
    "query after a game",
    "uginewgame",
    "game hexo",
    "game blooms",
    "a game against itself",
)


async def test_an_engine_of_one_game_is_checked_on_that_game(tmp_path: Path) -> None:
    program = tmp_path / "only_hexo.py"
    program.write_text(ONLY_HEXO)
    command = [sys.executable, str(program)]
    spec = EngineSpec(name="only-hexo", command=command, sandbox=SandboxSettings(enabled=False))
    steps = [ALL[name] for name in STEPS_OF_ONE_GAME]
    findings = await check_engine(spec, SystemTime(), steps=steps, game=engine.game("hexo"))
    verdicts = {each.name: each.verdict for each in findings}
    assert set(verdicts.values()) <= {"pass", "warn", "skipped"}, findings
    assert verdicts["go nodes"] == verdicts["a game against itself"] == "pass"
    assert verdicts["game blooms"] == "skipped"
    usual = await check_engine(spec, SystemTime(), steps=steps)
    assert "fail" in {each.verdict for each in usual}
