"""What is agreed on or asked for, until it is a game or nothing."""

from collections.abc import Iterable

from bot.daemon.offers import Promises
from bot.platforms.base import ChallengeGone, Connected


def welcome(*running: str, challenges: Iterable[str] = (), own: Iterable[str] = ()) -> Connected:
    return Connected("Granite", "fake", frozenset(running), frozenset(challenges), frozenset(own))


def test_a_promise_reserves_room_until_its_game_has_started() -> None:
    promises = Promises()
    promises.promise("c1", "Ann")
    assert promises.opponents == ["Ann"]
    promises.gone(ChallengeGone("c1", "started", "g1"), playing=[])
    assert (promises.opponents, promises.are_clear) == (["Ann"], False)
    promises.began("g1")
    assert (promises.opponents, promises.are_clear) == ([], True)


def test_a_game_that_started_before_its_promise_reserves_no_room() -> None:
    promises = Promises()
    promises.gone(ChallengeGone("c1", "started", "g1"), playing=["g1"])
    promises.promise("c1", "Ann", own=True)
    assert (promises.opponents, promises.own, promises.are_clear) == ([], [], True)


def test_a_game_requested_by_another_player_is_known_as_such_until_it_is_over() -> None:
    promises = Promises()
    promises.promise("c1", "Ann")
    promises.promise("c2", "Ann", own=True)
    promises.gone(ChallengeGone("c1", "started", "g1"), playing=["g1"])
    promises.gone(ChallengeGone("c2", "started", "g2"), playing=[])
    assert (promises.is_agreed("g1"), promises.is_agreed("g2")) == (True, False)
    promises.forget()
    assert promises.is_agreed("g1")
    promises.over("g1")
    assert not promises.is_agreed("g1")


async def test_promises_unknown_to_the_server_are_dropped() -> None:
    promises = Promises()
    promises.promise("c1", "Ann", own=True)
    assert promises.connected(welcome(), playing=[]) == []
    assert (await promises.fate_of("c1")).code == "unseen"
    assert promises.opponents == []


def test_running_games_of_which_we_know_nothing_keep_room_until_they_are_seen() -> None:
    promises = Promises()
    promises.connected(welcome("g1", "g2"), playing=["g2"])
    assert (promises.opponents, promises.are_clear) == ([""], False)
    promises.began("g1")
    assert promises.are_clear


def test_offers_that_were_forgotten_are_taken_back_until_they_are_gone() -> None:
    promises = Promises()
    promises.promise("c1", "Ann", own=True)
    now = welcome(challenges={"c1", "c2"}, own={"c1", "c2"})
    assert promises.connected(now, playing=[]) == ["c2"]
    assert promises.connected(now, playing=[]) == ["c2"], "it was not answered"
    assert not promises.are_clear
    promises.gone(ChallengeGone("c2", "cancelled"), playing=[])
    assert (promises.are_clear, promises.opponents) == (True, ["Ann"])
