"""What is agreed on or asked for, until it is a game or nothing."""

from collections.abc import Iterable

from bot.offers import Offers
from bot.platforms.base import ChallengeGone, Connected


def welcome(*running: str, challenges: Iterable[str] = (), own: Iterable[str] = ()) -> Connected:
    return Connected("Granite", "fake", frozenset(running), frozenset(challenges), frozenset(own))


def test_a_promise_keeps_room_until_its_game_has_begun() -> None:
    offers = Offers()
    offers.promise("c1", "Ann")
    assert offers.opponents == ["Ann"]
    offers.gone(ChallengeGone("c1", "started", "g1"), playing=[])
    assert (offers.opponents, offers.are_clear) == (["Ann"], False)
    offers.began("g1")
    assert (offers.opponents, offers.are_clear) == ([], True)


def test_what_has_begun_before_it_was_promised_keeps_no_room() -> None:
    offers = Offers()
    offers.gone(ChallengeGone("c1", "started", "g1"), playing=["g1"])
    offers.promise("c1", "Ann", own=True)
    assert (offers.opponents, offers.own, offers.are_clear) == ([], [], True)


def test_a_game_that_somebody_else_wanted_is_known_as_such_until_it_is_over() -> None:
    offers = Offers()
    offers.promise("c1", "Ann")
    offers.promise("c2", "Ann", own=True)
    offers.gone(ChallengeGone("c1", "started", "g1"), playing=["g1"])
    offers.gone(ChallengeGone("c2", "started", "g2"), playing=[])
    assert (offers.is_agreed("g1"), offers.is_agreed("g2")) == (True, False)
    offers.forget()
    assert offers.is_agreed("g1")
    offers.over("g1")
    assert not offers.is_agreed("g1")


async def test_what_the_server_does_not_have_is_gone() -> None:
    offers = Offers()
    offers.promise("c1", "Ann", own=True)
    assert offers.connected(welcome(), playing=[]) == []
    assert (await offers.fate_of("c1")).code == "unseen"
    assert offers.opponents == []


def test_running_games_of_which_we_know_nothing_keep_room_until_they_are_seen() -> None:
    offers = Offers()
    offers.connected(welcome("g1", "g2"), playing=["g2"])
    assert (offers.opponents, offers.are_clear) == ([""], False)
    offers.began("g1")
    assert offers.are_clear


def test_offers_that_were_forgotten_are_taken_back_until_they_are_gone() -> None:
    offers = Offers()
    offers.promise("c1", "Ann", own=True)
    now = welcome(challenges={"c1", "c2"}, own={"c1", "c2"})
    assert offers.connected(now, playing=[]) == ["c2"]
    assert offers.connected(now, playing=[]) == ["c2"], "it was not answered"
    assert not offers.are_clear
    offers.gone(ChallengeGone("c2", "cancelled"), playing=[])
    assert (offers.are_clear, offers.opponents) == (True, ["Ann"])
