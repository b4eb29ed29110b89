"""The page about HeXO's protocols: its commands run, its dialogue and its tables are right."""

import re
from pathlib import Path

import pytest

from bot.guests.hexo.htttx_messages import MAX_BODY_BYTES, MOST_CELLS
from bot.guests.hexo.server.metrics import OUTCOMES
from bot.guests.hexo.server.settings import HtttxSettings
from bot.guests.hexo.six_engine import SixDialogue
from tests.bot.cli.commands import Bluestone
from tests.docs.pages import ROOT
from tests.engine.ugi.test_ugi import ScriptedEngine

PAGE = (ROOT / "docs" / "hexo-protocols.md").read_text(encoding="utf-8")
CODE = re.compile(r"```text\n(.*?)```", re.DOTALL)


@pytest.fixture
def bluestone(capsys: pytest.CaptureFixture[str]) -> Bluestone:
    return Bluestone(capsys)


def section(heading: str) -> str:
    level = heading.split()[0]
    return re.split(rf"^{level} ", PAGE.partition(f"\n{heading}\n")[2], flags=re.MULTILINE)[0]


def test_the_example_of_a_game_is_converted_as_shown(
    bluestone: Bluestone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source, shown = CODE.findall(section("## Game texts"))
    Path("club.txt").write_text(source)
    lines = re.findall(r"^    bluestone (.*)$", section("## Game texts"), re.MULTILINE)
    commands = [line for line in lines if " club." in line]
    assert len(commands) == 2
    outcomes = [bluestone(*command.split()) for command in commands]
    assert [outcome.code for outcome in outcomes] == [0, 0]
    dated = re.sub(r"utcdatetime\[.*?\]", "utcdatetime[2026-11-24 22:00:00]", outcomes[1].out)
    assert dated == shown


def test_the_opening_in_bke_is_read(bluestone: Bluestone, tmp_path: Path) -> None:
    [text] = re.findall(r"^    (A0 .*)$", PAGE, re.MULTILINE)
    (tmp_path / "longsword.bke").write_text(text)
    outcome = bluestone("records", "import", tmp_path / "longsword.bke", "--format", "bke")
    assert outcome.code == 0
    assert '"turn":"0:2,0:-4"' in outcome.out


def test_the_lines_to_our_engine_are_obeyed() -> None:
    dialogue_text = section("## Our engine under Six")
    sent = re.findall(r"^    > (.*)$", dialogue_text, re.MULTILINE)
    sent += re.findall(r"`(position radius 8 setup [^`]+)`", dialogue_text)
    said: list[str] = []
    player = ScriptedEngine()
    player.turn, player.reply = "0:-1,-1:0", ()
    dialogue = SixDialogue(player, said.append)
    for line in sent:
        dialogue.handle(line)
    dialogue.close()
    assert [line for line in said if line.startswith("error")] == []
    shown = re.findall(r"^    < (.*)$", dialogue_text, re.MULTILINE)
    assert shown[2] in said
    assert shown[-1] in said


def test_the_limits_of_the_server_are_as_documented() -> None:
    usual, table = HtttxSettings(), section("### Limits")
    rows = dict(re.findall(r"^\| `--(\w+)` \| (\d+) \|", table, re.MULTILINE))
    found = {
        "longest": usual.longest_s,
        "usual": usual.usual_s,
        "processes": usual.at_once,
        "waiting": usual.waiting,
        "games": usual.games,
    }
    assert {name: float(value) for name, value in rows.items()} == found
    assert f"{MAX_BODY_BYTES >> 10} KiB" in table
    assert f"{MOST_CELLS:,} stones" in table


def test_every_code_of_an_error_is_explained() -> None:
    table = section("### Limits")
    cells = re.findall(r"^\| \d+ \| (.*?) \|", table, re.MULTILINE)
    codes = set(re.findall(r"`(\w+)`", "".join(cells)))
    packets = {"answered", "no_setup", "nothing_asked", "too_many_packets"}
    assert codes == set(OUTCOMES) - packets
