"""Spectators, finished games, and open challenges."""

import re
from functools import partial
from typing import Any

import pytest
from playwright.async_api import expect

from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.looks import shows
from tests.e2e.browser.opponent import Opponent, at_least
from tests.e2e.browser.scripts import play_fixed, position_of, wait
from tests.e2e.browser.test_two_people import together

SETUP = {"board": "pent-4", "clock": {"kind": "none"}}
OTHER_GAMES = [
    {"game": "blooms", "board": "hexhex-4", "options": {"captures": "4"}},
    {"game": "stargazers", "board": "stars-39", "options": {"protocol": "alternating"}},
]


async def begin(first: Opponent, second: Opponent, **choice: Any) -> str:
    """Let two bots begin a game; its id."""
    setup, earlier = {**SETUP, **choice}, len(first.states)
    answer = await first.tell(
        "challenge.create", {"setup": setup, "seats": [first.name, second.name]}
    )
    assert answer["ok"], answer
    state = await first.wait_for_game(after=earlier)
    return state.game_id


async def test_a_spectator_sees_turns_as_they_are_played(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt", wait), await add_bot("Marble", wait)
    game_id = await begin(first, second)
    spectator = await open_page(f"/game/{game_id}")
    await expect(spectator.prompt).to_have_text("Basalt (Black) is thinking.")
    await first.tell("game.turn", {"game_id": game_id, "ply": 0, "turn": "0-0"})
    await spectator.see_turn(0, "0-0")
    await expect(spectator.stones).to_have_count(1)
    await expect(spectator.page).to_have_title("Marble’s turn – Bluestone")
    await second.tell("game.turn", {"game_id": game_id, "ply": 1, "turn": "3-0,3-7"})
    await spectator.see_turn(1, "3-0,3-7")
    await expect(spectator.page.locator(".marks .last")).to_have_count(2)
    await shows(lambda: spectator.scores(2), [2, 2])
    await first.tell("game.action", {"game_id": game_id, "action": "resign"})
    await expect(spectator.result).to_have_text("Marble won by resignation")


async def test_a_screen_reader_hears_what_the_others_have_played(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot, second = await add_bot("Basalt", wait), await add_bot("Marble", wait)
    person = await open_page()
    await person.choose(game="blooms", board="hexhex-4")
    game_id = await person.challenge("Basalt")
    heard = person.page.locator(".heard")
    await expect(heard).to_have_attribute("aria-live", "polite")
    await person.place("Black", "a1")
    await person.see_turn(0, "a1")
    await expect(heard).to_be_empty()  # a person knows their own turn
    await bot.wait_until(game_id, at_least(1))
    await bot.tell("game.turn", {"game_id": game_id, "ply": 1, "turn": "1b1,2a2"})
    await expect(heard).to_have_text("Basalt played white b1 and gold a2.")
    await person.place("Black", "d4")
    await person.place("Red", "c3")
    await bot.wait_until(game_id, at_least(3))
    await bot.tell("game.turn", {"game_id": game_id, "ply": 3, "turn": "1b2"})
    await expect(heard).to_have_text("Basalt played white b2. 1 stone was captured.")
    # A spectator hears both, and nothing of what was played before.
    game_id = await begin(bot, second)
    spectator = await open_page(f"/game/{game_id}")
    heard = spectator.page.locator(".heard")
    await expect(spectator.prompt).to_have_text("Basalt (Black) is thinking.")
    await expect(heard).to_be_empty()
    for player, ply, turn in ((bot, 0, "0-0"), (second, 1, "3-0,3-7"), (bot, 2, "pass")):
        await player.tell("game.turn", {"game_id": game_id, "ply": ply, "turn": turn})
        await spectator.see_turn(ply, turn)
        said = "passed" if turn == "pass" else f"played {turn.replace(',', ' and ')}"
        await expect(heard).to_have_text(f"{player.name} {said}.")


async def test_nothing_is_earlier_than_a_game_without_turns(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt", wait), await add_bot("Marble", wait)
    spectator = await open_page(f"/game/{await begin(first, second)}")
    await expect(spectator.prompt).to_have_text("Basalt (Black) is thinking.")
    await spectator.page.keyboard.press("ArrowLeft")
    await expect(spectator.prompt).to_have_text("Basalt (Black) is thinking.")


async def test_a_finished_game_is_replayed(open_page: OpenPage, add_bot: AddBot) -> None:
    first, second = await add_bot("Basalt"), await add_bot("Marble")
    game_id = await begin(first, second)
    state = await first.wait_until(game_id, lambda new: new.state == "finished")
    plies = len(state.turns)
    reader = await open_page()
    await reader.page.get_by_role("link", name=re.compile("Replay")).click()
    await reader.arrive_at_game()
    await expect(reader.stones).to_have_count(len(position_of(state).stones))
    await reader.page.keyboard.press("Home")
    await expect(reader.page.locator(".replay-note")).to_have_text(f"0 / {plies}")
    await expect(reader.stones).to_have_count(0)
    await reader.page.keyboard.press("ArrowRight")
    await expect(reader.page.locator(".replay-note")).to_have_text(f"1 / {plies}")
    await expect(reader.stones).to_have_count(1)
    await expect(reader.turns.first).to_have_attribute("aria-current", "true")

    middle = plies // 2
    await reader.turns.nth(middle - 1).click()
    expected = position_of(state.model_copy(update={"turns": state.turns[:middle]}))
    await expect(reader.stones).to_have_count(len(expected.stones))
    for seat, scores in enumerate(expected.scores, start=1):
        await shows(partial(reader.scores, seat), [score for score in scores if score])
    await reader.page.get_by_role("button", name="Latest position").click()
    await expect(reader.page.locator(".replay-note")).to_be_empty()


async def test_a_finished_game_plays_itself_and_pauses(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt"), await add_bot("Marble")
    game_id = await begin(first, second)
    state = await first.wait_until(game_id, lambda new: new.state == "finished")
    plies = len(state.turns)
    reader = await open_page(f"/game/{game_id}")
    note = reader.page.locator(".replay-note")
    await reader.page.get_by_role("button", name="Play the turns one after the other").click()
    await expect(note).to_have_text(re.compile(rf"^[1-9]\d* / {plies}$"))
    await reader.page.get_by_role("button", name="Pause").click()
    await reader.turns.nth(plies - 3).click()
    await reader.page.get_by_role("button", name="Play the turns one after the other").click()
    await expect(note).to_be_empty()
    await expect(reader.page.get_by_role("button", name="Pause")).to_be_hidden()


async def test_a_bot_game_that_is_over_at_once_is_shown_from_its_first_turn(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    await add_bot("Basalt")
    await add_bot("Marble")
    visitor = await open_page()
    await visitor.choose()
    await visitor.page.locator(".watch-bots summary").click()
    await visitor.page.locator("[data-key=watch]").click()
    await visitor.arrive_at_game()
    note = visitor.page.locator(".replay-note")
    await expect(note).to_have_text(re.compile(r"^\d+ / \d+$"))
    await visitor.page.get_by_role("button", name="Pause").click()
    await expect(note).not_to_be_empty()
    await visitor.page.keyboard.press("End")
    await expect(note).to_be_empty()


@pytest.mark.parametrize("choice", OTHER_GAMES, ids=lambda choice: str(choice["game"]))
async def test_a_finished_game_of_another_kind_is_replayed(
    open_page: OpenPage, add_bot: AddBot, choice: dict[str, Any]
) -> None:
    first, second = await add_bot("Basalt"), await add_bot("Marble")
    game_id = await begin(first, second, **choice)
    state = await first.wait_until(game_id, lambda new: new.state == "finished")
    assert state.result is not None
    reader = await open_page(f"/game/{game_id}")
    decision, _, why = state.result.message.partition(". ")
    await expect(reader.page.locator(".result-message")).to_have_text(f"{decision.rstrip('.')}.")
    if why:  # it says that the game ended early, with numbers that the page says in its own words
        _, _, numbers = why.removesuffix(".").partition(": ")
        await expect(reader.page.locator(".result-reason")).to_contain_text(numbers)
    for plies in (len(state.turns), len(state.turns) // 2, 1):
        await reader.turns.nth(plies - 1).click()
        shown = position_of(state.model_copy(update={"turns": state.turns[:plies]}))
        await expect(reader.stones).to_have_count(len(shown.stones))
        await expect(reader.page.locator(".stone.faded")).to_have_count(len(shown.marks))
        second_kind = [stone for stone in shown.stones.values() if stone.kind == 2]
        await expect(reader.page.locator(".stones .kind-ring")).to_have_count(len(second_kind))
        for seat, score in enumerate(shown.scores, start=1):
            figure = reader.page.locator(f".player.seat-{seat} .figure")
            await expect(figure).to_have_text(str(score))
    await expect(reader.page.locator(".evaluation-summary")).to_contain_text("estimate")
    await reader.page.locator(".turn-chip").last.hover()
    await expect(reader.page.locator(".imagined").first).to_be_attached()


async def test_pointing_at_an_expected_line_shows_its_stones(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    game_id = await person.challenge("Basalt")
    await person.play("0-0")
    await person.sees(2)
    await person.page.get_by_role("button", name="Resign").click()
    await person.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    state = await bot.wait_until(game_id, lambda new: new.state == "finished")
    info = state.turns[1].info
    assert info is not None
    expected = info.pv[1]
    await person.page.locator(".turn-chip", has_text=expected.replace(",", " ")).hover()
    await expect(person.page.locator(".imagined")).to_have_count(len(expected.split(",")))
    await person.page.locator("#name").hover()
    await expect(person.page.locator(".imagined")).to_have_count(0)
    await expect(person.page.locator(".evaluation-summary")).to_contain_text("Basalt's estimate")


async def test_a_person_starts_a_game_between_two_bots_and_watches(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    await add_bot("Basalt")
    await add_bot("Marble", play_fixed)
    person = await open_page()
    await person.choose()
    button = person.page.locator("summary", has_text="Watch a bot game")
    await button.scroll_into_view_if_needed()
    place = await button.bounding_box()
    await button.click()
    await expect(person.page.locator(".watch-choice")).to_be_in_viewport(ratio=1)
    await shows(lambda: button.bounding_box(), place)
    await person.page.get_by_label("First player").select_option("Marble")
    await person.page.get_by_label("Second player").select_option("Basalt")
    await person.page.get_by_role("button", name="Start").click()
    await person.arrive_at_game()
    await expect(person.page.locator(".player.seat-1")).to_contain_text("Marble")
    await expect(person.result).to_have_text(re.compile(r"^(Marble|Basalt) won$|^Draw$"))


async def test_two_people_meet_by_an_open_challenge(open_page: OpenPage) -> None:
    host, guest = await open_page(), await open_page()
    await host.choose()
    await host.page.get_by_role("button", name="Create an open challenge").click()
    await expect(host.page.get_by_text("Waiting for an opponent")).to_be_visible()
    await guest.page.get_by_role("button", name="Accept").click()
    await together(host, guest)
    await host.play("0-0")
    await guest.see_turn(0, "0-0")
    await expect(guest.prompt).to_have_text("Your turn: place two stones.")

    for person, label in ((guest, "1-0,3-0"), (host, "3-3,3-6")):
        await person.play(label)
    await host.page.get_by_role("button", name="Offer a draw").click()
    await host.page.get_by_role("dialog").get_by_role("button", name="Offer a draw").click()
    await guest.page.get_by_role("button", name="Accept").click()
    await guest.page.get_by_role("dialog").get_by_role("button", name="Accept").click()
    for person in (host, guest):
        await expect(person.result).to_have_text("Draw by agreement")


@pytest.mark.parametrize(
    ("choice", "unusual"),
    [
        ({"game": "blooms", "options": {"captures": 4}}, "Captures to win: 4"),
        ({"game": "stargazers", "options": {"protocol": "alternating"}}, "alternating"),
        ({"game": "stargazers", "rules": "ludii"}, "Ludii rules"),
    ],
)
async def test_unusual_rules_are_shown_wherever_a_game_is_offered_or_played(
    open_page: OpenPage, add_bot: AddBot, choice: dict[str, Any], unusual: str
) -> None:
    first, second = await add_bot("Basalt", wait), await add_bot("Marble", wait)
    game_id = await begin(first, second, board=None, **choice)
    person = await open_page()
    name = await person.name()
    await expect(person.page.get_by_role("link", name="Watch")).to_contain_text(unusual)
    offer = {"setup": {"clock": {"kind": "none"}, **choice}, "seats": [first.name, name]}
    await first.do("challenge.create", offer)
    notice = person.page.locator(".notice.offer")
    await expect(notice).to_contain_text(unusual)
    await person.page.get_by_role("link", name="Watch").click()
    await shows(lambda: person.arrive_at_game(), game_id)
    await expect(person.page.locator(".facts")).to_contain_text(unusual)
    await expect(notice).to_contain_text("Basalt offers a game: ")
    await expect(notice).to_contain_text(unusual)


async def test_an_open_challenge_can_be_cancelled_and_a_decline_is_shown(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    shy = await add_bot("Basalt")
    shy.refusal = "Not today."
    person, onlooker = await open_page(), await open_page()
    await person.page.get_by_role("button", name="Create an open challenge").click()
    await expect(onlooker.page.get_by_text("offers a game")).to_be_visible()
    await person.page.get_by_role("button", name="Cancel").click()
    await expect(onlooker.page.get_by_text("offers a game")).to_be_hidden()
    await person.page.get_by_role("button", name="Play against Basalt").click()
    await expect(person.page.locator(".notice")).to_contain_text("Not today.")
