"""A made-up tournament of random games, with every kind of event.

python -m tests.bot.matches.made_up DIR                 # writes DIR/ledger.jsonl
python -m tests.bot.matches.made_up DIR --copies 20     # the number of games in each pairing
"""

import argparse
import random
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import orjson

import engine
from bot.matches.ledger import Chain, LedgerEntry
from bot.matches.report.chronicle import Chronicle
from bot.matches.task import fingerprint_of
from bot.records.model import GameRecord, RecordedPlayer, RecordedResult, RecordedTurn, score_lists
from bot.time_controls import Fischer, PerTurn, TimeControl
from bot.tournaments import events as e
from bot.tournaments.formats.swiss import PAIRED_BY
from bot.tournaments.model import Bye, Entrant, GameResult, MatchSetup, Pairing, ScheduledGame
from bot.tournaments.state import replayed
from tests.fakes.time import EPOCH

NAMES: Final = ("Basalt", "Marble", 'Gneiss <b>&"', "Slate", "Flint", "Chalk")
SETUPS: Final = (
    MatchSetup(game="bluestone", board="pent-4", rules="official", clock=PerTurn(turn_s=0.1)),
    MatchSetup(
        game="blooms",
        board="hexhex-4",
        rules="official",
        clock=Fischer(initial_s=10, increment_s=0.1),
    ),
)
ROUNDS: Final = 5
SETTINGS: Final = {
    "format": {"kind": "swiss", "rounds": ROUNDS},
    "tie_breaks": ["buchholz", "sonneborn_berger", "direct_encounter"],
    "sprt": {"elo0": 0.0, "elo1": 20.0, "alpha": 0.05, "beta": 0.05},
}
LATE: Final = "Chalk"
"""Withdraws after the third round, so that a player has a bye in the fourth and the fifth."""

Dated = tuple[datetime, e.Event]


def tournament(games_each: int = 2, seed: int = 1) -> list[Dated]:
    """Five rounds of six players, with `games_each` (an even number) in each pairing."""
    made = _Maker(games_each, seed)
    return [*_dated(made.events())]


