"""What the platform sends is read as written there; what is too much, or no JSON, is refused."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.guests.abstract_play.messages import (
    MAX_LISTED,
    MAX_WEBHOOK_BYTES,
    ChallengeNotice,
    MoveNotice,
    Player,
    game_answer,
    game_record,
    listed_games,
    webhook_body,
)
from tests.bot.guests.abstract_play import bodies
from tests.bot.guests.abstract_play.bodies import text

DEEP = b'{"verb":' + b"[" * 5000 + b"]" * 5000 + b"}"


def test_a_challenge_is_read() -> None:
    read = webhook_body(text(bodies.challenge()))
    assert read == ChallengeNotice(
        meta_game="bluestone",
        variants=("size-8",),
        clock_start=48,
        clock_inc=12,
        clock_max=96,
        challengers=(bodies.THEIRS,),
    )


def test_a_notice_is_read_with_its_rounds() -> None:
    read = webhook_body(text(bodies.notice()))
    assert isinstance(read, MoveNotice)
    assert read.game_id == "c0ffee00"
    assert read.moves == (("3-2", "pass"), ("0-0,5-3",))
    assert read.plies == 3


def test_a_game_that_the_bot_opens_has_no_moves() -> None:
    read = webhook_body(text(bodies.notice(moves=[])))
    assert isinstance(read, MoveNotice)
    assert read.plies == 0


def test_a_clock_may_have_run_below_nothing() -> None:
    read = webhook_body(text(bodies.notice(clockCurr=-3)))
    assert isinstance(read, MoveNotice)
    assert read.clock_curr == -3


def test_unknown_fields_are_ignored() -> None:
    with_more = text(bodies.notice(context={"deep": [1, {"er": None}]}))
    assert webhook_body(with_more) == webhook_body(text(bodies.notice()))


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "body: Invalid JSON"),
        (b"\xff\xfe", "body: Invalid JSON"),
        (b"[]", "body: Input should be an object"),
        (b"null", "body: Input should be an object"),
        (DEEP, "body: Invalid JSON: recursion limit"),
        (text(bodies.notice(verb="chat")), "verb: neither challenge nor move"),
        (text({"metaGame": "bluestone"}), "verb: neither challenge nor move"),
        (text(bodies.notice(gameid="")), "move.gameid: "),
        (text(bodies.notice(gameid="g" * 101)), "move.gameid: "),
        (text(bodies.notice(gameid=5)), "move.gameid: "),
        (text(bodies.notice(moves=[["x" * 201]])), "move.moves.0.0: "),
        (text(bodies.notice(moves=[["x"] * 13])), "move.moves.0: "),
        (text(bodies.notice(moves=[[]] * 10_001)), "move.moves: "),
        (text(bodies.notice(moves="3-2")), "move.moves: "),
        (text(bodies.challenge(challengers=["a"] * 13)), "challenge.challengers: "),
        (text(bodies.challenge(variants=["a"] * 21)), "challenge.variants: "),
        (text(bodies.challenge(clockStart=-1)), "challenge.clockStart: "),
        (text(bodies.challenge(clockInc=1e9)), "challenge.clockInc: "),
        (text(bodies.challenge(clockMax=float("nan"))), "challenge.clockMax: "),
    ],
)
def test_an_invalid_call_is_refused_with_one_sentence(raw: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=": ") as caught:
        webhook_body(raw)
    told = str(caught.value)
    assert told.startswith(sentence)
    assert len(told) <= 200
    assert "\n" not in told


def test_a_body_may_be_as_long_as_the_limit_and_no_longer() -> None:
    longest = text(bodies.notice()).ljust(MAX_WEBHOOK_BYTES)
    assert isinstance(webhook_body(longest), MoveNotice)
    with pytest.raises(ValueError, match="longer than 65536 bytes"):
        webhook_body(longest + b" ")


def test_a_players_name_has_no_invisible_characters_and_an_end() -> None:
    assert Player(id="1", name="A\u202enn\0a").name == "Anna"
    assert Player(id="1", name="x" * 150).name == "x" * 100


def test_python_names_are_not_accepted_on_the_wire() -> None:
    body = bodies.notice()
    body["game_id"] = body.pop("gameid")
    with pytest.raises(ValueError, match=r"move\.gameid: "):
        webhook_body(text(body))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=5,
)
FIELDS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys({**bodies.challenge(), **bodies.notice()}, JSON_VALUES)
)


@settings(derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=200) | st.builds(text, JSON_VALUES | FIELDS))
def test_whatever_comes_is_a_call_or_refused(raw: bytes) -> None:
    with suppress(ValueError):
        assert isinstance(webhook_body(raw), ChallengeNotice | MoveNotice)


@settings(derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([bodies.challenge(), bodies.notice()]), FIELDS)
def test_a_call_with_something_else_in_it_is_a_call_or_refused(
    call: dict[str, object], changes: dict[str, object]
) -> None:
    changes.pop("verb", None)
    with suppress(ValueError):
        assert webhook_body(text({**call, **changes})).verb == call["verb"]


# ---- answers ---------------------------------------------------------------------------------


def test_one_bad_entry_does_not_hide_the_others() -> None:
    games, unread = listed_games(
        text([5, bodies.listed(), {"id": "x"}, None, bodies.listed(id="two", players=[])])
    )
    assert [each.id for each in games] == ["c0ffee00"]
    assert unread == 4


def test_a_listed_game_may_lack_its_number_of_moves() -> None:
    entry = bodies.listed()
    del entry["numMoves"]
    games, _ = listed_games(text([entry]))
    assert games[0].num_moves is None


def test_a_listed_game_has_its_number_of_plies() -> None:
    games, _ = listed_games(text([bodies.listed()]))
    assert games[0].plies == 3


@pytest.mark.parametrize("raw", [b'{"message":"no"}', b"[1", b"[" + b"1," * MAX_LISTED + b"1]"])
def test_an_invalid_list_of_games_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="body"):
        listed_games(raw)


def test_a_game_is_read_with_the_state_inside() -> None:
    game = game_answer(bodies.asked(bodies.record()))
    assert [entry.last_move for entry in game.state.stack] == [None, "3-2", "pass", "0-0,5-3"]
    assert game.to_move == "1"
    assert game.players[1].id == bodies.OURS
    assert not game.over


def test_a_game_may_lack_optional_fields() -> None:
    body = bodies.record()
    for name in ("numMoves", "rated", "clockHard", "lastMoveTime", "numPlayers"):
        del body[name]
    game = game_record(text(body))
    assert game.num_moves is None
    assert not game.rated


def test_the_seat_to_move_may_come_as_a_number() -> None:
    assert game_record(text(bodies.record(toMove=1))).to_move == "1"


@pytest.mark.parametrize("winner", [[], [1], [1, 2]])
def test_a_finished_game_is_over(winner: list[int]) -> None:
    game = game_answer(bodies.asked(bodies.finished(["3-2"], winner)))
    assert game.over
    assert game.winner == tuple(winner)


@pytest.mark.parametrize(
    "state",
    ["", "[", "{}", '{"stack":[]}', "[" * 5000, None, 7, json.dumps({"stack": [{}] * 20_001})],
)
def test_a_game_without_a_readable_state_is_refused(state: object) -> None:
    with pytest.raises(ValueError, match=r"game\.state"):
        game_answer(bodies.asked(bodies.record(state=state)))
