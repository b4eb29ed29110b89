"""The settings of a tournament: a TOML file, which is checked as a whole before anything starts."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

import engine
from bot.runtime.names import PlayerName, look_of, tidy
from bot.runtime.settings import (
    EVENT_NAME,
    GameName,
    OneLine,
    Place,
    Problem,
    SettingsTable,
    did_you_mean,
)
from bot.time_controls import PerTurn, TimeControl, Untimed, parse_time_control
from bot.tournaments.conduct import HostConduct
from bot.tournaments.formats.base import FEWEST
from bot.tournaments.formats.choice import (
    format_of,
    format_problems,
    is_known,
    problems_with,
    takes_forbidden,
)
from bot.tournaments.model import Entrant, MatchSetup, Name, StatedRating
from bot.tournaments.schedule import Mix
from bot.tournaments.sprt import Bounds, Model
from bot.tournaments.tie_breaks import TieBreak


def limit_of(text: str) -> TimeControl:
    """The clock in a text such as `10+0.1`, or `100ms` or `1.5s` per turn. Raises ValueError."""
    if milliseconds := re.fullmatch(r"(\d{1,9})ms", text.strip()):
        return PerTurn(turn_s=int(milliseconds[1]) / 1000)
    if seconds := re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)s", text.strip()):
        return PerTurn(turn_s=float(seconds[1]))
    try:
        return parse_time_control(text)
    except ValueError as error:
        raise ValueError(f"{error}; or 100ms or 1.5s per turn") from error


def _clock_text(clock: str) -> str:
    if isinstance(limit_of(clock), Untimed):
        raise ValueError("a turn needs a limit: a clock, or nodes")  # noqa: TRY004
    return clock


def _texts(value: object) -> object:
    """The options of a game as texts; a file may also write them as numbers."""
    if not isinstance(value, dict):
        return value
    return {key: str(each) if isinstance(each, int) else each for key, each in value.items()}


ClockText = Annotated[OneLine, Field(max_length=60), AfterValidator(_clock_text)]


class SetupTable(SettingsTable):
    """One setup of a file. Missing keys have the defaults of the game."""

    game: GameName = "bluestone"
    board: OneLine | None = None
    rules: OneLine | None = None
    options: Annotated[dict[str, OneLine], BeforeValidator(_texts)] = Field(default_factory=dict)
    clock: ClockText | None = None
    nodes: Annotated[int, Field(ge=1, le=10**12)] | None = None
    openings: OneLine | None = Field(
        None, description="a file, or `random:PLIES`; in place of the tournament's"
    )

    @model_validator(mode="after")
    def _one_limit(self) -> Self:
        if self.clock is not None and self.nodes is not None:
            raise ValueError("`clock` and `nodes` are both given; a turn has one limit")
        if self.clock is None and self.nodes is None:
            raise ValueError("give either `clock` or `nodes`")
        return self

    def chosen(self) -> engine.Game:
        """The game of this setup. Raises engine.UnknownGame."""
        return engine.game_of(self.game, self.board, self.rules, self.options)

    def setup(self) -> MatchSetup:
        """The complete setup, with all defaults. Raises engine.UnknownGame."""
        game = self.chosen()
        return MatchSetup(
            game=game.name,
            board=game.board.name,
            rules=game.rule_set,
            options={name: str(value) for name, value in game.options},
            clock=Untimed() if self.clock is None else limit_of(self.clock),
            nodes=self.nodes,
        )


class FormatTable(BaseModel):
    """The format: a `kind`, and the options of that kind."""

    model_config = ConfigDict(frozen=True, extra="allow")

    kind: OneLine = "round-robin"

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


Elo = Annotated[float, Field(ge=-1000, le=1000, allow_inf_nan=False)]


class SprtTable(SettingsTable):
    """A sequential test of the first player against the second, in Elo."""

    elo0: Elo = 0.0
    elo1: Elo = 5.0
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    beta: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    model: Model = "logistic"

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.elo0 >= self.elo1:
            raise ValueError(f"elo0 must be less than elo1, which is {self.elo1:g}")
        _ = self.bounds  # checks the rest
        return self

    @property
    def bounds(self) -> Bounds:
        return Bounds(self.elo0, self.elo1, self.alpha, self.beta, self.model)


def _once_each(tie_breaks: tuple[TieBreak, ...]) -> tuple[TieBreak, ...]:
    for place, each in enumerate(tie_breaks):
        if each in tie_breaks[:place]:
            raise ValueError(f"{each} is listed twice; the second has no effect")
    return tie_breaks


class EventSettings(SettingsTable):
    """The settings of a tournament without its players, which differ from host to host."""

    name: Annotated[Name, Field(pattern=EVENT_NAME), AfterValidator(tidy)] = "tournament"
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0
    format: FormatTable = FormatTable()
    setups: tuple[SetupTable, ...]
    mix: Mix = "rotate"
    games_per_pairing: Annotated[int, Field(ge=1, le=100_000)] = 2
    openings: OneLine | None = Field(None, description="a file, or `random:PLIES`")
    openings_order: Literal["file", "random"] = "file"
    openings_start: Annotated[int, Field(ge=1)] = 1
    tie_breaks: Annotated[tuple[TieBreak, ...], AfterValidator(_once_each)] | None = None
    forbidden: tuple[tuple[PlayerName, PlayerName], ...] = ()
    sprt: SprtTable | None = None
    conduct: HostConduct = HostConduct()


class PlayerTable(SettingsTable):
    """One player of a file. The order of the players is the order of seeding."""

    name: PlayerName
    rating: StatedRating | None = None

    @property
    def entrant(self) -> Entrant:
        return Entrant(name=self.name, rating=self.rating)


class TournamentSettings(EventSettings):
    """The settings of a host that knows its players by name."""

    players: tuple[PlayerTable, ...]


# ---- checks of several values ------------------------------------------------------------------
# They read the raw tables of the file, so that they also report their errors if a value is invalid.


def cross_checks(raw: Mapping[str, Any]) -> list[Problem]:
    """The errors that follow from several values together."""
    return [
        *_check_players(raw),
        *_check_setups(raw),
        *_check_games(raw),
        *_check_format(raw),
        *_check_forbidden(raw),
    ]


def _check_players(raw: Mapping[str, Any]) -> Iterator[Problem]:
    players = raw.get("players", [])
    if not isinstance(players, list):
        return
    if len(players) < FEWEST:
        found = f"{len(players)} listed; at least {FEWEST} are needed, each in a [[players]] table"
        yield ("players",), found
    first: dict[str, int] = {}
    for index, name in _names(players):
        if (earlier := first.setdefault(look_of(name), index)) == index:
            continue
        other = dict(_names(players))[earlier]
        how = "is also" if name == other else f"looks like {other!r},"
        yield ("players", index, "name"), f"{name!r} {how} the name of players[{earlier}]"


def _names(players: list[object]) -> Iterator[tuple[int, str]]:
    for index, table in enumerate(players):
        if isinstance(table, dict) and isinstance(name := table.get("name"), str):
            with suppress(ValueError):  # the model reports it
                yield index, tidy(name)


def _check_setups(raw: Mapping[str, Any]) -> Iterator[Problem]:
    setups = raw.get("setups", [])
    if setups == []:
        yield ("setups",), "none listed; add a [[setups]] table with a clock or nodes"
    for index, table in enumerate(setups if isinstance(setups, list) else ()):
        if isinstance(table, dict):
            yield from _check_setup(table, ("setups", index))


def _check_setup(table: dict[str, Any], place: Place) -> Iterator[Problem]:
    try:
        SetupTable.model_validate({**table, "clock": "1", "nodes": None}).chosen()
    except ValidationError:
        return  # the model reports it
    except engine.UnknownGame as error:
        key = {"board": "board", "rule set": "rules"}.get(error.what, "options")
        yield (*place, key), str(error)


def _check_games(raw: Mapping[str, Any]) -> Iterator[Problem]:
    games, setups = raw.get("games_per_pairing"), raw.get("setups", [])
    listed = setups if isinstance(setups, list) else []
    tables = [raw, *(each for each in listed if isinstance(each, dict))]
    if isinstance(games, int) and games % 2 and any(each.get("openings") for each in tables):
        why = "two games are played from each opening, with the seats swapped"
        yield ("games_per_pairing",), f"{why}, so the number must be even, not {games}"


def _check_format(raw: Mapping[str, Any]) -> Iterator[Problem]:
    table = raw.get("format", {})
    if isinstance(table, dict) and isinstance(kind := table.get("kind", "round-robin"), str):
        options = {key: value for key, value in table.items() if key != "kind"}
        wrong = list(format_problems(kind, options))
        yield from ((("format", *place), text) for place, text in wrong)
        players = raw.get("players", [])
        names = [name for _, name in _names(players)] if isinstance(players, list) else []
        if not wrong and len(names) >= FEWEST:
            yield from (
                (("format",), text) for text in problems_with(format_of(kind, **options), names)
            )
        if raw.get("sprt") is not None and is_known(kind) and kind != "sprt":
            yield (
                ("sprt",),
                f'a sequential test needs `kind = "sprt"`, not {kind}',
            )
        if raw.get("forbidden") and is_known(kind) and not takes_forbidden(kind):
            yield ("forbidden",), f"the format {kind} has no forbidden pairs"


def _check_forbidden(raw: Mapping[str, Any]) -> Iterator[Problem]:
    players, pairs = raw.get("players", []), raw.get("forbidden", [])
    if not (isinstance(players, list) and isinstance(pairs, list)):
        return
    known = [name for _, name in _names(players)]
    for index, pair in enumerate(pairs):
        for name in pair if isinstance(pair, list) else ():
            if isinstance(name, str) and name.strip() not in known:
                yield (
                    ("forbidden", index),
                    f"there is no player {name!r}{did_you_mean(name, known)}",
                )