def write(folder: Path, dated: Iterable[Dated]) -> Path:
    """Write a ledger into a folder. Returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "ledger.jsonl"
    chain = Chain()
    path.write_bytes(b"".join(line(at, event, chain) for at, event in dated))
    return path


def line(at: datetime, event: e.Event, chain: Chain) -> bytes:
    """One line of a ledger, as hosts write it, with its checksum."""
    fields = {"at": at.isoformat(), "event": event.model_dump(mode="json")}
    return chain.sealed(orjson.dumps(fields))


def chronicle(dated: Iterable[Dated]) -> Chronicle:
    """The chronicle of these events. Raises ImpossibleEvent if they contradict each other."""
    entries = tuple(LedgerEntry(at=at, event=event) for at, event in dated)
    return Chronicle(replayed(entry.event for entry in entries), entries)


def resealed(text: str) -> bytes:
    """The lines of a changed ledger, with new checksums that match."""
    chain, lines = Chain(), []
    for each in text.splitlines():
        fields = orjson.loads(each)
        del fields["sum"]
        lines.append(chain.sealed(orjson.dumps(fields)))
    return b"".join(lines)


def _dated(events: Iterable[e.Event]) -> Iterator[Dated]:
    for number, event in enumerate(events):
        yield EPOCH + timedelta(seconds=3 * number), event


class _Maker:
    def __init__(self, games_each: int, seed: int) -> None:
        self._games_each = games_each
        self._chance = random.Random(seed)
        self._positions: dict[tuple[int, int], engine.Position] = {}
        self._number = 0
        self._pairings = 0

    def events(self) -> Iterator[e.Event]:
        yield e.Began(
            name="Stones & <Bones>",
            entrants=tuple(
                Entrant(name=name, rating=1500 + 40 * place) for place, name in enumerate(NAMES)
            ),
            setups=SETUPS,
            seed=1,
            settings=SETTINGS,
            software="bluestone 0.1",
            paired_by=PAIRED_BY,
        )
        for number in range(1, ROUNDS + 1):
            yield from self._round(number)
            if number == 2:
                yield e.Replaced(game=2, winner=1, why="The table's clock was <wrong>.")
            if number == 3:
                yield e.Withdrew(player=LATE, why="Its owner took it home.")
                yield e.Paused(why="Dinner.")
                yield e.Resumed()
        yield e.Ended(why="All rounds are played.")

    def _round(self, number: int) -> Iterator[e.Event]:
        paired = self._paired(number)
        yield paired
        for pairing in paired.pairings:
            for game in pairing.games:
                yield from self._played(game, pairing)

    def _paired(self, number: int) -> e.Paired:
        """The circle method."""
        circle = [NAMES[0], *(NAMES[1 + (place + number) % 5] for place in range(5))]
        pairs = [(circle[place], circle[-1 - place]) for place in range(3)]
        left = [pair for pair in pairs if number <= 3 or LATE not in pair]
        byes = [
            Bye(round=number, player=name)
            for pair in pairs
            if pair not in left
            for name in pair
            if name != LATE
        ]
        pairings = tuple(self._pairing(number, pair) for pair in left)
        return e.Paired(pairings=pairings, byes=tuple(byes))

    def _pairing(self, number: int, players: tuple[str, str]) -> Pairing:
        self._pairings += 1
        games = []
        for each in range(self._games_each):
            self._number += 1
            seats = players if each % 2 == 0 else players[::-1]
            setup = (number + each // 2) % len(SETUPS)
            opening = self._finished(setup, self._number - each % 2).turns[:2]
            pair = (self._number + 1) // 2
            games.append(
                ScheduledGame(
                    number=self._number, pair=pair, seats=seats, setup=setup, opening=opening
                )
            )
        return Pairing(number=self._pairings, round=number, players=players, games=tuple(games))

    def _played(self, game: ScheduledGame, pairing: Pairing) -> Iterator[e.Event]:
        if game.number == 6:
            yield e.Voided(game=6, why="The network was down.")
        if game.number == 13:
            yield e.Voided(game=13, why="The host's disk was full.")
            yield e.Voided(game=13, why="The host's disk was full again.")
            yield e.Stopped(pairing=pairing.number, why="Two voids in a row.")
        if game.number == 13 or (game.number == 14 and 13 in {one.number for one in pairing.games}):
            return
        yield self._finish(game)

    def _finish(self, game: ScheduledGame) -> e.Finished:
        position = self._position(game)
        result = self._result(game, position)
        if result.reason != "played_out":
            position = position.game.replay(position.turns[: len(position.turns) * 2 // 3])
        record = self._record(game, position, result)
        return e.Finished(
            game=game.number,
            game_id=record.id,
            result=result,
            plies=len(position.turns),
            fingerprint=fingerprint_of(record),
            record=record,
        )

    def _result(self, game: ScheduledGame, position: engine.Position) -> GameResult:
        ends: dict[int, dict[str, Any]] = {
            3: {"winner": 2, "reason": "time_forfeit", "message": "23 ms over"},
            22: {"winner": 1, "reason": "crash", "message": "exit status 139"},
            8: {"winner": 2, "reason": "illegal_turn", "message": "0-0 is taken"},
            11: {"winner": None, "reason": "draw_agreement"},
            16: {"winner": 1, "reason": "adjudication", "message": "95 % for 6 turns"},
            17: {"winner": 2, "reason": "resignation"},
            20: {"winner": 2, "reason": "stall", "message": "no answer in 5 s"},
        }
        usual = {"winner": position.winner, "reason": "played_out"}
        return GameResult.model_validate(ends.get(game.number, usual))

    def _position(self, game: ScheduledGame) -> engine.Position:
        """A random game from the opening.

        With more than four games in a pairing, game 5 repeats game 1.
        """
        if game.number in (1, 5) and self._games_each > 4:
            return self._finished(game.setup, 1)
        shape = SETUPS[game.setup]
        position = engine.game(shape.game, shape.board, shape.rules).replay(game.opening)
        while not position.over:
            position = position.play(position.random_turn(self._chance))
        return position

    def _finished(self, setup: int, seed: int) -> engine.Position:
        if (setup, seed) not in self._positions:
            shape = SETUPS[setup]
            game = engine.game(shape.game, shape.board, shape.rules)
            self._positions[setup, seed] = engine.play_out(game, seed=seed)
        return self._positions[setup, seed]

    def _record(
        self, game: ScheduledGame, position: engine.Position, result: GameResult
    ) -> GameRecord:
        began = EPOCH + timedelta(minutes=game.number)
        played = position.game
        return GameRecord(
            id=f"game-{game.number}",
            platform="match",
            game=played.name,
            board=played.board.name,
            rules=played.rule_set,
            clock=SETUPS[game.setup].clock,
            players=(_player(game.seats[0]), _player(game.seats[1])),
            turns=[*self._turns(position, len(game.opening), SETUPS[game.setup].clock)],
            result=RecordedResult(
                winner=result.winner, reason=result.reason, message=result.message
            ),
            scores=score_lists(position),
            started_at=began,
            ended_at=began + timedelta(seconds=41),
            software="bluestone 0.1",
        )

    def _turns(
        self, position: engine.Position, opening: int, clock: TimeControl
    ) -> Iterator[RecordedTurn]:
        after = position.game.start()
        for ply, turn in enumerate(position.turns):
            after = after.play(turn)
            longest = 100 if isinstance(clock, PerTurn) else 400
            time_ms = None if ply < opening else self._chance.randrange(5, longest)
            yield RecordedTurn(turn=turn, captured=list(after.captured), time_ms=time_ms)


def _player(name: str) -> RecordedPlayer:
    return RecordedPlayer(name=name, kind="bot")


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the ledger of a made-up tournament.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--copies", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(write(given.folder, tournament(given.copies, given.seed)))


if __name__ == "__main__":
    main()
