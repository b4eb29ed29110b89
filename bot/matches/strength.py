"""How strong one engine is against another: a match in a folder that is not kept."""

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
from bot.matches.summary import PlayerScore, PlayerSummary, Tally, summaries, summary_of
from bot.records.model import GameRecord
from bot.time_source import TimeSource
from bot.tournaments.events import Event, Finished
from bot.tournaments.state import Tournament

PATIENCE_MS: Final = 5000
"""How much longer than it was told an engine may take: what is measured is not how punctual it is.
"""


@dataclass(frozen=True)
class TurnLimit:
    """What an engine may use for each turn: either milliseconds or nodes."""

    movetime_ms: int | None = None
    nodes: int | None = None

    def __str__(self) -> str:
        return f"nodes {self.nodes}" if self.nodes else f"movetime {self.movetime_ms}"

    @property
    def fields(self) -> dict[str, object]:
        """As in the [[setups]] of a tournament."""
        return {"nodes": self.nodes} if self.nodes else {"clock": f"{self.movetime_ms}ms"}


OnGame = Callable[[GameRecord, PlayerScore], None]
"""Is called with each game, and with how the player has done by then."""


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
    """How both did in so many games, one after the other, with the seats changed each time.

    Raises ConfigurationError if an engine does not start.
    """
    tables = [each.model_dump(exclude_unset=True) for each in (player, opponent)]
    name, other = player.name, opponent.name
    if name == other:
        other = f"{opponent.name[:50]} (2)"
    raw = _settings([{**tables[0], "name": name}, {**tables[1], "name": other}], game, limit)

    tally = Tally()

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
