"""Tournaments: a host makes one, bots and people play it, and spectators follow it."""

import re
from typing import Final

from playwright.async_api import Locator, Page, expect

from bot.arena.players.hosts import issue_key
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.looks import shows, until
from tests.e2e.browser.opponent import Opponent
from tests.e2e.browser.scripts import wait
from tests.e2e.browser.visitor import Visitor

SETTINGS: Final = """
name = "Spring cup"
admits = "both"
[format]
kind = "round-robin"
[[setups]]
board = "pent-4"
clock = { kind = "fischer", initial_s = 300, increment_s = 5 }
"""


async def sign_in(open_page: OpenPage, arena: LocalArena, name: str = "Hanna") -> Visitor:
    """A host at the page, by the link that the operator gives them."""
    host = await open_page(f"/#guest_key={await issue_key(arena.data, name)}", online=False)
    await host.page.get_by_role("dialog").get_by_role("button").last.click()
    await expect(host.page.locator("#name")).to_have_text(name)
    assert "guest_key" not in host.page.url
    return host


async def make_by_text(host: Visitor, text: str = SETTINGS) -> str:
    """Make a tournament from a text; its id."""
    page = host.page
    await page.goto("/tournaments/new")
    await page.locator(".chip", has_text="Paste or choose a file").click()
    await page.get_by_label("Text of the settings").fill(text)
    await page.get_by_role("button", name="Create tournament").click()
    return await arrive(page)


async def arrive(page: Page) -> str:
    await page.wait_for_url("**/tournament/*")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page.url.rsplit("/", 1)[-1]


def number_of(points: str) -> float:
    return float(points.replace("½", ".5"))


async def enter(tournament_id: str, *bots: Opponent) -> None:
    for bot in bots:
        answer = await bot.tell("tournament.enter", {"tournament_id": tournament_id})
        assert answer["ok"], answer


def standings_row(page: Page, name: str) -> Locator:
    return page.locator(".standings tbody tr", has_text=name)


