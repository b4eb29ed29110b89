"""The page's rules answer as the server does: positions, legal steps, and broken rules."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

import pytest

import engine
from bot.arena.games import referee
from bot.arena.refusals import Refused
from bot.arena.web.page_bundle import FOLDER
from engine.game import Game, Position
from tests.ahead import PATIENCE_S, built
from tests.matrix import nightly_after
from tests.page.engine.native import UNRECORDED, recorded
from tests.page.engine.test_layout import setups
from tests.page.scripts import answers

GAMES: Final = [
    game for game in engine.games() if (FOLDER / "js" / "engine" / f"{game.name}.js").is_file()
]
"""Those with rules in the page."""
NAMES: Final = [game.name for game in GAMES]
AT_ONCE: Final = 50
"""Games of one process, which must end in time."""
SAMPLES: Final = [
    (NAMES[0], 5),
    *(pytest.param(name, 1, marks=pytest.mark.nightly) for name in NAMES if name not in UNRECORDED),
]
"""Games whose recorded games are compared, and of how many one is taken."""
LONGEST: Final = 60
"""Turns of a random game: the legal steps of a long one in HeXO take seconds."""

Case: TypeAlias = dict[str, Any]
"""What the script is asked, in `asked`, and the server's answers, in `expected`."""

pytestmark = [pytest.mark.xdist_group("engine as WebAssembly"), pytest.mark.timeout(PATIENCE_S)]


@pytest.mark.parametrize(("name", "every"), SAMPLES)
def test_recorded_games(name: str, every: int, tmp_path: Path) -> None:
    games = [last_position(game, parts) for game, parts in [*recorded(name)][::every]]
    assert len(games) * every >= 100
    compare(games, tmp_path)


@pytest.mark.parametrize("info", nightly_after(1, GAMES), ids=lambda info: info.name)
def test_random_games_of_all_setups(info: engine.GameInfo, tmp_path: Path) -> None:
    games = []
    for seed, setup in enumerate(setups(info)):
        game = engine.game(info.name, setup["board"], setup["rules"], **setup["options"])
        games.append(random_game(game, Random(seed)))
    compare(games, tmp_path)


def last_position(game: Game, parts: list[str]) -> Position:
    """The last position of a recorded game, of which half a turn may be left.

    In Stargazers each cell is recorded by itself.
    """
    position = game.start()
    while parts:
        sizes = (2, 1) if game.name == "stargazers" else (1,)
        turns = [(size, ",".join(parts[:size])) for size in sizes]
        legal = [(size, turn) for size, turn in turns if position.is_legal(turn)]
        if not legal:
            assert len(parts) == 1
            break
        [(size, turn), *_] = legal
        position, parts = position.play(turn), parts[size:]
    return position


def random_game(game: Game, chance: Random) -> Position:
    position = game.start()
    while not position.over and len(position.turns) < LONGEST:
        position = position.play(position.random_turn(chance))
    return position


def compare(games: list[Position], folder: Path) -> None:
    """Compare what the page and the server say of each position of some games."""
    cases = [case_of(last, Random(number)) for number, last in enumerate(games)]
    for begin in range(0, len(cases), AT_ONCE):
        compare_some(cases[begin : begin + AT_ONCE], folder)


def compare_some(cases: list[Case], folder: Path) -> None:
    file = folder / "cases.json"
    file.write_text(json.dumps([case["asked"] for case in cases]), encoding="utf-8")
    path = str(built(cases[0]["asked"]["setup"]["game"]))
    [found] = answers("engine/rules.js", [("answers", path, str(file))])
    for case, answer in zip(cases, found, strict=True):
        for subject, expected in case["expected"].items():
            assert answer[subject] == expected, (case["asked"]["setup"], case["asked"]["turns"])


def case_of(last: Position, chance: Random) -> Case:
    """A game: all its positions, choices in two of them, and turns that are tried in those."""
    game = last.game
    positions = [*walk(last)]
    choices, judged, tried, results = [], [], [], []
    for ply in {chance.randrange(len(positions)), len(positions) - 1}:
        position = positions[ply]
        for chosen in begun_turns(position, chance):
            try:
                view = referee.legal_view(position, chosen)
            except Refused:
                continue  # no turn begins so, and the page never asks what may follow
            why = chance.sample(sorted(view.illegal), min(20, len(view.illegal)))
            choices.append({"ply": ply, "chosen": chosen, "why": why})
            said = view.model_dump(mode="json", exclude={"illegal"})
            judged.append([digest(said), [view.illegal[step].rule for step in why]])
        for turn in wild_turns(position, chance):
            tried.append({"ply": ply, "turn": turn})
            results.append(outcome(position, turn))
    played = [*zip(positions[:-1], last.turns, strict=True)]
    steps = [before.frame.steps_of(turn) for before, turn in played]
    return {
        "asked": {
            "setup": {
                "game": game.name,
                "board": game.board.name,
                "rules": game.rule_set,
                "options": referee.option_texts(dict(game.options)),
            },
            "turns": last.turns,
            "choices": choices,
            "tried": tried,
        },
        "expected": {
            "views": [digest(referee.view(each).model_dump(mode="json")) for each in positions],
            "choices": judged,
            "tried": results,
            "records": [
                hashlib.sha256(each.record().tobytes()).hexdigest()[:12] for each in positions
            ],
            "steps": [None if codes is None else [*codes] for codes in steps],
            "names": [
                named(each, codes) for each, codes in zip(positions[:-1], steps, strict=True)
            ],
        },
    }


def named(position: Position, codes: tuple[int, ...] | None) -> list[str] | None:
    """The notation of the codes of a turn; none of a pass."""
    frame = position.frame
    return None if codes is None else [frame.step_name(code) for code in codes if code >= 0]


def walk(last: Position) -> Iterator[Position]:
    position = last.game.start()
    yield position
    for turn in last.turns:
        position = position.play(turn)
        yield position


def begun_turns(position: Position, chance: Random) -> Iterator[tuple[str, ...]]:
    """Nothing, a legal step, two, an illegal one, and what is no step at all."""
    legal = position.choices().legal
    steps = [*legal, *position.stones] or ["a1"]
    yield ()
    if legal:
        first = chance.choice(legal)
        yield (first,)
        yield (first, chance.choice(steps))
        yield (first, chance.choice(position.choices([first]).legal or [first]))
    yield (chance.choice(steps),)
    yield (chance.choice(steps), chance.choice(steps), chance.choice(steps))
    yield ("nowhere",)


def wild_turns(position: Position, chance: Random) -> Iterator[str]:
    steps = [*position.choices().legal, *position.stones, "nowhere", "pass", "", "9:9"]
    yield from ("pass", "", ",", "nowhere", "PASS", " 1:0 , 0:1 ", "1a1,1b1", "2a1,1a1")
    for count in (1, 2, 2, 2, 2, 2, 3):
        yield ",".join(chance.choices(steps, k=count))
    yield position.random_turn(chance).replace(",", " , ").upper()


def outcome(position: Position, turn: str) -> str:
    try:
        return position.play(turn).turns[-1]
    except engine.IllegalTurn as error:
        return f"! {error.rule}"


def digest(value: object) -> str:
    text = json.dumps(value, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]
