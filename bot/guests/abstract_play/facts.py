"""The platform's games, variants and histories as the plain facts of `bot.platforms.base`."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, Literal

from bot.errors import PeerError
from bot.guests.abstract_play.messages import ChallengeNotice, GameRecord, Player, State
from bot.platforms import base
from bot.platforms.settings import PossibleChallenges
from bot.time_controls import MAXIMUM_S, MINIMUM_S, Correspondence, PlayerClock
from bot.time_source import TimeSource

RULES: Final = "abstractplay"
"""The rule set of every game there."""

_BOARDS: Final = {
    ("bluestone", ()): "pent-6",
    ("bluestone", ("size-8",)): "pent-8",
    ("blooms", ("size-4",)): "hexhex-4",
    ("blooms", ("size-5",)): "hexhex-5",
    ("blooms", ()): "hexhex-6",
    ("blooms", ("size-8",)): "hexhex-8",
    ("blooms", ("size-10",)): "hexhex-10",
}
"""Boards by `metaGame` and `variants`. The platform uses our names for both games."""

META_GAMES: Final = ("bluestone", "blooms")
"""Every `metaGame` for which the platform is queried."""

POSSIBLE_CHALLENGES: Final = PossibleChallenges(
    boards=tuple((meta, board) for (meta, _), board in _BOARDS.items()),
    rules=RULES,
    clock="correspondence",
    least_base_s=3600,
    is_rated_told=False,
)
"""The platform's clocks are in hours."""


def setup_of(meta: str, variants: Sequence[str]) -> tuple[str, str] | None:
    """Return the game and its board, by our names; None if we do not play it."""
    board = _BOARDS.get((meta, tuple(variants)))
    return None if board is None else (meta, board)


# Histories. A game's `state` has a stack of positions, each with the ply that led to it. An end
# that is not a turn, such as a resignation, is written there like a ply.

RESIGN: Final = "resign"
ENDINGS: Final = frozenset({RESIGN, "timeout", "draw", "abandoned"})
"""Entries of a history that are not turns."""


def is_move(text: str) -> bool:
    """Return whether the text is a turn, legal or not."""
    turn = _turn(text)
    return turn != "" and turn not in ENDINGS


def turns_of_state(state: State) -> tuple[str, ...]:
    """Return the turns up to the last position. Raises ValueError if one is missing in between."""
    return _played([entry.last_move or "" for entry in state.stack[1:]])


def ending_of(state: State) -> str | None:
    """Return how the game ended, one of `ENDINGS`; None if it is running, or was played out."""
    last = _turn(state.stack[-1].last_move or "")
    return last if last in ENDINGS else None


def _played(moves: Sequence[str]) -> tuple[str, ...]:
    """Return the turns without endings.

    An entry elsewhere that is not a turn would shift the seats.
    """
    turns = [_turn(move) for move in moves]
    while turns and not is_move(turns[-1]):
        turns.pop()
    for number, turn in enumerate(turns, start=1):
        if not is_move(turn):
            raise ValueError(f"ply {number} is {turn or 'missing'}, and turns follow it")
    return tuple(turns)


def _turn(text: str) -> str:
    return "".join(text.split()).lower()


HOUR_S: Final = 3600

REASONS: Final = {
    "resign": "resignation",
    "timeout": "time_forfeit",
    "draw": "draw_agreement",
    "abandoned": "abandonment",
}
"""The reason in our game records for each ending of the platform."""


class NotOurs(PeerError):
    """A game that we do not play: others play it (`not_ours`), or we do not know its rules."""

    def __init__(self, message: str, code: Literal["not_ours", "unknown_game"]) -> None:
        super().__init__(code, message)


def facts_of(record: GameRecord, our_id: str, time: TimeSource) -> base.GameFacts:
    """Return the facts of a game that has just been read.

    Raises NotOurs, or NoAnswer if the record contradicts itself.
    """
    seat = _seat(our_id, record)
    try:
        turns = turns_of_state(record.state)
    except ValueError as error:
        raise _unreadable(record, str(error)) from error
    to_play = _to_play(record, len(turns))
    first, second = record.players
    return base.GameFacts(
        game_id=record.id,
        setup=_setup(record),
        seat=seat,
        players=(_participant(first), _participant(second)),
        turns=tuple(base.TurnPlayed(turn) for turn in turns),
        to_play=to_play,
        clocks=_clocks(record, to_play, time.wall()),
        draw_offered=False,  # the platform shows no offers to bots; our next move declines one
        outcome=_outcome(record) if record.over else None,
        started_at=_moment(record.game_started or record.last_move_time or 0),
        arrived=time.monotonic(),
    )


