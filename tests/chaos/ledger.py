"""Everything that players were told, to be compared with the server's data afterwards.

A client compares the first state after each reconnection before it sends anything, because a turn
that it sent again would hide that the server had lost it.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

GOOD_ENDS: Final = frozenset({"played_out"})
"""Our players neither resign nor leave, so every other end is the effect of a fault."""
LATE_ENDS: Final = frozenset({"time_forfeit", "abandonment", "aborted"})
"""The ends of a game whose player was stopped for longer than all limits."""

Json = dict[str, Any]


@dataclass
class Notes:
    """The notes about one game.

    `seen` is the longest list of turns that any player was shown, `told` the other data of each
    turn. `sent` has the turns that our players sent by ply, the last one last.
    """

    players: tuple[str, str]
    tournament: Json | None = None
    sent: dict[int, list[str]] = field(default_factory=dict)
    acknowledged: dict[int, str] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    told: list[Json] = field(default_factory=list)
    result: Json | None = None
    moved_at: float = field(default_factory=time.monotonic)


class Ledger:
    """`problems` are sentences about everything that was lost, or should not have happened.

    `stopped` is the player who may be late now, because they are stopped.
    """

    def __init__(self) -> None:
        self.games: dict[str, Notes] = {}
        self.problems: list[str] = []
        self.stopped: str | None = None

    def saw(self, state: Json) -> None:
        """Record a whole state that a player was shown."""
        game_id, turns = state["game_id"], turns_of(state)
        notes = self.games.get(game_id)
        if notes is None:
            one, two = (player["name"] for player in state["players"])
            notes = self.games[game_id] = Notes((one, two), state.get("tournament"))
        if turns[: len(notes.seen)] != notes.seen[: len(turns)]:
            self.problems.append(f"{game_id}: was {notes.seen}, is {turns}")
        self._compare_clocks(notes, state)
        if len(turns) > len(notes.seen):
            notes.seen, notes.moved_at = turns, time.monotonic()
            notes.told = state["turns"]
        if state["result"] is not None and notes.result is None:
            notes.result = state["result"]
            if not self._is_good(notes, notes.result):
                self.problems.append(f"{game_id}: ended by {notes.result['reason']}")

    def _is_good(self, notes: Notes, result: Json) -> bool:
        if result["reason"] in GOOD_ENDS:
            return True
        winners = {None, *(3 - seat for seat in (1, 2) if notes.players[seat - 1] == self.stopped)}
        is_late = result["reason"] in LATE_ENDS and self.stopped in notes.players
        return is_late and result["winner"] in winners

    def _compare_clocks(self, notes: Notes, state: Json) -> None:
        """Check that the times of earlier turns have not changed, and that the waiting player's
        clock is stopped.
        """
        game_id = state["game_id"]
        for ply, (then, now) in enumerate(zip(notes.told, state["turns"], strict=False)):
            if any(then[key] != now[key] for key in ("time_ms", "clock")):
                self.problems.append(f"{game_id}: the clock of turn {ply} was changed")
        if state["result"] is None and state["turns"]:
            left = state["clocks"]["players"][(len(state["turns"]) - 1) % 2]
            if left != state["turns"][-1]["clock"]:
                self.problems.append(f"{game_id}: the clock of the player who waits was changed")

    def sending(self, game_id: str, ply: int, turn: str) -> None:
        self.games[game_id].sent.setdefault(ply, []).append(turn)

    def sent(self, game_id: str, ply: int) -> list[str]:
        """Return the turns that were sent for a ply so far."""
        return self.games[game_id].sent.get(ply, [])

    def acknowledged(self, game_id: str, ply: int, turn: str) -> None:
        self.games[game_id].acknowledged[ply] = turn

    def promised_to(self, name: str) -> dict[str, dict[int, str]]:
        """Return `promises`, for the running games of one player."""
        running = {key for key, notes in self.games.items() if notes.result is None}
        return {
            key: turns
            for key, turns in self.promises().items()
            if key in running and name in self.games[key].players
        }

    def came_back(self, state: Json, promised: Mapping[int, str]) -> None:
        """Take the first state of a game after a reconnection, with the turns that it must show.

        The game may be new, because it can start while both players are away.
        """
        self.saw(state)
        self.compare(state["game_id"], promised, turns_of(state))

    def running(self) -> dict[str, int]:
        """Return the running games, and their known numbers of turns."""
        return {name: len(game.seen) for name, game in self.games.items() if game.result is None}

    def moved_on(self, before: Mapping[str, int], plies: int) -> bool:
        """Return whether each of those games has had that many more turns, or has ended."""
        return all(
            self.games[name].result is not None or len(self.games[name].seen) >= count + plies
            for name, count in before.items()
        )

    def standing(self, before: Mapping[str, int]) -> dict[str, str]:
        """Return how many turns those of the games have that are not over."""
        games = {name: self.games[name] for name in before}
        return {
            name: f"{' - '.join(notes.players)}: {before[name]} then, {len(notes.seen)} now"
            for name, notes in games.items()
            if notes.result is None
        }

    def promises(self) -> dict[str, dict[int, str]]:
        """Return by game the turns, by ply, that the server must have from now on."""
        return {
            name: {
                **dict(enumerate(notes.seen)),
                **notes.acknowledged,
            }
            for name, notes in self.games.items()
        }

    def compare(self, game_id: str, promised: Mapping[int, str], turns: list[str]) -> None:
        """Record what the server's own list of turns lacks, or has and should not have."""
        notes = self.games[game_id]
        for ply, turn in sorted(promised.items()):
            if ply >= len(turns):
                self.problems.append(f"{game_id}: turn {ply} ({turn}) is lost")
            elif turns[ply] != turn:
                self.problems.append(f"{game_id}: turn {ply} was {turn}, is {turns[ply]}")
        for ply, turn in enumerate(turns):
            if turn not in notes.sent.get(ply, [turn]):
                self.problems.append(f"{game_id}: turn {ply} is {turn}, which nobody sent")


def turns_of(state: Json) -> list[str]:
    return [played["turn"] for played in state["turns"]]
