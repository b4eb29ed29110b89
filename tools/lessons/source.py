"""The sources of lessons: one file in TOML for each game, beside this module."""

import tomllib
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

import engine

FOLDER: Final = Path(__file__).parent
GAMES: Final = ("bluestone", "blooms", "stargazers", "hexo", "freego")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Notes(_Part):
    """What is drawn on a board besides its stones. Cells are separated by blanks.

    `group` and `rays` name cells: the group of the stone there, and what a stone there sees;
    `last` as a group is that of the last turn's first stone.
    `arrows` are pairs of cells such as `a1>b2`. `labels` has texts by cell.
    """

    cells: str = ""
    good: str = ""
    bad: str = ""
    group: str = ""
    rays: str = ""
    arrows: tuple[str, ...] = ()
    labels: dict[str, str] = {}


class Claims(_Part):
    """What the texts of a step say; it must be true after the answer, or in the position."""

    captured: str | None = None
    scores: tuple[int | list[int], int | list[int]] | None = None
    winner: int | None = None
    is_over: bool | None = None
    uninspired: str | None = None
    closed: str | None = None
    stars: dict[str, int] | None = None
    """How many stars the stones on these cells gaze at."""


class Wrong(_Part):
    """Why some cells are no answer.

    `reply` lists turns of the opponent: the first one that is legal, captures `captured`, and wins
    if `wins` is set, is played to show it. `cells` may also have steps with the digit of a kind.
    The text's key ends with the name of this part.
    """

    cells: str = ""
    reply: tuple[str, ...] = ()
    captured: str = ""
    wins: bool = False
    notes: Notes = Notes()


class Position(_Part):
    """A position by its turns, and what is drawn on it."""

    id: str = Field(pattern=r"^[a-z0-9_]+$")
    board: str
    options: dict[str, str | int] = {}
    turns: str = ""
    notes: Notes = Notes()
    claims: Claims = Claims()
    window: str = ""
    """On an unbounded board: the cells that must be seen."""

    def game(self, name: str) -> engine.Game:
        return engine.game_of(name, self.board, None, self.options)


class Step(Position):
    """A step of a lesson.

    - `read`: there is nothing to do; `film` lists turns that are played one after the other.
    - `place`: `stones` stones; `begun` has the stone of this turn that is already placed. `accept`
      lists complete turns, or is a word: `any`; in HeXO `stops` for all turns that take away the
      opponent's threats, `unstoppable` for those that make more threats than two stones stop.
      `reply` are the opponent's turns after the answer, of which the first legal one is played.
      No turn of the opponent captures a stone on the cells `safe` after the answer.
    - `mark`: `find` says which cells must be found, all or (`is_one`) one of them.
    - `choose`: one of the `options_of` texts; `right` is the number of the right one, from 0.
    """

    kind: Literal["read", "place", "mark", "choose", "play"]
    film: str = ""
    stones: int = 1
    begun: str = ""
    accept: tuple[str, ...] | Literal["any", "stops", "unstoppable"] = ()
    safe: str = ""
    reply: tuple[str, ...] = ()
    after: Notes = Notes()
    wrong: dict[str, Wrong] = {}
    find: str = ""
    is_one: bool = False
    choices: int = 0
    right: int = 0


class Section(_Part):
    """A section of the pictured rules: a heading, paragraphs, and pictures by their ids."""

    id: str = Field(pattern=r"^[a-z0-9_]+$")
    paragraphs: int = 1
    pictures: tuple[str, ...] = ()


class Source(_Part):
    """The lesson and the pictured rules of a game, and the setup of a first game."""

    game: str
    board: str
    options: dict[str, str] = {}
    step: tuple[Step, ...]
    section: tuple[Section, ...] = ()
    picture: tuple[Position, ...] = ()


def read(game: str) -> Source:
    """Raises OSError, ValueError."""
    text = (FOLDER / f"{game}.toml").read_text(encoding="utf-8")
    return Source.model_validate(tomllib.loads(text))
