"""Turns that are taken back: asked and granted between people, granted at once against a bot.

Also hints, which casual games against bots have too (`hinted`).

Problem. Everything else about a game only grows. Turn rows in the database, replays after a restart
or by another process, a bot's journal and repeated requests all name a turn by its ply. When a turn
is taken back, a ply comes a second time, perhaps with the same turn.

Idea. A takeback is an ordinary change of the game, with a higher `revision` and a shorter list of
turns, and each game counts its takebacks. So "ply 5 after 2 takebacks" is never ambiguous:

- A request may name the number of takebacks that its client knew (`check_known`). A turn, or a
  request to take one back, that was meant for an earlier list is refused as `stale_ply`. A turn
  that is sent again after its ply was taken back is not played again.
- Clients that get changes get the whole game. Their state has a digest of the turns, so a change
  that belongs to another list never fits. Clients that do not know takebacks replay the list that
  they get, as they do after a missed event. Their requests name no number, and are checked by the
  ply alone.
- The database deletes the rows of the turns in the transaction that updates the row of the game,
  which is fenced like every write. The row then describes the game after fewer turns. A later turn
  is again one inserted row.
- A bot's journal compares the digest of the turns before a ply. If it is the same, the bot sends
  the turn that it chose before; if not, it chooses again (`bot.daemon.session`).

What is taken back: the last turn of the player who asks, and the opponent's answer to it if the
opponent has played it. No turn of an opening is taken back.

The clocks do not run backwards. The player to move is charged for the time since the last turn.
Then the increments of the turns taken back are taken off again. So a player in time trouble wins no
time by asking, and a turn and its takeback, repeated, win none either. The opponent, who has not
asked, keeps as much of the increment as their answer took: otherwise a person could run down the
clock of a bot, which cannot decline. Allowances for a single turn (a byo-yomi period, time per
turn) restart. The clocks no longer follow from the turns, and are stored with the game once it has
a takeback.

Rated and tournament games have no takebacks. In a casual game against a bot the server grants a
person's request at once: a bot cannot answer such a question, and older bots do not know it.

Rejected:

- Keeping the turns and adding a turn "take back": every client, record and replay would have to
  know it.
- A new game from the position: the link, the opponent and the clocks would change.
- Giving the time of the turns back: it would be simpler, and a reason to ask for takebacks.
- Letting a clock that has no time left without the increment fall: a takeback would end the game.
  It is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import engine
from bot import wire
from bot.arena.games import abort_offers, referee
from bot.arena.games.game import SEATS, Action, Game, at_seat, other
from bot.arena.refusals import Refused
from bot.time_controls import (
    ByoYomi,
    Correspondence,
    PerTurn,
    PlayerClock,
    TimeControl,
    full_clock,
    increment_ms,
)


@dataclass(frozen=True)
class Earlier:
    """A position before the last turns of a game, which takes milliseconds to replay."""

    position: engine.Position
    view: wire.PositionView

    @property
    def turns(self) -> list[str]:
        return [*self.position.turns]


def earlier_position(game: Game, seat: wire.Seat, action: wire.Action) -> Earlier | None:
    """The position to which the action would return; None if it takes back no turns.

    Call this in a thread before `acted`.
    """
    turns = _turns_after(game, seat, action)
    return None if turns is None else _replayed(game, turns)


def check_replayed(game: Game, seat: wire.Seat, action: wire.Action, known: Earlier | None) -> None:
    """Raise Refused if `acted` would have to replay, because the game has changed meanwhile."""
    turns = _turns_after(game, seat, action)
    if turns is not None and (known is None or known.turns != [turn.turn for turn in turns]):
        raise Refused("stale_ply", "The game has changed meanwhile. Try again.")


def _turns_after(
    game: Game, seat: wire.Seat, action: wire.Action
) -> Sequence[wire.PlayedTurn] | None:
    """The turns that the action would leave; None if it takes back none."""
    asker = {"ask_takeback": seat, "accept_takeback": other(seat)}.get(action)
    if asker is None or not (plies := plies_to_take_back(game, asker)):
        return None
    asks = action == "ask_takeback"
    if not (_is_granted_at_once(game, seat) if asks else game.takeback_offer == asker):
        return None
    return game.turns[: game.ply - plies]


def _replayed(game: Game, turns: Sequence[wire.PlayedTurn]) -> Earlier:
    position = referee.replay(game.setup, [turn.turn for turn in turns])
    return Earlier(position, referee.view(position))


def acted(
    game: Game,
    seat: wire.Seat,
    action: wire.Action,
    now: float,
    replayed: Earlier | None = None,
) -> Game:
    """The game after any action of a player. Raises Refused.

    `replayed` is what `earlier_position` has returned, perhaps for another list of turns.
    """
    match action:
        case "ask_takeback":
            return _asked_by(_running(game), seat, now, replayed)
        case "accept_takeback":
            _check_asked_of(_running(game), seat)
            return _taken_back(game, other(seat), now, replayed)
        case "decline_takeback":
            _check_asked_of(_running(game), seat)
            return replace(game, takeback_offer=None)
        case "offer_abort":
            return abort_offers.offered_by(_running(game), seat, now)
        case "accept_abort":
            return abort_offers.accepted_by(_running(game), seat, now)
        case "decline_abort":
            return abort_offers.declined_by(_running(game), seat)
        case "resign" | "abort" | "offer_draw" | "accept_draw" | "decline_draw":
            known: Action = action
            return game.act(seat, known, now)


def check_known(game: Game, ply: int | None, takebacks: int | None) -> None:
    """Raises Refused if a client acts for another list of turns; None is not compared."""
    if takebacks is not None and takebacks != game.takebacks:
        raise Refused("stale_ply", "Turns were taken back in the meantime.")
    if ply is not None and ply != game.ply:
        raise Refused("stale_ply", f"The game is at ply {game.ply}, not at ply {ply}.")


def plies_to_take_back(game: Game, seat: wire.Seat) -> int:
    """The number of turns that the player can take back at once: 0, 1 or 2."""
    if game.result is not None or game.setup.rated or game.tournament is not None:
        return 0
    plies = 2 if game.to_play == seat else 1
    return plies if game.ply >= plies else 0


def hinted(game: Game, seat: wire.Seat, setup: wire.AnalysisSetup, turns: Sequence[str]) -> Game:
    """The game after a person was given a hint about the position after these turns.

    `setup` is complete. Raises Refused unless that is the present position of this game, and the
    game a casual one against a bot.
    """
    _running(game)
    player, opponent = game.players[seat - 1], game.players[other(seat) - 1]
    if game.setup.rated or game.tournament is not None:
        raise Refused("in_game", "Rated games and games of tournaments have no hints.")
    if opponent.kind != "bot" or player.kind == "bot":
        raise Refused("in_game", "Hints are for people who play against a bot.")
    played, asked = game.setup, (setup.game, setup.board, setup.rules, setup.options)
    if asked != (played.game, played.board, played.rules, played.options):
        raise Refused("in_game", "The setup is not that of the game for which you want a hint.")
    if list(turns) != [turn.turn for turn in game.turns]:
        raise Refused("stale_ply", "The game has gone on; ask for another hint.")
    if game.to_play != seat:
        raise Refused("not_your_turn")
    return replace(game, hints=game.hints + 1)


def _running(game: Game) -> Game:
    if game.result is not None:
        raise Refused("game_over", f"The game has ended: {game.result.message}")
    return game


def _is_granted_at_once(game: Game, seat: wire.Seat) -> bool:
    """Whether a person asks a bot."""
    asker, opponent = game.players[seat - 1], game.players[other(seat) - 1]
    return opponent.kind == "bot" and asker.kind != "bot"


def _asked_by(game: Game, seat: wire.Seat, now: float, replayed: Earlier | None) -> Game:
    if game.takeback_offer == seat:
        return game
    if game.setup.rated or game.tournament is not None:
        words = "Turns of rated games and of tournaments cannot be taken back."
        raise Refused("no_takebacks", words)
    if not plies_to_take_back(game, seat):
        raise Refused("no_takebacks", "You have no turn to take back.")
    if game.takeback_offer is not None:
        raise Refused("no_takebacks", "Answer your opponent's request first.")
    _clocks_taken_back(game, seat, now)
    if _is_granted_at_once(game, seat):
        return _taken_back(game, seat, now, replayed)
    if game.asked_at_ply[seat - 1] == game.ply:
        raise Refused("too_soon", "Your request was declined; play a turn before the next one.")
    asked = at_seat(game.asked_at_ply, seat, game.ply)
    return replace(game, takeback_offer=seat, asked_at_ply=asked)


def _check_asked_of(game: Game, seat: wire.Seat) -> None:
    if game.takeback_offer != other(seat):
        raise Refused("no_takeback_asked")


def _taken_back(game: Game, asker: wire.Seat, now: float, replayed: Earlier | None) -> Game:
    """The game without the asker's last turn and the answer to it. Raises Refused."""
    turns = game.turns[: game.ply - plies_to_take_back(game, asker)]
    if replayed is None or replayed.turns != [turn.turn for turn in turns]:
        replayed = _replayed(game, turns)
    return replace(
        game,
        position=replayed.position,
        view=replayed.view,
        turns=turns,
        digest=wire.digest_after("", turns),
        clocks=_clocks_taken_back(game, asker, now),
        thinking_since=now,
        banked_ms=0,
        resume_at=None,
        draw_offer=None,
        takeback_offer=None,
        abort_offer=None,
        takebacks=game.takebacks + 1,
        # The plies of offers and requests may come again, and must not forbid the next ones.
        offered_at_ply=_not_after(game.offered_at_ply, len(turns)),
        abort_offered_at_ply=_not_after(game.abort_offered_at_ply, len(turns)),
        asked_at_ply=(-1, -1),
    )


