"""Computes lessons from their sources: every position, answer and refusal comes from the engine."""

import json
from typing import Any

import engine
from bot.arena.games import referee
from tools.lessons.finding import found_cells
from tools.lessons.frames import FalseLesson, check, frames_of, noted
from tools.lessons.placing import Placing
from tools.lessons.source import Position, Section, Source, Step


def lesson(source: Source) -> dict[str, Any]:
    """The data of a game's lesson and pictured rules. Raises FalseLesson, engine.EngineError."""
    pictures = [_pictured(source.game, each) for each in source.picture]
    known = {each.id for each in source.picture}
    sections = [_section(each, known) for each in source.section]
    return {
        "game": source.game,
        "board": source.board,
        "options": source.options,
        "steps": [_step(source.game, each) for each in source.step],
        "sections": sections,
        "pictures": pictures,
    }


def text_of(made: dict[str, Any]) -> str:
    """A lesson as JSON, with a line for each step and picture."""
    parts = []
    for name, value in made.items():
        if name in ("steps", "sections", "pictures"):
            lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in value)
            parts.append(f'"{name}": [\n{lines}\n]')
        else:
            parts.append(f'"{name}": {json.dumps(value)}')
    return "{" + ",\n".join(parts) + "}\n"


def _section(section: Section, known: set[str]) -> dict[str, Any]:
    if missing := set(section.pictures) - known:
        raise FalseLesson(f"{section.id}: no picture {missing}")
    return {
        "id": section.id,
        "paragraphs": section.paragraphs,
        "pictures": list(section.pictures),
    }


def _pictured(game: str, picture: Position) -> dict[str, Any]:
    position = picture.game(game).replay(picture.turns.split())
    check(picture.id, picture.claims, position)
    return _common(picture, position)


def _common(at: Position, position: engine.Position) -> dict[str, Any]:
    view = referee.view(position)
    return {
        "id": at.id,
        "board": at.board,
        "position": {
            "stones": view.stones,
            "last": view.last if at.turns else [],
            "captured": view.captured,
            "marks": view.marks,
            "scores": view.scores,
        },
        "seat": position.to_play,
        **noted("notes", at.notes),
        **({"window": at.window.split()} if at.window else {}),
    }


def _step(game: str, step: Step) -> dict[str, Any]:
    position = step.game(game).replay(step.turns.split())
    made = {**_common(step, position), "kind": step.kind}
    match step.kind:
        case "place":
            made |= Placing(step, position).data()
        case "mark":
            cells = found_cells(position, step.find)
            if not cells:
                raise FalseLesson(f"{step.id}: there is nothing to find")
            made |= {"cells": cells, "one": step.is_one}
            check(step.id, step.claims, position)
        case "choose":
            made |= {"choices": step.choices, "right": step.right}
            check(step.id, step.claims, position)
        case "read" | "play":
            *_, last = frames = list(frames_of(position, step.film.split())) or [{}]
            if last:
                made["film"] = frames
                position = position.game.replay([*position.turns, *step.film.split()])
            check(step.id, step.claims, position)
    return {**made, **noted("after", step.after)}
