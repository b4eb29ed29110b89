"""Lines of the engine protocol, well formed and not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.engines.protocol import (
    BestMove,
    InfoLine,
    OptionLine,
    kind_of,
    parse_bestmove,
    parse_info,
    parse_option,
)


@pytest.mark.parametrize(
    ("line", "option"),
    [
        (
            "option name Board type string default pent-6",
            OptionLine("Board", "string", "pent-6"),
        ),
        (
            "option name Level type combo default weak var weak var very strong",
            OptionLine("Level", "combo", "weak", ("weak", "very strong")),
        ),
        (
            "option name Hash Size type spin default 0 min 0 max 99",
            OptionLine("Hash Size", "spin", "0", low=0, high=99),
        ),
        ("option name Depth type spin min none", OptionLine("Depth", "spin")),
        ("option name Ponder", OptionLine("Ponder")),
    ],
)
def test_options_are_read(line: str, option: OptionLine) -> None:
    assert parse_option(line) == option


@pytest.mark.parametrize("line", ["option", "option type spin", "option name type spin"])
def test_an_option_without_a_name_is_ignored(line: str) -> None:
    assert parse_option(line) is None


@pytest.mark.parametrize(
    ("low", "high", "value", "is_taken"),
    [
        (1, 10, "10", True),
        (1, 10, "11", False),
        (1, 10, "0", False),
        (-5, None, "-5", True),
        (None, None, "7", True),
        (None, None, "true", False),
        (None, 3, "1e2", False),
    ],
)
def test_a_number_is_within_its_bounds(
    low: int | None, high: int | None, value: str, is_taken: bool
) -> None:
    assert OptionLine("Depth", "spin", low=low, high=high).takes(value) == is_taken


def test_a_combo_accepts_only_its_choices() -> None:
    level = OptionLine("Level", "combo", "weak", ("weak", "strong"))
    assert level.takes("strong")
    assert not level.takes("stronger")
    assert OptionLine("Board").takes("anything")
    assert OptionLine("Knowledge", "check", "true").takes("false")
    assert not OptionLine("Knowledge", "check", "true").takes("maybe")


def test_an_info_line_is_read() -> None:
    line = "info nodes 15808 nps 79008 time 200 score cp 12 winrate 0.533 pv 5-12 5-1,5-3"
    assert parse_info(line) == InfoLine(15808, 79008, 200, 0.533, ("5-12", "5-1,5-3"))


def test_info_strings_are_text() -> None:
    assert parse_info("info string nodes 3").text == "nodes 3"
    assert parse_info("info string nodes 3").nodes is None


@pytest.mark.parametrize("value", ["nan", "x", "-", "1e999x"])
def test_an_invalid_winrate_is_left_out(value: str) -> None:
    assert parse_info(f"info winrate {value} nodes 5") == InfoLine(nodes=5)


@pytest.mark.parametrize(("value", "kept"), [("1.5", 1.0), ("-3", 0.0), ("inf", 1.0)])
def test_a_winrate_out_of_range_is_brought_into_it(value: str, kept: float) -> None:
    assert parse_info(f"info winrate {value}").winrate == kept


@pytest.mark.parametrize(
    ("line", "best"),
    [
        ("bestmove 5-3,2-1", BestMove("5-3,2-1")),
        ("bestmove pass ponder 0-0", BestMove("pass", "0-0")),
        ("bestmove 0-0 draw", BestMove("0-0", offers_draw=True)),
        ("bestmove pass ponder 0-0 draw", BestMove("pass", "0-0", offers_draw=True)),
        ("bestmove resign", BestMove("resign")),
        ("bestmove draw", BestMove("draw")),
        ("bestmove 0-0 ponder draw", BestMove("0-0", "draw")),
        ("bestmove", None),
        ("bestmove a b c", None),
        ("bestmove " + "x" * 41, None),
    ],
)
def test_bestmove(line: str, best: BestMove | None) -> None:
    assert parse_bestmove(line) == best


words = st.sampled_from(["name", "type", "var", "nodes", "winrate", "pv", "string", "-1", "٣", "x"])


@given(st.lists(st.one_of(words, st.text(max_size=5)), max_size=12).map(" ".join))
def test_no_line_is_too_strange_to_be_read(rest: str) -> None:
    parse_option(f"option {rest}")
    parse_info(f"info {rest}")
    parse_bestmove(f"bestmove {rest}")
    assert kind_of(f"x {rest}") == "other"


def test_lines_of_an_info_are_numbered() -> None:
    info = parse_info("info multipv 3 nodes 900 visits 120 winrate 0.4 pv 0-0")
    assert (info.multipv, info.nodes, info.visits, info.winrate) == (3, 900, 120, 0.4)
    assert parse_info("info nodes 5 multipv x").multipv == 1
