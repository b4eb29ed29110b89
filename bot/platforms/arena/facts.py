"""The arena's messages as the plain facts of `bot.platforms.base`, and back."""

from collections.abc import Mapping

from bot import wire
from bot.errors import PeerError
from bot.platforms import base
from bot.wire.clocks import offered

_FULL_SEATS: tuple[base.Seat, base.Seat] = (1, 2)


def setup_facts(setup: wire.GameSetup) -> base.Setup:
    return base.Setup(
        game=setup.game,
        board=setup.board,
        rules=setup.rules,
        control=setup.clock,
        options=dict(setup.options),
        rated=setup.rated,
    )


def wire_setup(setup: base.Setup) -> wire.OfferedSetup:
    """Raises PeerError for a clock that no arena accepts."""
    try:
        clock = offered(setup.control)
    except ValueError as error:
        raise PeerError("invalid", str(error)) from error
    return wire.OfferedSetup(
        game=setup.game,
        board=setup.board,
        rules=setup.rules,
        options=dict(setup.options),
        clock=clock,
        rated=setup.rated,
    )


def participant(player: wire.Player) -> base.Participant:
    return base.Participant(player.name, player.kind, player.engine)


def game_facts(state: wire.GameState, our_name: str, arrived: float) -> base.GameFacts | None:
    """Return the facts of a game; None for a game between others."""
    seat = seat_of(our_name, state)
    if seat is None:
        return None
    return base.GameFacts(
        game_id=state.game_id,
        setup=setup_facts(state.setup),
        seat=seat,
        players=(participant(state.players[0]), participant(state.players[1])),
        turns=tuple(_turn_facts(turn) for turn in state.turns),
        to_play=state.to_play,
        clocks=state.clocks.players,
        draw_offered=state.draw_offer == 3 - seat,
        outcome=_outcome(state),
        started_at=state.created_at,
        arrived=arrived,
        in_tournament=state.tournament is not None,
        takebacks=state.takebacks,
        opponent_here=state.connected[2 - seat],
        abort_offered=state.abort_offer == 3 - seat,
    )


def seat_of(our_name: str, state: wire.GameState) -> base.Seat | None:
    for seat, player in zip(_FULL_SEATS, state.players, strict=True):
        if player.name == our_name:
            return seat
    return None


def challenge_facts(
    challenge: wire.Challenge, our_name: str, known: Mapping[str, wire.Player]
) -> base.ChallengeFacts | None:
    """Return the facts of a challenge; None if we need not answer it.

    That is so for our own challenge, for an accepted one, and for one between others.
    """
    ours = our_name in challenge.seats
    is_open = not ours and None in challenge.seats
    if not (ours or is_open) or our_name in challenge.accepted:
        return None
    if challenge.creator.name == our_name and challenge.seats != (our_name, our_name):
        return None
    return base.ChallengeFacts(
        challenge_id=challenge.challenge_id,
        setup=setup_facts(challenge.setup),
        opponent=_opponent(challenge, our_name, known),
        is_open=is_open,
    )


def wire_info(info: base.TurnInfo) -> wire.TurnInfo:
    """Return the engine's info as a message, cut to the lengths that the protocol allows."""
    return wire.TurnInfo(
        value=info.value,
        visits=info.visits,
        pv=[turn for turn in info.pv if 1 <= len(turn) <= 40][:40],
        source=info.source[:20] if info.source else None,
    )


def _opponent(
    challenge: wire.Challenge, our_name: str, known: Mapping[str, wire.Player]
) -> base.Participant:
    if challenge.seats == (our_name, our_name):
        return base.Participant(our_name, "bot")
    others = [name for name in challenge.seats if name not in {None, our_name}]
    if not others or others[0] == challenge.creator.name:
        return participant(challenge.creator)
    name = str(others[0])
    return participant(known[name]) if name in known else base.Participant(name)


def _turn_facts(played: wire.PlayedTurn) -> base.TurnPlayed:
    info = played.info
    facts = None
    if info is not None:
        facts = base.TurnInfo(info.value, info.visits, tuple(info.pv), info.source)
    return base.TurnPlayed(played.turn, played.time_ms, played.clock, facts)


def _outcome(state: wire.GameState) -> base.GameOutcome | None:
    if state.result is None:
        return None
    return base.GameOutcome(state.result.winner, state.result.reason, state.result.message)
