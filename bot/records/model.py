"""The game record: one structured document per game, for games from any server."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

import engine
from bot.time_controls import PlayerClock, TimeControl

FORMAT: Final = "bluestone-record-1"
NOT_DECIDED: Final = frozenset({"aborted", "no_show", "unknown"})
"""Reasons with which a game without a winner is no draw either: it was aborted, neither player
came, or the server did not tell the result.
"""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EngineSettings(_Part):
    """An engine's own name, and the options that were set."""

    name: str
    author: str | None = None
    options: dict[str, str] = Field(default_factory=dict)


class RecordedPlayer(_Part):
    name: str
    kind: Literal["bot", "person", "guest"]
    user_id: str | None = Field(None, description="the platform's id, if it has one")
    engine: EngineSettings | None = None
    clock: TimeControl | None = Field(
        None, description="the player's own clock, if it differs from the game's"
    )


class RecordedTurn(_Part):
    """One turn. `value` is the mover's own chance to win, as its engine states it."""

    turn: str
    captured: list[str] = Field(default_factory=list)
    time_ms: int | None = Field(None, description="thinking time by the server's clock")
    clock: PlayerClock | None = Field(None, description="the mover's clock after the turn")
    value: Annotated[float, Field(ge=0, le=1)] | None = None
    visits: int | None = None
    pv: list[str] = Field(default_factory=list)
    source: str | None = Field(None, description="engine, fallback, forced, person or opening")


class RecordedResult(_Part):
    """The result of a game. `winner` is null in a draw, and in a game that is not decided."""

    winner: Literal[1, 2] | None
    reason: str = Field(description="played_out, resignation, time_forfeit, ...")
    message: str = ""

    @property
    def is_draw(self) -> bool:
        return is_draw(self.winner, self.reason)


class GameRecord(_Part):
    """A game from its setup to its end. `turns` replays from the start position."""

    format: Literal["bluestone-record-1"] = FORMAT
    id: str
    platform: str = Field(description="arena, abstract-play, terminal, ...")
    game: str
    board: str
    rules: str
    options: dict[str, str] = Field(default_factory=dict)
    rated: bool = False
    event: str | None = Field(None, description="the tournament of the game")
    round: int | None = Field(None, description="round of the tournament, from 1")
    clock: TimeControl
    players: tuple[RecordedPlayer, RecordedPlayer]
    turns: list[RecordedTurn] = Field(default_factory=list)
    result: RecordedResult | None = Field(None, description="null while the game runs")
    scores: tuple[list[int], list[int]] | None = None
    takebacks: int = Field(
        0, description="how often turns were taken back; `turns` has none of them"
    )
    hints: int = Field(0, description="how often an engine gave a hint to a person")
    started_at: datetime
    ended_at: datetime | None = None
    software: str = Field(description="program and version that wrote the record")


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema of one record (one line of a JSON Lines file)."""
    schema = GameRecord.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def is_draw(winner: int | None, reason: str) -> bool:
    """Return whether a finished game is a draw. See NOT_DECIDED for others without a winner."""
    return winner is None and reason not in NOT_DECIDED


def known_game(name: str) -> engine.GameInfo | None:
    """Return the game of that name, or None if the engine does not have it."""
    return next((known for known in engine.games() if known.name == name), None)


def option_words(game: str, option: str) -> str:
    """Return what people call an option: its name, or its title if the name is not a word."""
    known = known_game(game)
    titles = {} if known is None else {each.name: each.title for each in known.options}
    title = titles.get(option, option)
    return option if option.isalpha() else title[:1].lower() + title[1:]


def refused_option(game: str, error: engine.UnknownGame) -> str:
    """Return why a game does not exist, with the option that it is about as people call it."""
    if not isinstance(error, engine.InvalidOption):
        return str(error)
    return option_words(game, error.option) + str(error).removeprefix(error.option)


def score_lists(position: engine.Position) -> tuple[list[int], list[int]]:
    """Return a list for each player, also in games whose score is one number."""
    first, second = (
        [score] if isinstance(score, int) else list(score) for score in position.scores
    )
    return first, second


def own_losses(before: engine.Position, after: engine.Position) -> tuple[str, ...]:
    """Return which cells of `after.captured` had stones of the player who played that turn.

    In Free Go a player's own chain without liberties is captured, for the opponent.
    """
    mover = before.to_play
    owners = {cell: stone.player for cell, stone in before.stones.items()} if after.captured else {}
    return tuple(cell for cell in after.captured if owners.get(cell, mover) == mover)


def describe_scores(game: str, scores: list[int]) -> str:
    """Describe one player's scores in words, such as `groups 8 5` or `captured 12`."""
    known = known_game(game)
    word = "score" if known is None else known.score_word
    return f"{word} {' '.join(str(score) for score in scores) or 'none'}"


def early_end_words(position: engine.Position, names: tuple[str, str]) -> str:
    """Describe in a sentence why a game ends early, with the players' names; "" if it does not."""
    end = position.early_end
    if end is None:
        return ""
    winner, loser = names[end.winner - 1], names[2 - end.winner]
    how = "by Ludii's estimate" if position.over else "because the winner is certain"
    numbers = f"{loser} keeps at least {end.assured}, and {winner} gets at most {end.potential}"
    return f"The game ends early, {how}: {numbers}."
