"""`bluestone engine-check`, called as a shell would."""

import json
import shlex
import sys

from tests.bot.cli.commands import Bluestone
from tests.bot.cli.conftest import Leaver
from tests.bot.engines.fakes import PROGRAM


def test_an_engine_that_fails_is_an_exit_status_and_a_row_each(bluestone: Bluestone) -> None:
    command = shlex.join([sys.executable, str(PROGRAM), "--mode", "no-start"])
    outcome = bluestone("engine-check", command)
    assert outcome.code == 1
    assert "cannot find my network" in " ".join(outcome.out.split())
    assert "1 fail" in outcome.out
    told = json.loads(bluestone("engine-check", command, "--json").out)
    assert told["steps"][0]["name"] == "hello"
    assert told["steps"][0]["sent"] == ["ugi"]
    assert {step["verdict"] for step in told["steps"]} == {"fail", "skipped"}


def test_an_engine_to_which_its_box_refuses_a_file_has_a_hint(
    bluestone: Bluestone, leaver: Leaver
) -> None:
    outcome = bluestone("engine-check", shlex.join(leaver.command))
    assert outcome.code == 1
    assert outcome.out.count("it runs in a box: allow more by `read = [...]`") == 1
    assert "try --no-sandbox" in " ".join(outcome.out.split())
    assert not leaver.has_left_a_mark()


def test_an_engine_can_be_checked_outside_the_box(bluestone: Bluestone, leaver: Leaver) -> None:
    outcome = bluestone("engine-check", shlex.join(leaver.command), "--no-sandbox")
    assert outcome.code == 0
    assert "it runs in a box" not in outcome.out
    assert leaver.has_left_a_mark()


def test_an_unknown_option_is_refused(bluestone: Bluestone) -> None:
    outcome = bluestone("engine-check", "random", "--option", "Seed")
    assert outcome.code == 78
    assert "write it as NAME=VALUE" in outcome.err


def test_other_protocols_have_steps_of_their_own(bluestone: Bluestone) -> None:
    command = shlex.join([sys.executable, "-c", "pass"])
    outcome = bluestone("engine-check", f"six:{command}", "--json")
    steps = json.loads(outcome.out)["steps"]
    assert outcome.code == 1
    assert (steps[0]["sent"], steps[0]["verdict"]) == (["six"], "fail")
    outcome = bluestone("engine-check", "htttx:http://127.0.0.1:1/")
    assert outcome.code == 1
    assert "GET /capabilities.json" in outcome.out
    assert "1 fail, 7 skipped" in outcome.out


def test_a_game_for_a_protocol_of_one_game_is_refused(bluestone: Bluestone) -> None:
    outcome = bluestone("engine-check", "six:./engine", "--game", "hexo")
    assert (outcome.code, "six plays only HeXO" in outcome.err) == (78, True)
    outcome = bluestone("engine-check", "random", "--board", "pent-6")
    assert (outcome.code, "--board and --rules need --game" in outcome.err) == (78, True)
