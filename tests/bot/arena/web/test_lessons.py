"""The page's lessons are what the engine computes, and their texts are complete."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import engine
from bot.arena.web.page_bundle import FOLDER
from tools.lessons import making, source
from tools.lessons.frames import FalseLesson
from tools.lessons.rows import longest_row, place_of, stops, threats, unstoppable
from tools.lessons.source import GAMES, Source

TEXTS = FOLDER / "messages" / "en"
SETTINGS = {"game": "bluestone", "board": "pent-4"}
CAPTURE = {
    "id": "capture",
    "kind": "place",
    "board": "pent-4",
    "turns": "2-1 3-2,3-10 3-0,2-2 3-5,3-1 1-3,2-0 2-9,3-7",
    "begun": "3-8",
    "accept": ["3-8,3-3"],
}


@cache
def made(game: str) -> dict[str, Any]:
    return making.lesson(source.read(game))


def texts(area: str) -> set[str]:
    return set(json.loads((TEXTS / f"{area}.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_is_what_the_engine_computes_from_its_source(game: str) -> None:
    shown = (FOLDER / "lessons" / f"{game}.json").read_text(encoding="utf-8")
    assert shown == making.text_of(made(game)), "run: python -m tools.lessons"


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_begins_with_a_stone_and_ends_with_a_first_game(game: str) -> None:
    lesson = source.read(game)
    ids = [step.id for step in lesson.step]
    assert 8 <= len(ids) <= 12
    assert len(set(ids)) == len(ids)
    assert (lesson.step[0].kind, lesson.step[0].stones) == ("place", 1)
    assert [step.id for step in lesson.step if step.kind == "play"] == ids[-1:]
    assert lesson.section[0].id == "aim"
    engine.game_of(game, lesson.board, None, lesson.options)


@pytest.mark.parametrize("game", GAMES)
def test_the_answer_that_a_lesson_shows_is_in_the_picture(game: str) -> None:
    for step in made(game)["steps"]:
        window = [_drawn_at(cell) for cell in step.get("window", ())]
        for cell in step.get("solution", ()) if window else ():
            for at, seen in zip(_drawn_at(cell), zip(*window, strict=True), strict=True):
                assert min(seen) <= at <= max(seen), (step["id"], cell)


def _drawn_at(cell: str) -> tuple[float, float]:
    """Where a cell of a hexagonal lattice is drawn, in widths and rows of cells."""
    q, r = place_of(cell)
    return q + r / 2, r


@pytest.mark.parametrize("game", GAMES)
def test_every_text_of_a_lesson_exists_and_is_used(game: str) -> None:
    lesson = made(game)
    needed = set(texts_of_steps(source.read(game)))
    known, common = texts(f"learn_{game}"), texts("learn")
    rules = {f"rule_{rule.replace('-', '_')}" for rule in rules_in(lesson["steps"])}
    assert known == needed | (rules - common)


def texts_of_steps(lesson: Source) -> Iterator[str]:
    for step in lesson.step:
        yield from (step.id, f"{step.id}_title")
        if step.kind in ("place", "mark", "choose"):
            yield from (f"{step.id}_task", f"{step.id}_done")
            if step.accept != "any" or step.window:
                yield f"{step.id}_wrong"
        yield from (f"{step.id}_wrong_{name}" for name in step.wrong if name != "other")
        yield from (f"{step.id}_choice_{number}" for number in range(step.choices))


def rules_in(data: Any) -> set[str]:
    """The rules that a lesson names, at any depth."""
    if isinstance(data, dict):
        own = {data["rule"]} if "rule" in data else set()
        return own.union(*map(rules_in, data.values()))
    return set().union(*map(rules_in, data)) if isinstance(data, list) else set()


@pytest.mark.parametrize("game", GAMES)
def test_every_text_of_the_pictured_rules_exists_and_is_used(game: str) -> None:
    guide = source.read(game)
    needed = {f"picture_{picture.id}" for picture in guide.picture}
    for section in guide.section:
        needed.add(f"{section.id}_title")
        needed |= {f"{section.id}_{number + 1}" for number in range(section.paragraphs)}
    assert texts(f"guide_{game}") == needed
    shown = [name for section in guide.section for name in section.pictures]
    assert sorted(shown) == sorted(picture.id for picture in guide.picture)


def test_the_page_knows_the_titles_of_all_games() -> None:
    script = (FOLDER / "js" / "shared" / "guides.js").read_text(encoding="utf-8")
    titles = dict(re.findall(r'^  (\w+): "(.+)",$', script, re.MULTILINE))
    assert titles == {info.name: info.title for info in engine.games()}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"claims": {"captured": "3-1"}}, "captured is"),
        ({"claims": {"scores": [[4, 2], [2, 2]]}}, "scores is"),
        ({"accept": ["3-8,3-4"], "claims": {"winner": 1}}, "winner is None"),
        ({"wrong": {"other": {"reply": ["3-8"]}}}, "no reply to"),
        (
            {"wrong": {"other": {"reply": ["3-3,2-5", "3-3,2-7"], "captured": "2-1"}}},
            "no reply to",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_lesson_that_the_engine_does_not_confirm_is_refused(
    change: dict[str, Any], problem: str
) -> None:
    lesson = Source.model_validate({**SETTINGS, "step": [{**CAPTURE, **change}]})
    with pytest.raises(FalseLesson, match=problem):
        making.lesson(lesson)


def test_an_answer_that_the_source_forgets_is_noticed() -> None:
    claims = {"claims": {"is_over": False}}
    lesson = Source.model_validate({**SETTINGS, "step": [{**CAPTURE, **claims}]})
    with pytest.raises(FalseLesson, match="is as good as the answers"):
        making.lesson(lesson)


def test_a_group_that_can_be_captured_is_not_called_safe() -> None:
    save = {
        "id": "save",
        "kind": "place",
        "board": "hexhex-4",
        "turns": "1a1 1b2,2b3 1a2,2d5 1e5,2e4",
        "safe": "a1 a2",
    }
    for answer, is_safe in (("1a3", True), ("1b4", False)):
        step = {**save, "accept": [answer]}
        lesson = Source.model_validate({"game": "blooms", "board": "hexhex-4", "step": [step]})
        if is_safe:
            making.lesson(lesson)
        else:
            with pytest.raises(FalseLesson, match="captures"):
                making.lesson(lesson)


def test_a_wrong_stone_that_is_captured_at_once_is_shown_to_go() -> None:
    step = {"id": "step", "kind": "place", "turns": "d4 a4 d3 b5", "accept": ["c3"]}
    on = {"board": "square-5"}
    lesson = Source.model_validate({"game": "freego", **on, "step": [{**step, **on}]})
    (shown,) = making.lesson(lesson)["steps"]
    (frame,) = shown["node"]["legal"]["a5"]["frames"]
    assert (frame["put"], frame["gone"], frame["scores"]) == (["a5"], ["a5"], ([0], [1]))
    assert "e1" not in shown["node"]["legal"]


def test_an_illegal_answer_is_noticed() -> None:
    lesson = Source.model_validate({**SETTINGS, "step": [{**CAPTURE, "accept": ["3-8,3-9"]}]})
    with pytest.raises(engine.IllegalTurn, match="join the group"):
        making.lesson(lesson)


def test_threats_and_the_stones_that_stop_them() -> None:
    game = engine.game("hexo")
    position = game.replay(["0:0", "0:2,2:-1", "1:0,2:0", "-1:1,3:1", "3:0,1:2"])
    stones = {place_of(cell): stone.player for cell, stone in position.stones.items()}
    assert longest_row(position, 1) == ["0:0", "1:0", "2:0", "3:0"]
    ways = [{(-2, 0), (-1, 0)}, {(-1, 0), (4, 0)}, {(4, 0), (5, 0)}]
    assert threats(stones, 1) == [frozenset(way) for way in ways]
    assert {frozenset(pair) for pair in stops(stones, 1)} == {
        frozenset({(-1, 0), (4, 0)}),
        frozenset({(-1, 0), (5, 0)}),
        frozenset({(-2, 0), (4, 0)}),
    }


def test_turns_with_more_threats_than_two_stones_can_stop() -> None:
    turns = "0:0 1:1,-1:2 1:0,2:0 1:-2,4:-3 3:1,3:2 0:3,5:-1"
    position = engine.game("hexo").replay(turns.split())
    stones = {place_of(cell): stone.player for cell, stone in position.stones.items()}
    near = {(q, r) for q in range(-3, 7) for r in range(-3, 5)}
    found = unstoppable(stones, 1, near)
    assert ((3, 0), (3, 3)) in found
    assert ((-1, 0), (3, 0)) not in found  # five in a row, and two stones stop it
    assert not unstoppable(stones, 1, {(-1, 0), (3, 0)})
