"""The measurements measure: with real programs, small, and without a word on speed."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import engine
from bot.bench import playouts, startup
from bot.bench.playouts import PlayoutSpeed, speed_chart
from bot.bench.summary import summary
from bot.errors import ConfigurationError, HostError

SVG = "{http://www.w3.org/2000/svg}"


def ignore(_: str) -> None:
    """Progress is for people."""


def test_a_summary_needs_times() -> None:
    times = summary([float(number) for number in range(101)])
    assert (times.count, times.median, times.p90, times.p95, times.p99) == (101, 50, 90, 95, 99)
    with pytest.raises(HostError, match="too few"):
        summary([1.0])


def test_the_yardstick_takes_turns_with_ours(tmp_path: Path) -> None:
    program = tmp_path / "yardstick"
    program.write_text('#!/bin/sh\necho "n=$1 playouts/s 500 of $2"\n')
    program.chmod(0o755)
    game = engine.game("bluestone", board="pent-3")
    rounds: list[str] = []
    (speed,) = playouts.measure([game], 0.01, 2, program, rounds.append)
    assert (speed.board, speed.yardstick) == ("pent-3", 500)
    assert speed.ratio == pytest.approx(speed.playouts / 500, rel=0.6)
    assert len(rounds) == 2


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("missing", None, "no such file"),
        ("silent", "#!/bin/sh\n", "prints no"),
        ("fails", "#!/bin/sh\nexit 3\n", "does not run"),
        ("broken.cpp", "this is no C++", "does not compile|not installed"),
    ],
)
def test_an_invalid_yardstick_is_named(
    tmp_path: Path, name: str, text: str | None, reason: str
) -> None:
    program = tmp_path / name
    if text is not None:
        program.write_text(text)
        program.chmod(0o755)
    game = engine.game("bluestone", board="pent-3")
    with pytest.raises(Exception, match=reason) as caught:
        playouts.measure([game], 0.01, 1, program, ignore)
    assert isinstance(caught.value, ConfigurationError) or "not installed" in str(caught.value)


def test_the_chart_has_a_bar_for_each_board_the_longer_the_faster() -> None:
    speeds = [
        PlayoutSpeed("bluestone", "pent-6", "official", 100_000),
        PlayoutSpeed("blooms", "hexhex-10", "official", 30_000),
    ]
    root = ET.fromstring(speed_chart(speeds))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"bluestone pent-6", "blooms hexhex-10", "100,000", "30,000"} <= set(texts)
    _, first, second = root.iter(f"{SVG}rect")
    assert float(first.attrib["width"]) > float(second.attrib["width"])
    assert first.attrib["fill"] != second.attrib["fill"]


def test_the_chart_has_a_colour_for_each_game() -> None:
    """Also for HeXO, whose uniformly random games are by far the longest."""
    speeds = [
        PlayoutSpeed(info.name, info.boards[0], "official", 600 if info.name == "hexo" else 90_000)
        for info in engine.games()
    ]
    root = ET.fromstring(speed_chart(speeds))
    bars = [box.attrib for box in root.iter(f"{SVG}rect") if box.get("class") == "bar"]
    assert len({bar["fill"] for bar in bars}) == len(bars) == len(speeds)
    assert all(float(bar["width"]) > 0 for bar in bars)


@pytest.mark.nightly
@pytest.mark.e2e
@pytest.mark.xdist_group("up")
async def test_a_start_is_timed_until_the_page_answers() -> None:
    (seconds,) = await startup.measure(1, ignore)
    assert seconds > 0
