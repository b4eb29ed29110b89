"""The example positions of the arena protocol's page: made here, checked by a test.

`python -m tools.example_positions` writes docs/positions/GAME.json.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import engine
from bot import wire
from bot.arena.games import referee
from bot.drawing.figures import read_manifest
from tools import ROOT

FOLDER = ROOT / "docs" / "positions"
MOST_LISTED = 60
ILLEGAL_TRIES = 500
ILLEGAL_SHOWN = 4
PARTING_TRIES = 200
NEWS = {
    "groups": "a capture",
    "captures": "a capture",
    "uninspired": "a stone that is no longer inspired",
}

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "bluestone": [
        {"board": "pent-3"},
        {"board": "hexhex-4"},
        {"board": "pent-3", "rules": "abstractplay"},
        {"board": "limping-4", "rules": "abstractplay"},
    ],
    "blooms": [
        {"board": "hexhex-4", "captures": 5},
        {"board": "hexhex-5"},
        {"board": "hexhex-4", "captures": 5, "rules": "abstractplay"},
        {"board": "hexhex-5", "rules": "abstractplay"},
        {"board": "hexhex-4", "captures": 5, "handicap_1": 1, "handicap_2": 3},
    ],
    "stargazers": [
        {"board": "stars-39"},
        {"board": "stars-63", "protocol": "alternating"},
        {"board": "stars-39", "rules": "ludii"},
        {"board": "stars-63", "rules": "ludii", "protocol": "alternating"},
    ],
    "hexo": [{"cap": 3}, {"cap": 5}],
    "freego": [{"board": "square-5", "captures": 4}, {"board": "square-7"}, {"board": "square-9"}],
}


RING = (
    "2-1 0-0,5-10 2-3,2-5 5-2,5-12 2-7,2-9 5-4,5-14 2-2,2-6 5-6,5-16 2-4,4-0 5-8,5-18 2-8,4-10 "
    "5-20,5-22"
)
"""2-0 is all that the first player lacks for a wall round the stone in the middle."""

FIVE = "0:0 0:2,2:-1 1:0,2:0 -1:1,3:1 3:0,4:0 0:1,1:-1"
"""Black has five in a row of HeXO, and it is his turn."""

SPECIAL: dict[str, list[tuple[str, str, str, list[str]]]] = {
    "bluestone": [
        ("a second stone may go where the first captures", "official", RING, ["0-0,2-0"]),
        ("after that turn", "official", f"{RING} 2-0,0-0", []),
        ("it may not where captures come later", "abstractplay", RING, ["2-0,0-0", "0-0,2-0"]),
        ("one stone is not enough", "official", "2-1", ["2-3"]),
        ("one stone is enough", "abstractplay", "2-1 2-3", []),
        ("a pass", "official", "2-1 pass", []),
        ("two passes", "official", "2-1 pass pass", []),
    ],
    "hexo": [
        ("before the first turn", "official", "", ["1:0", "0:0,1:0"]),
        (
            "the first stone takes the second along",
            "official",
            "0:0",
            ["16:0,8:0", "1:0", "5:4,1:0"],
        ),
        ("a stone wins at once", "official", FIVE, ["5:0,6:0"]),
        ("a row of seven wins too", "official", f"{FIVE} 6:0,5:0", ["7:0,8:0"]),
    ],
}
"""Why, under which rules, after which turns, and turns that are worth trying there."""


@dataclass(frozen=True)
class Example:
    """A position, why it is there, and turns that are not legal in it."""

    about: str
    position: engine.Position
    tried: Sequence[str] = ()


def described(example: Example) -> dict[str, Any]:
    """What the file says of a position."""
    position = example.position
    game = position.game
    legal = sorted(position.legal_turns())
    return {
        "about": example.about,
        "board": game.board.name,
        "rules": game.rule_set,
        "options": referee.option_texts(dict(game.options)),
        "turns": list(position.turns),
        "position": wire.encode(referee.view(position)),
        "legal_count": len(legal),
        "legal_turns": legal if len(legal) <= MOST_LISTED else None,
        "illegal_turns": _illegal(position, example.tried),
    }


def _illegal(position: engine.Position, tried: Sequence[str]) -> dict[str, str]:
    """Turns that break a rule, with its name: those that were tried, and one for each rule that
    turns of any cells break.
    """
    chance = random.Random(len(position.turns))
    names = position.game.step_names or (*position.shown_board.cells, "40:-40", "z9")
    any_turns = [
        ",".join(chance.choices(names, k=chance.choice((1, 2)))) for _ in range(ILLEGAL_TRIES)
    ]
    rules = {turn: rule for turn in any_turns if (rule := _broken_by(position, turn))}
    one_each = {rule: turn for turn, rule in reversed(rules.items())}
    found = {turn: _broken_by(position, turn) or "" for turn in tried}
    return found | {turn: rule for rule, turn in sorted(one_each.items())[:ILLEGAL_SHOWN]}


def _broken_by(position: engine.Position, turn: str) -> str | None:
    try:
        position.play(turn)
    except engine.IllegalTurn as error:
        return error.rule
    return None


def examples(game: str) -> Iterator[Example]:
    """Positions of every rule set: those of the pages' figures, moments of random games, and where
    two rule sets see the same turns differently.
    """
    for figure in read_manifest(ROOT / "docs" / "figures.toml").figure:
        if figure.game == game and figure.turns:
            yield Example(figure.title, figure.position())
    for about, rules, turns, tried in SPECIAL.get(game, []):
        position = engine.game(game, rules=rules).start()
        for turn in turns.split():
            position = position.play(turn)
        yield Example(about, position, tried)
    for seed, choice in enumerate(VARIANTS[game], start=1):
        yield from _moments(engine.play_out(engine.game(game, **choice), seed))
    yield from _parting(game)


def _moments(end: engine.Position) -> Iterator[Example]:
    game = list(_played(end))
    yield Example("after the first turn", game[1])
    for before, after in pairwise(game[1:-1]):
        if after.captured or len(after.marks) > len(before.marks):
            yield Example(NEWS[end.game.info.score], after)
            break
    yield Example("before the last turn", game[-2])
    yield Example("the end", end)


def _played(end: engine.Position) -> Iterator[engine.Position]:
    """The positions of a game, from the first to the last."""
    position = end.game.start()
    yield position
    for turn in end.turns:
        position = position.play(turn)
        yield position


def _parting(name: str) -> Iterator[Example]:
    """The same turns, all legal under both rule sets of a game, and not the same position."""
    if len(engine.game(name).info.rule_sets) == 1:
        return
    first, second = engine.game(name).info.rule_sets
    board = VARIANTS[name][0]["board"]
    for seed in range(PARTING_TRIES):
        end = engine.play_out(engine.game(name, board=board, rules=second), seed)
        other = engine.game(name, board=board, rules=first).start()
        for position in _played(end):
            if position.turns:
                if not other.is_legal(position.turns[-1]):
                    break
                other = other.play(position.turns[-1])
            if referee.view(position) != referee.view(other):
                about = f"the same turns under the {first} and the {second} rules"
                yield from (Example(about, each) for each in (other, position))
                return


def written(game: str) -> str:
    """The text of a game's file: one position a line."""
    lines = [
        json.dumps(described(example), ensure_ascii=False) for example in _unlike(examples(game))
    ]
    head = {"format": "bluestone-positions-1", "game": game}
    positions = ",\n".join(lines)
    return f'{json.dumps(head)[:-1]}, "positions": [\n{positions}\n]}}\n'


def _unlike(found: Iterator[Example]) -> list[Example]:
    """Each position once."""
    return list({(each.position.game, each.position.turns): each for each in found}.values())


def read(game: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((FOLDER / f"{game}.json").read_text(encoding="utf-8"))
    return content


def write(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for game in VARIANTS:
        (folder / f"{game}.json").write_text(written(game), encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
