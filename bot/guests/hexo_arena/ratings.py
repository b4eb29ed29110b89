"""The rating log: one line of JSON after each rated game, with the rating that the site shows."""

import asyncio
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

import structlog

from bot.errors import HostError
from bot.runtime.files import append, make_folder, open_private

RATINGS: Final = "ratings.jsonl"

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class RatedGame:
    """`rating` is ours after the game, `opponent_rating` the opponent's before it.

    `at` is the time of day in ISO 8601. `result` is None in a game without a winner.
    """

    at: str
    game: str
    opponent: str
    opponent_rating: float | None
    result: Literal["won", "lost"] | None
    reason: str
    rating: float
    provisional: bool


class RatingLog:
    """The file of ratings in the identity's own folder."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._games: set[str] | None = None

    async def has(self, game_id: str) -> bool:
        """Return whether the log has that game."""
        return game_id in await self._known()

    async def _known(self) -> set[str]:
        if self._games is None:
            self._games = await asyncio.to_thread(self._read)
        return self._games

    async def add(self, game: RatedGame) -> None:
        """Append a line, one for each game.

        A failure is logged: the log is for people, and no game depends on it.
        """
        known = await self._known()
        if game.game in known:
            return
        known.add(game.game)
        log.info("rating", **asdict(game))
        try:
            await asyncio.to_thread(self._append, json.dumps(asdict(game), ensure_ascii=False))
        except (OSError, HostError) as error:
            log.warning("rating_not_written", why=str(error))

    def _append(self, line: str) -> None:
        make_folder(self._path.parent)
        with open_private(self._path) as file:
            append(file.fileno(), f"{line}\n".encode())

    def _read(self) -> set[str]:
        """Return the games in the file; damaged lines are skipped."""
        found = set[str]()
        try:
            lines = self._path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return found
        for line in lines:
            try:
                found.add(str(json.loads(line)["game"]))
            except (ValueError, KeyError, TypeError):
                continue
        return found
