"""Measures the strength of one engine against another, by a match in a temporary folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import engine
from bot.engines.spec import EngineSpec
from bot.errors import HostError
from bot.matches.run import run_event
from bot.matches.settings import settings_of
from bot.matches.summary import GameTally, PlayerScore, PlayerSummary, summaries, summary_of
from bot.records.model import GameRecord
from bot.time_source import TimeSource
from bot.tournaments.events import Event, Finished
from bot.tournaments.state import Tournament

PATIENCE_MS: Final = 5000
"""How late a turn may come. The margin is long: the match measures strength and not punctuality."""


@dataclass(frozen=True)
class TurnLimit:
    """The limit of each turn: either milliseconds or nodes."""

    movetime_ms: int | None = None
    nodes: int | None = None

    def __str__(self) -> str:
        return f"nodes {self.nodes}" if self.nodes else f"movetime {self.movetime_ms}"

    @property
    def fields(self) -> dict[str, object]:
        """The limit as keys of a [[setups]] table."""
        return {"nodes": self.nodes} if self.nodes else {"clock": f"{self.movetime_ms}ms"}


OnGame = Callable[[GameRecord, PlayerScore], None]
"""Called after each game with its record and the player's score so far."""


async def measure_strength(
    player: EngineSpec,
    opponent: EngineSpec,
    game: engine.Game,
    limit: TurnLimit,
    games: int,
    time: TimeSource,
    on_game: OnGame,
    seed: int = 0,
) -> tuple[PlayerSummary, PlayerSummary]:
    """Play `games` games, one after the other, with seats swapped each time. Returns both scores.

    Raises ConfigurationError if an engine does not start, and HostError if a signal stops it.
    """
    tables = [each.model_dump(exclude_unset=True) for each in (player, opponent)]
    name, other = player.name, opponent.name
    if name == other:
        other = f"{opponent.name[:50]} (2)"
    raw = _settings([{**tables[0], "name": name}, {**tables[1], "name": other}], game, limit)

    tally = GameTally()

    def watch(tournament: Tournament, event: Event) -> None:
        if isinstance(event, Finished) and event.record is not None:
            on_game(event.record, summary_of(tally.of(tournament), name))

    settings = settings_of({**raw, "games_per_pairing": games, "seed": seed}, "match")
    with TemporaryDirectory(prefix="bluestone-match-") as folder:
        tournament = await run_event(settings, Path(folder), time, watch, lambda _: None)
    if tournament is None or tournament.ended is None:
        raise HostError("interrupted")
    found = summaries(tournament)
    return summary_of(found, name), summary_of(found, other)


def _settings(players: list[dict[str, Any]], game: engine.Game, limit: TurnLimit) -> dict[str, Any]:
    setup = {
        "game": game.name,
        "board": game.board.name,
        "rules": game.rule_set,
        "options": {name: str(value) for name, value in game.options},
        **limit.fields,
    }
    return {"players": players, "setups": [setup], "conduct": {"margin_ms": PATIENCE_MS}}