def _clocks_taken_back(game: Game, asker: wire.Seat, now: float) -> tuple[PlayerClock, PlayerClock]:
    """Both clocks after a takeback. Raises Refused if the asker would have no time left."""
    clocks = game.clock_view(now).players
    for ply in range(game.ply - plies_to_take_back(game, asker), game.ply):
        seat = SEATS[ply % 2]
        clock, gained_ms = clocks[seat - 1], _added_ms(game, ply)
        if seat != asker:
            gained_ms = max(0, gained_ms - game.turns[ply].time_ms)
        if not gained_ms or clock.main_ms is None:
            continue
        if clock.main_ms <= gained_ms:
            words = "There is no time left for a takeback without the increment of the turn."
            raise Refused("no_takebacks", words)
        kept = clock.model_copy(update={"main_ms": clock.main_ms - gained_ms})
        clocks = at_seat(clocks, seat, kept)
    one, two = clocks
    return _between_turns(game.setup.clock, one), _between_turns(game.setup.clock, two)


def _added_ms(game: Game, ply: int) -> int:
    """How much the control added to its player's clock after the turn at `ply`."""
    control, turn = game.setup.clock, game.turns[ply]
    added = increment_ms(control) if _was_charged(game, ply) else 0
    if added and isinstance(control, Correspondence):
        full = round(control.maximum_s * 1000)
        shown = turn.clock.main_ms or 0
        if shown >= full:
            # Only a part of the increment had room. After an earlier takeback the clock before the
            # turn is not known: it showed at most what it did after the player's turn before.
            before = full_clock(control) if ply < len(SEATS) else game.turns[ply - 2].clock
            spent = (before.main_ms or 0) - turn.time_ms
            added = min(added, max(0, shown - spent))
    return added


def _was_charged(game: Game, ply: int) -> bool:
    """Whether the turn at `ply` of a casual game took time; some first turns do not."""
    mover, opponent = game.players[ply % 2], game.players[1 - ply % 2]
    waited_for_person = mover.kind != "bot" and opponent.kind == "bot"
    return ply >= len(SEATS) or not (game.is_live or waited_for_person)


def _between_turns(control: TimeControl, clock: PlayerClock) -> PlayerClock:
    match control:
        case PerTurn():
            return full_clock(control)
        case ByoYomi():
            return clock.model_copy(update={"period_used_ms": 0})
        case _:
            return clock


def _not_after(plies: tuple[int, int], last: int) -> tuple[int, int]:
    one, two = plies
    return min(one, last), min(two, last)
