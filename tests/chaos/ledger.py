"""What players were told, to be compared with what the server has afterwards."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

GOOD_ENDS: Final = frozenset({"played_out"})
"""Our players neither resign nor leave: every other end is a fault's work."""

Json = dict[str, Any]


@dataclass
class Notes:
    """One game; `seen` is the longest list of turns that anybody was shown."""

    players: tuple[str, str]
    sent: dict[int, str] = field(default_factory=dict)
    acknowledged: set[int] = field(default_factory=set)
    seen: list[str] = field(default_factory=list)
    result: Json | None = None
    moved_at: float = field(default_factory=time.monotonic)


class Ledger:
    """`problems` are sentences about everything that was lost, or should not have happened."""

    def __init__(self) -> None:
        self.games: dict[str, Notes] = {}
        self.problems: list[str] = []

    def saw(self, state: Json) -> None:
        """A whole state that a player was shown."""
        game_id, turns = state["game_id"], turns_of(state)
        notes = self.games.get(game_id)
        if notes is None:
            one, two = (player["name"] for player in state["players"])
            notes = self.games[game_id] = Notes((one, two))
        if turns[: len(notes.seen)] != notes.seen[: len(turns)]:
            self.problems.append(f"{game_id}: was {notes.seen}, is {turns}")
        if len(turns) > len(notes.seen):
            notes.seen, notes.moved_at = turns, time.monotonic()
        if state["result"] is not None and notes.result is None:
            notes.result = state["result"]
            if notes.result["reason"] not in GOOD_ENDS:
                self.problems.append(f"{game_id}: ended by {notes.result['reason']}")

    def sending(self, game_id: str, ply: int, turn: str) -> None:
        self.games[game_id].sent[ply] = turn

    def acknowledged(self, game_id: str, ply: int) -> None:
        self.games[game_id].acknowledged.add(ply)

    def running(self) -> dict[str, int]:
        """The running games, and how many turns they are known to have."""
        return {name: len(game.seen) for name, game in self.games.items() if game.result is None}

    def moved_on(self, before: Mapping[str, int], plies: int) -> bool:
        """Whether each of those games has had so many more turns, or has ended."""
        return all(
            self.games[name].result is not None or len(self.games[name].seen) >= count + plies
            for name, count in before.items()
        )

    def standing(self, before: Mapping[str, int]) -> dict[str, str]:
        """How many turns those of the games have that are not over."""
        games = {name: self.games[name] for name in before}
        return {
            name: f"{' - '.join(notes.players)}: {before[name]} then, {len(notes.seen)} now"
            for name, notes in games.items()
            if notes.result is None
        }

    def promises(self) -> dict[str, dict[int, str]]:
        """By game: the turns, by ply, that the server must have from now on."""
        return {
            name: {
                **dict(enumerate(notes.seen)),
                **{ply: notes.sent[ply] for ply in notes.acknowledged},
            }
            for name, notes in self.games.items()
        }

    def compare(self, game_id: str, promised: Mapping[int, str], turns: list[str]) -> None:
        """Note what the server's own list of turns lacks, or has and should not have."""
        notes = self.games[game_id]
        for ply, turn in sorted(promised.items()):
            if ply >= len(turns):
                self.problems.append(f"{game_id}: turn {ply} ({turn}) is lost")
            elif turns[ply] != turn:
                self.problems.append(f"{game_id}: turn {ply} was {turn}, is {turns[ply]}")
        for ply, turn in enumerate(turns):
            if notes.sent.get(ply, turn) != turn:
                self.problems.append(f"{game_id}: turn {ply} is {turn}, which nobody sent")


def turns_of(state: Json) -> list[str]:
    return [played["turn"] for played in state["turns"]]
