"""The section of games, each with its last position and its turns. A script replays them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import engine
from bot.drawing.shared import board_id, small_svg, view_box
from bot.matches.report.chronicle import Chronicle
from bot.matches.report.markup import Html, escaped, joined, section, tag
from bot.matches.report.words import end_words, score_words, setup_words
from bot.records.model import GameRecord, RecordedTurn, own_losses
from bot.tournaments.state import PlayedGame

DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
LETTERS: Final = {(1, 1): "A", (1, 2): "B", (2, 1): "C", (2, 2): "D"}
"""The letter of a placed stone, by its player and kind."""
REMOVED: Final = "X"
NOTHING: Final = "-"


@dataclass(frozen=True)
class Replay:
    """A replayed game, with the changes of each turn for the script of the page.

    `changes` has one word per turn, such as `A1c.C9.X0`: parts with a letter for the kind of change
    and the number of the cell in base 36, on the board that the last position shows. `last` is that
    position. `losses` has the plies of the turns that captured the player's own stones. `problem`
    says why the rest of a record cannot be replayed; None if all of it can.
    """

    last: engine.Position
    changes: str
    losses: frozenset[int] = frozenset()
    problem: str | None = None


def replay(record: GameRecord) -> Replay | None:
    """Replay a record; None if this version does not know the game."""
    try:
        game = engine.game_of(record.game, record.board, record.rules, record.options)
    except engine.UnknownGame:
        return None
    positions, problem = [game.start()], None
    for turn in record.turns:
        try:
            positions.append(positions[-1].play(turn.turn))
        except engine.IllegalTurn as error:
            problem = f"turn {len(positions)} cannot be replayed: {error}"
            break
    board = positions[-1].shown_board
    changes = [_changes(board, *pair) for pair in pairwise(positions)]
    losses = frozenset(ply for ply, pair in enumerate(pairwise(positions)) if own_losses(*pair))
    return Replay(positions[-1], " ".join(changes), losses, problem)


def _changes(board: engine.Board, before: engine.Position, after: engine.Position) -> str:
    parts = [
        f"{REMOVED}{base_36(board.index(cell))}"
        for cell in before.stones
        if cell not in after.stones
    ]
    parts += [
        f"{LETTERS[stone.player, stone.kind]}{base_36(board.index(cell))}"
        for cell, stone in after.stones.items()
        if before.stones.get(cell) != stone
    ]
    return ".".join(parts) or NOTHING


def base_36(number: int) -> str:
    high, low = divmod(number, 36)
    return (base_36(high) if high else "") + DIGITS[low]


def games_section(story: Chronicle, replays: dict[int, Replay]) -> Html:
    """The section of all games that count. `replays` come from `replays_of`."""
    shown = [_game(story, game, replays.get(game.scheduled.number)) for game in story.played()]
    return section("games", "Games", joined(shown))


def replays_of(story: Chronicle) -> dict[int, Replay]:
    """The replays by number of the game, of games with a record that this version knows."""
    found = {}
    for game in story.played():
        record = story.record(game.scheduled.number)
        if record is not None and (made := replay(record)) is not None:
            found[game.scheduled.number] = made
    return found


def last_positions(replays: dict[int, Replay]) -> list[engine.Position]:
    return [each.last for each in replays.values()]


def _game(story: Chronicle, game: PlayedGame, replayed: Replay | None) -> Html:
    number = game.scheduled.number
    record = story.record(number)
    inside = tag(
        "div",
        tag("p", joined(_facts(story, game, replayed), " · "), css="quiet"),
        "" if record is None else _replay(game, record, replayed),
        id=f"game-{number}",
        css="inside",
    )
    return tag("details", _summary(game), inside, css="game")


def _summary(game: PlayedGame) -> Html:
    first, second = game.scheduled.seats
    number = tag("span", f"Game {game.scheduled.number}", css="which")
    names = (
        tag("span", first, css="seat seat-1"),
        tag("b", score_words(game.result)),
        tag("span", second, css="seat seat-2"),
    )
    end = tag("span", end_words(game.result), css="quiet")
    return tag("summary", joined([number, *names, end], " "))


def _facts(story: Chronicle, game: PlayedGame, replayed: Replay | None) -> Iterator[object]:
    scheduled = game.scheduled
    yield f"round {story.tournament.pairing_of(scheduled.number).round}"
    yield setup_words(story.began.setups[scheduled.setup])
    yield f"{game.plies} turns"
    if scheduled.opening:
        yield f"opening {' '.join(scheduled.opening)}"
    before = story.result_before(scheduled.number)
    if game.replaced is not None and before is not None:
        yield f"{score_words(before)} on the board ({end_words(before)})"
    if replayed is not None and replayed.problem is not None:
        yield replayed.problem
    if story.record(scheduled.number) is None:
        yield "the ledger has no record of its turns"


def _replay(game: PlayedGame, record: GameRecord, replayed: Replay | None) -> Html:
    losses = frozenset[int]() if replayed is None else replayed.losses
    shown = (turn_item(turn, ply in losses) for ply, turn in enumerate(record.turns))
    turns = tag("ol", *shown, css="turns")
    if replayed is None:
        return tag("div", turns, css="replay")
    first, second = game.scheduled.seats
    title = (
        f"Game {game.scheduled.number}, {first} dark against {second} light, "
        f"after {len(replayed.last.turns)} turns"
    )
    return tag(
        "div",
        tag("div", Html(small_svg(replayed.last, title)), css="board-box"),
        turns,
        css="replay",
        data_board=board_id(replayed.last),
        data_box=view_box(replayed.last),
        data_changes=replayed.changes,
    )


def turn_item(turn: RecordedTurn, loses: bool) -> Html:
    """The item of a turn in the list; `loses`: what it captured is the player's own."""
    notes = [f"{'loses ' if loses else '×'}{len(turn.captured)}"] if turn.captured else []
    if turn.time_ms is not None:
        notes.append(_short_time(turn.time_ms))
    said = tag("small", escaped(" ".join(notes))) if notes else ""
    return tag("li", turn.turn, said)


def _short_time(milliseconds: int) -> str:
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"