def setup_of_challenge(challenge: ChallengeNotice) -> base.Setup:
    """Return the setup of a challenge; the platform does not say whether it is rated.

    Raises NotOurs.
    """
    if len(challenge.challengers) != 1:
        raise NotOurs(f"a game of {len(challenge.challengers) + 1} players", "unknown_game")
    game, board = _known(challenge.meta_game, challenge.variants)
    control = control_of(challenge.clock_start, challenge.clock_inc, challenge.clock_max)
    return base.Setup(game, board, RULES, control)


def control_of(start_h: float, increment_h: float, maximum_h: float) -> Correspondence:
    """Return a clock of the platform, given in hours, within the bounds of our clocks."""
    start_s, increment_s, maximum_s = (
        min(hours * HOUR_S, MAXIMUM_S) for hours in (start_h, increment_h, maximum_h)
    )
    return Correspondence(
        initial_s=max(MINIMUM_S, start_s),
        increment_s=increment_s,
        maximum_s=max(MINIMUM_S, maximum_s),
    )


def _seat(our_id: str, record: GameRecord) -> base.Seat:
    ids = [player.id for player in record.players]
    if our_id not in ids:
        raise NotOurs(f"we do not play in game {record.id}", "not_ours")
    if len(ids) != 2:
        raise NotOurs(f"game {record.id} has {len(ids)} players", "unknown_game")
    return 1 if ids[0] == our_id else 2


def _setup(record: GameRecord) -> base.Setup:
    game, board = _known(record.meta_game, record.variants)
    control = control_of(record.clock_start, record.clock_inc, record.clock_max)
    return base.Setup(game, board, RULES, control, rated=record.rated)


def _known(meta_game: str, variants: Sequence[str]) -> tuple[str, str]:
    known = setup_of(meta_game, variants)
    if known is None:
        named = " ".join([meta_game, *variants])[:100]
        raise NotOurs(f"we do not play {named!r}", "unknown_game")
    return known


def _participant(player: Player) -> base.Participant:
    shown = "".join(each if each.isprintable() else " " for each in player.name)
    return base.Participant(" ".join(shown.split()) or player.id, account=player.id)


def _to_play(record: GameRecord, ply: int) -> base.Seat:
    """Return the seat whose turn it is, or would be. Raises NoAnswer if the platform differs.

    Seats alternate in both games, because a pass is a turn. A record in which they do not was
    written in two steps; a turn that is searched for the wrong side could be legal.
    """
    seat: base.Seat = 1 if ply % 2 == 0 else 2
    if not record.over and record.to_move != str(seat - 1):
        raise _unreadable(record, f"toMove is {record.to_move!r} after {ply} plies")
    return seat


def _clocks(
    record: GameRecord, to_play: base.Seat, wall: datetime
) -> tuple[PlayerClock, PlayerClock]:
    """Return both clocks now. The platform stores both as of the start of the present turn."""
    used = [0.0, 0.0]
    if not record.over and record.last_move_time is not None:
        used[to_play - 1] = max(0.0, wall.timestamp() * 1000 - record.last_move_time)
    first, second = record.players
    return _clock(record, first, used[0]), _clock(record, second, used[1])


def _clock(record: GameRecord, player: Player, used_ms: float) -> PlayerClock:
    """Return a player's clock.

    It shows 0 after it ran out; the platform counts on until the opponent claims the win.
    """
    had_ms = record.clock_start * HOUR_S * 1000 if player.time is None else player.time
    left_ms = round(had_ms - used_ms)
    return PlayerClock(main_ms=left_ms) if left_ms > 0 else PlayerClock(main_ms=0, flagged=True)


def _outcome(record: GameRecord) -> base.GameOutcome:
    """Return the result. A game without winners was aborted."""
    winners = record.state.winner if record.winner is None else record.winner
    if not winners:
        return base.GameOutcome(None, "aborted")
    winner: base.Seat | None = None
    if len(winners) == 1:
        winner = 1 if winners[0] == 1 else 2
    return base.GameOutcome(winner, REASONS.get(ending_of(record.state) or "", "played_out"))


def _moment(ms: float) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def _unreadable(record: GameRecord, why: str) -> base.NoAnswer:
    return base.NoAnswer(f"game {record.id}: {why}")
