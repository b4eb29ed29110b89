"""The example positions are what the engine says, and enough to try somebody else's rules on."""

import json
from typing import Any

import pytest

import engine
from bot import wire
from bot.arena.games import referee
from tests.docs.pages import ROOT
from tools.example_positions import MOST_LISTED, NEWS, VARIANTS, read, written

FILES = {game: read(game) for game in VARIANTS}
ENTRIES = [
    pytest.param(game, entry, id=f"{game}-{number}")
    for game, content in FILES.items()
    for number, entry in enumerate(content["positions"])
]
PAGE = (ROOT / "docs" / "arena-protocol.md").read_text(encoding="utf-8")


def replayed(game: str, entry: dict[str, Any]) -> engine.Position:
    setup = {key: entry[key] for key in ("board", "rules", "options")}
    offered = wire.OfferedSetup.model_validate({"game": game, "clock": {"kind": "none"}, **setup})
    return referee.replay(referee.settled(offered), entry["turns"])


@pytest.mark.parametrize(("game", "entry"), ENTRIES)
def test_a_position_is_what_its_turns_lead_to(game: str, entry: dict[str, Any]) -> None:
    position = replayed(game, entry)
    legal = set(position.legal_turns())
    assert entry["position"] == wire.encode(referee.view(position))
    assert entry["legal_count"] == len(legal)
    assert (entry["legal_turns"] is None) == (len(legal) > MOST_LISTED)
    assert set(entry["legal_turns"] or legal) == legal
    for turn, rule in entry["illegal_turns"].items():
        with pytest.raises(engine.IllegalTurn) as refused:
            position.play(turn)
        assert refused.value.rule == rule


@pytest.mark.parametrize("game", VARIANTS)
def test_a_file_is_what_the_command_writes(game: str) -> None:
    hint = "run: python -m tools.example_positions"
    assert json.loads(written(game)) == FILES[game], hint


@pytest.mark.parametrize("info", engine.games(), ids=lambda info: info.name)
def test_every_rule_set_has_positions_of_every_kind(info: engine.GameInfo) -> None:
    entries = FILES[info.name]["positions"]
    assert f"(positions/{info.name}.json)" in PAGE
    for rules in info.rule_sets:
        some = [entry for entry in entries if entry["rules"] == rules]
        assert len(some) >= 8
        assert any(entry["position"]["over"] for entry in some)
        if info.score in NEWS:
            assert any(each["position"]["captured"] or each["position"]["marks"] for each in some)
        assert any(entry["legal_turns"] for entry in some)
        assert any(entry["illegal_turns"] for entry in some)
    options = {name for entry in entries for name in entry["options"]}
    assert options == {option.name for option in info.options}