async def test_a_tournament_runs_to_its_end_while_a_spectator_watches(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    bots = [await add_bot(name) for name in ("Basalt", "Marble", "Granite")]
    late = await add_bot("Slate", wait)
    host = await sign_in(open_page, arena)
    page = host.page
    await page.get_by_role("link", name="New tournament").click()
    await page.get_by_label("Name", exact=True).fill("Autumn cup")
    await page.get_by_label("Format").select_option("round-robin")
    await page.get_by_label("Pause between rounds").fill("0")
    await page.get_by_label("Time to correct results").fill("0")
    for name in ("Basalt", "Granite", "Marble", "Slate"):
        await expect(page.get_by_role("checkbox", name=name)).to_be_checked()
    await page.locator(".chip", has_text="Slate").click()
    await page.locator('.game-card:has(input[value="bluestone"])').click()
    await page.locator('.board-card:has(input[value="pent-4"])').click()
    await page.locator(".chip", has_text=re.compile(r"^5 min \+ 5 s$")).click()
    await page.get_by_role("button", name="Create tournament").click()
    tournament_id = await arrive(page)
    watcher = await open_page()
    await watcher.page.get_by_role("link", name=re.compile("Autumn cup")).click()
    refused = await late.tell("tournament.enter", {"tournament_id": tournament_id})
    assert refused["code"] == "not_admitted"
    await enter(tournament_id, *bots)
    await expect(watcher.page.locator(".entrants li")).to_have_count(3)
    await expect(watcher.page.locator(".entrants .bot-mark").first).to_have_text("bot")
    await page.get_by_role("button", name="Start now").click()
    for visitor in (host, watcher):
        phase = visitor.page.locator(".phase")
        await expect(phase).to_contain_text("Finished")
        await expect(visitor.page.locator(".standings tbody tr")).to_have_count(3)
        points = visitor.page.locator(".standings .points")
        await until(points.all_inner_texts, lambda each: sum(map(number_of, each)) >= 3)
    await expect(watcher.page.locator(".crosstable tbody tr")).to_have_count(3)
    await expect(watcher.page.locator('.crosstable td a[href^="/game/"]')).to_have_count(6)
    await standings_row(watcher.page, "Marble").get_by_role("link", name="Marble").click()
    await expect(watcher.page.get_by_role("heading", name="Games of Marble")).to_be_focused()
    await expect(watcher.page.locator(".pairing:has(.pairing-line)")).to_have_count(2)
    await watcher.page.get_by_role("link", name="All games of the tournament").click()
    await expect(watcher.page.locator(".pairing:has(.pairing-line)")).to_have_count(3)
    await expect(watcher.page.locator(".rounds details")).to_have_count(3)
    await expect(watcher.page.locator(".rounds")).to_contain_text("has a bye")
    await watcher.page.get_by_role("link", name="Replay").first.click()
    await watcher.arrive_at_game()
    await expect(watcher.page.locator(".facts")).to_contain_text("Autumn cup, round 3")
    await watcher.page.get_by_role("link", name="Autumn cup").click()
    await shows(lambda: arrive(watcher.page), tournament_id)


async def test_a_person_enters_and_the_page_opens_the_game(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    bot = await add_bot("Basalt")
    host = await sign_in(open_page, arena)
    tournament_id = await make_by_text(host)
    await enter(tournament_id, bot)
    person = await open_page(f"/tournament/{tournament_id}")
    await person.name()
    await person.page.get_by_role("button", name="Choose a username to join").click()
    await expect(person.page.get_by_role("dialog")).to_contain_text("Your name")
    await person.page.keyboard.press("Escape")
    await person.take_name("Anna")
    await person.page.get_by_role("button", name="Enter the tournament").click()
    await expect(person.page.locator(".entrants .own")).to_contain_text("Anna")
    await host.page.get_by_role("button", name="Start now").click()
    await person.arrive_at_game()
    await expect(person.page.locator(".facts")).to_contain_text("Spring cup, round 1")
    await expect(person.page.get_by_role("button", name="Abort")).to_have_count(0)
    await person.page.get_by_role("button", name="Resign").click()
    await person.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    await person.page.get_by_role("link", name="To the tournament").click()
    await shows(lambda: arrive(person.page), tournament_id)
    await expect(person.page.locator(".phase")).to_contain_text("Finished")
    await expect(person.page.locator(".standings .own")).to_contain_text("Anna")
    records = person.page.get_by_role("link", name="All games")
    await expect(records).to_have_attribute("href", f"/api/tournaments/{tournament_id}/games.jsonl")


async def test_games_begin_with_the_openings_that_a_host_asks_for(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    bots = [await add_bot(name, wait) for name in ("Basalt", "Marble")]
    host = await sign_in(open_page, arena)
    page = host.page
    await page.goto("/tournaments/new")
    await page.get_by_label("Name", exact=True).fill("Opening cup")
    await page.get_by_label("Openings").fill("5-3 0-0,5-9 9-9  # far\n")
    await expect(page.get_by_label("Games per pairing")).to_have_value("2")
    await page.get_by_label("Games per pairing").fill("1")
    make = page.get_by_role("button", name="Create tournament")
    await page.locator('.game-card:has(input[value="bluestone"])').click()
    await make.click()
    await expect(page.locator(".field-problem")).to_contain_text("games_per_pairing must be even")
    await page.get_by_label("Games per pairing").fill("2")
    await make.click()
    await expect(page.locator(".field-problem")).to_contain_text("turn 3: ")
    await page.get_by_label("Openings").fill("random:3")
    await make.click()
    tournament_id = await arrive(page)
    await expect(page.locator(".facts-list")).to_contain_text("3 random turns, each twice")
    await enter(tournament_id, *bots)
    await expect(page.locator(".entrants li")).to_have_count(2)
    await page.get_by_role("button", name="Start now").click()
    await page.locator('a[href^="/game/"]').first.click()
    await expect(page.locator(".turns")).to_contain_text("The opening has 3 turns.")
    await expect(page.locator(".turn.given")).to_have_count(3)
    await expect(page.locator(".turn:not(.given)")).to_have_count(0)


async def test_a_host_pauses_replaces_withdraws_and_ends(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    bots = [await add_bot(name, wait) for name in ("Basalt", "Marble", "Slate")]
    host = await sign_in(open_page, arena)
    page = host.page
    tournament_id = await make_by_text(host)
    await enter(tournament_id, *bots)
    await page.get_by_role("button", name="Start now").click()
    await expect(page.locator(".live-board .board")).to_have_count(1)

    await do(page, "Pause", "Lunch.", "Pause")
    await expect(page.locator(".phase")).to_contain_text("Lunch.")
    first = await bots[0].wait_for_game() if bots[0].states else await bots[1].wait_for_game()
    mover = next(bot for bot in bots if bot.name == first.players[0].name)
    await mover.tell("game.action", {"game_id": first.game_id, "action": "resign"})
    loser, winner = (player.name for player in first.players)
    won = standings_row(page, winner).locator(".points")
    await expect(won).to_have_text("1")
    number = first.tournament.game if first.tournament else 0
    # The round is over, so the page shows the next one open.
    await open_round(page, first.tournament.round if first.tournament else 0)
    opener = f"Replace the result of game {number}"
    await do(page, opener, "A power cut.", "Replace the result")
    was = f"Replaced by the host: A power cut. (it was: {winner} won by resignation)"
    await expect(page.locator(".reason")).to_contain_text(was)
    await expect(standings_row(page, loser).locator(".points")).to_have_text("1")

    await page.get_by_role("button", name="Withdraw a player").click()
    await page.get_by_role("combobox", name="Player").select_option(loser)
    await finish(page, "It is ill.", "Withdraw")
    await expect(standings_row(page, loser)).to_contain_text("withdrawn")
    key = page.get_by_role("region", name="Standings").locator(".key")
    await expect(key.filter(has_text=f"{loser} is out: It is ill.")).to_have_count(1)
    await expect(key.filter(has_text="SB: Sonneborn-Berger")).to_have_count(1)
    await page.get_by_role("button", name="Resume").click()
    await do(page, "End the tournament", "The hall closes.", "End the tournament")
    await expect(page.locator(".phase")).to_contain_text(
        "Ends with its last game – The hall closes."
    )
    await expect(page.locator(".hosting button")).to_have_count(0)


async def open_round(page: Page, number: int) -> None:
    details = page.locator(".rounds details", has_text=f"Round {number}")
    if await details.get_attribute("open") is None:
        await details.locator("summary").click()


async def do(page: Page, opener: str, why: str, label: str) -> None:
    """Open a dialog of the host, enter the reason, and press its button."""
    await page.get_by_role("button", name=opener, exact=True).click()
    await finish(page, why, label)


async def finish(page: Page, why: str, label: str) -> None:
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Reason").fill(why)
    await dialog.get_by_role("button", name=label, exact=True).click()
    await expect(dialog).to_have_count(0)


async def test_a_host_link_asks_a_person_who_has_a_name_first(
    open_page: OpenPage, arena: LocalArena
) -> None:
    person = await open_page()
    await person.take_name("Anna")
    await expect(person.page.locator("#name")).to_have_text("Anna")
    key = await issue_key(arena.data, "Hanna")
    for label, name in (("Cancel", "Anna"), ("Sign in", "Hanna")):
        await person.page.evaluate("(hash) => { location.hash = hash; }", f"guest_key={key}")
        await person.page.get_by_role("dialog").get_by_role("button", name=label).click()
        await expect(person.page.locator("#name")).to_have_text(name)
    await expect(person.page.get_by_role("link", name="New tournament")).to_be_visible()


async def test_a_link_asks_also_a_guest_and_a_person_who_came_by_a_link(
    open_page: OpenPage, arena: LocalArena
) -> None:
    """Else a stranger's link would replace a player whose key is nowhere else."""
    person = await open_page()
    await expect(person.status).to_have_text("Connected")
    guest = await person.name()
    for former, name in ((guest, "Hanna"), ("Hanna", "Otto")):
        key = await issue_key(arena.data, name)
        for label, then in (("Cancel", former), ("Sign in", name)):
            await person.page.goto("about:blank")
            await person.page.goto(f"/#guest_key={key}")
            dialog = person.page.get_by_role("dialog")
            await expect(dialog).to_contain_text("If someone else sent you this link")
            await dialog.get_by_role("button", name=label).click()
            await expect(person.page.locator("#name")).to_have_text(then)


async def test_a_link_asks_also_in_a_browser_without_a_player(
    open_page: OpenPage, arena: LocalArena
) -> None:
    """Else a stranger's link would let people play, and tell, as the stranger's player."""
    for label, name in (("Cancel", "Guest-"), ("Sign in", "Hanna")):
        person = await open_page(
            f"/#guest_key={await issue_key(arena.data, 'Hanna')}", online=False
        )
        dialog = person.page.get_by_role("dialog")
        await expect(dialog).to_contain_text("If someone else sent you this link")
        key = await person.page.evaluate("localStorage['bluestone.guest_key'] ?? null")
        assert key is None
        await dialog.get_by_role("button", name=label).click()
        await expect(person.page.locator("#name")).to_contain_text(name)


async def test_the_page_says_what_is_wrong_with_settings(
    open_page: OpenPage, arena: LocalArena
) -> None:
    host = await sign_in(open_page, arena)
    page = host.page
    await page.goto("/tournaments/new")
    await page.locator(".chip", has_text="Paste or choose a file").click()
    text, make = (
        page.get_by_label("Text of the settings"),
        page.get_by_role("button", name="Create tournament"),
    )
    for wrong, said in (
        ("name = ", "These settings cannot be read"),
        (SETTINGS.replace("round-robin", "lottery"), "lottery"),
        ('players = ["Anna", "Anna"]' + SETTINGS, "Anna is listed twice"),
    ):
        await text.fill(wrong)
        await make.click()
        await expect(page.locator(".field-problem")).to_contain_text(said)


async def test_the_form_says_when_a_swiss_may_end_early(
    open_page: OpenPage, arena: LocalArena
) -> None:
    host = await sign_in(open_page, arena)
    page = host.page
    await page.goto("/tournaments/new")
    doubt = page.locator(".doubt")
    rounds = page.get_by_label(re.compile("^Rounds"))
    await rounds.fill("5")
    await expect(doubt).to_be_empty()
    await page.get_by_label("Maximum players").fill("8")
    await expect(doubt).to_have_text(
        "With at most 8 players, a Swiss of 5 rounds may end early"
        " because no legal pairing is left."
    )
    await rounds.fill("4")
    await expect(doubt).to_be_empty()
    await page.get_by_label("Maximum players").fill("6")
    await expect(doubt).not_to_be_empty()
    await page.get_by_label("Format").select_option("round-robin")
    await expect(doubt).to_be_empty()


async def test_only_a_host_can_make_a_tournament(open_page: OpenPage) -> None:
    person = await open_page("/tournaments/new")
    await expect(person.page.get_by_text("Only hosts can create tournaments")).to_be_visible()
    await expect(person.page.get_by_role("button", name="Create tournament")).to_be_hidden()
    await person.visit("/tournament/there-is-none")
    await expect(person.page.get_by_role("link", name="All tournaments")).to_be_visible()


LATE: Final = """
name = "Long cup"
admits = "both"
most_players = 4
late_rounds = 1
[format]
kind = "swiss"
rounds = 3
[[setups]]
board = "pent-4"
clock = { kind = "fischer", initial_s = 300, increment_s = 5 }
"""


async def test_people_enter_late_while_there_is_room(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    bots = [await add_bot(name, wait) for name in ("Basalt", "Marble", "Slate")]
    host = await sign_in(open_page, arena)
    tournament_id = await make_by_text(host, LATE)
    await enter(tournament_id, *bots[:2])
    await host.page.get_by_role("button", name="Start now").click()
    person = await open_page(f"/tournament/{tournament_id}")
    phase = person.page.locator(".phase")
    await expect(phase).to_have_text("Round 1 of 3, open to late players")
    await person.take_name("Anna")
    await person.page.get_by_role("button", name="Enter the tournament").click()
    await expect(person.page.locator(".standings .own")).to_contain_text("Anna")
    await enter(tournament_id, bots[2])
    await expect(phase).to_have_text("Round 1 of 3")


TWO_SETUPS: Final = """
name = "Mixed cup"
most_players = 2
mix = "all"
[format]
kind = "round-robin"
[[setups]]
board = "pent-4"
clock = { kind = "fischer", initial_s = 300, increment_s = 5 }
[[setups]]
board = "hexhex-3"
clock = { kind = "fischer", initial_s = 300, increment_s = 5 }
"""


async def test_each_game_of_several_setups_says_what_is_played(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    bots = [await add_bot(name, wait) for name in ("Basalt", "Marble")]
    host = await sign_in(open_page, arena)
    page = host.page
    await enter(await make_by_text(host, TWO_SETUPS), *bots)
    await expect(page.locator(".phase")).to_have_text("All places are taken")
    await page.get_by_role("button", name="Start now").click()
    played = page.locator(".pairing-game")
    for place, board in enumerate(("Pentagon 4", "Hexagon 3")):
        await expect(played.nth(place)).to_contain_text(f"{board} · ")
