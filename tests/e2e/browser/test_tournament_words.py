"""Rare states on a tournament's page; the scripts' functions are called directly."""

from typing import Any

import pytest

from tests.e2e.browser.conftest import OpenPage

VOIDS = """async (game) => {
    const { loadMessages } = await import("/js/shared/messages.js");
    await loadMessages("common", "tournaments");
    const { voidWords } = await import("/js/tournaments/outcomes.js");
    return voidWords(game);
}"""

DOUBT = """async (state) => {
    const { loadMessages } = await import("/js/shared/messages.js");
    await loadMessages("common", "tournaments");
    const { doubtWords } = await import("/js/tournaments/host_actions.js");
    return doubtWords(state);
}"""

CROSSTABLE = """async ([state, rounds]) => {
    const { loadMessages } = await import("/js/shared/messages.js");
    await loadMessages("common", "tournaments");
    const { crosstable } = await import("/js/tournaments/crosstable.js");
    const [table] = crosstable(state, rounds, undefined);
    return [...table.querySelectorAll("tbody td:last-child")].map((cell) => cell.textContent);
}"""


BRACKET = """async ([state, rounds]) => {
    const { loadMessages } = await import("/js/shared/messages.js");
    await loadMessages("common", "tournaments");
    const { bracket } = await import("/js/tournaments/bracket.js");
    const [element] = bracket(state, rounds);
    const words = (side) => [...side.children].map((each) => each.textContent).join(" ").trim();
    return Object.fromEntries([...element.children].map((column) => [
        column.querySelector("h3").textContent,
        [...column.querySelectorAll("li")].map((box) => [...box.children].map(words).join("/")),
    ]));
}"""


FORM = """async (bots) => {
    const { loadMessages } = await import("/js/shared/messages.js");
    await loadMessages("common", "tournaments");
    const { SettingsForm } = await import("/js/tournaments/settings_form.js");
    const form = new SettingsForm();
    form.showBots(bots);
    return [...form.bots.querySelectorAll("input")].map((box) => box.value);
}"""

STANDINGS = """async (state) => {
    const { loadMessages } = await import("/js/shared/messages.js");
    await loadMessages("common", "tournaments");
    const { standings } = await import("/js/tournaments/standings.js");
    const [table] = standings(state, undefined);
    return [...table.querySelectorAll("td.rank")].map((cell) => cell.textContent);
}"""


@pytest.mark.parametrize(
    ("voids", "reason", "state", "said"),
    [
        (0, None, "waiting", ""),
        (1, "A power cut.", "waiting", "Void once, and played again: A power cut."),
        (2, "A full disk.", "unplayed", "Void twice: A full disk."),
        (3, None, "finished", "Void 3 times, and played again"),
    ],
)
async def test_void_games_are_shown_with_the_reason(
    open_page: OpenPage, voids: int, reason: str | None, state: str, said: str
) -> None:
    visitor = await open_page()
    game = {"voids": voids, "void_reason": reason, "state": state}
    found = await visitor.page.evaluate(VOIDS, game)
    assert found == said


@pytest.mark.parametrize(
    ("rounds", "players", "doubt"),
    [
        (2, 4, ""),
        (3, 4, "With 4 players, a Swiss of 3 rounds may end early"),
        (4, 4, "With 4 players it ends after 3 rounds at the latest"),
        (3, 5, ""),
        (5, 5, "With 5 players, a Swiss of 5 rounds may end early"),
        (6, 5, "With 5 players it ends after 5 rounds at the latest"),
        (1, 1, ""),
    ],
)
async def test_the_page_tells_the_host_when_a_swiss_may_end_early(
    open_page: OpenPage, rounds: int, players: int, doubt: str
) -> None:
    visitor = await open_page()
    state = {
        "settings": {"format": {"kind": "swiss"}},
        "entrants": [{}] * players,
        "state": "open",
        "rounds_in_all": rounds,
    }
    said = await visitor.page.evaluate(DOUBT, state)
    assert said.startswith(doubt)
    assert bool(said) == bool(doubt)


async def test_a_knockout_is_drawn_as_a_bracket_with_byes_ties_and_future_matches(
    open_page: OpenPage,
) -> None:
    visitor = await open_page()
    state = {
        "entrants": [{"name": name} for name in ("Anna", "Bert", "Carla", "Dora", "Emil", "Finn")],
        "settings": {"format": {"kind": "knockout"}},
    }
    tie = [pairing(["Carla", "Finn"], [0.5, 0.5]), pairing(["Finn", "Carla"], [0, 1])]
    byes = [{"player": "Anna", "points": 1}, {"player": "Bert", "points": 1}]
    rounds = [{"number": 1, "pairings": [pairing(["Dora", "Emil"], [0, 1]), *tie], "byes": byes}]
    drawn = await visitor.page.evaluate(BRACKET, [state, rounds])
    assert drawn == {
        "Quarterfinals": ["Anna/bye", "Dora 0/Emil 1", "Bert/bye", "Carla ½ + 1/Finn ½ + 0"],
        "Semifinals": ["Anna/Emil", "Bert/Carla"],
        "Final": ["–/–"],
    }


async def test_a_host_chooses_bots_by_level(open_page: OpenPage) -> None:
    visitor = await open_page()
    levels = {"Bedrock": 9, "Cobble": 4, "Granite": 10, "Mine": None, "Sand": 1}
    bots = [{"name": name, "level": level} for name, level in levels.items()]
    shown = await visitor.page.evaluate(FORM, bots)
    assert shown == ["Sand", "Cobble", "Bedrock", "Granite", "Mine"]


@pytest.mark.parametrize(
    ("ranks", "shown"), [([1, 1, 1], ["–", "–", "–"]), ([1, 1, 3], ["1", "1", "3"]), ([1], ["1"])]
)
async def test_nobody_has_a_rank_before_the_first_match_is_decided(
    open_page: OpenPage, ranks: list[int], shown: list[str]
) -> None:
    visitor = await open_page()
    counts = {"points": 0, "wins": 0, "draws": 0, "losses": 0, "tie_breaks": {}}
    rows = [{"rank": rank, "player": f"p{place}", **counts} for place, rank in enumerate(ranks)]
    settings = {"format": {"kind": "knockout"}}
    state = {"standings": rows, "entrants": [], "settings": settings, "state": "running"}
    found = await visitor.page.evaluate(STANDINGS, state)
    assert found == shown


async def test_the_table_of_rounds_has_all_pairings_that_a_tie_in_a_knockout_took(
    open_page: OpenPage,
) -> None:
    visitor = await open_page()
    state = {
        "standings": [{"player": "Anna"}, {"player": "Bert"}],
        "settings": {"format": {"kind": "knockout"}},
    }
    pairings = [pairing(["Anna", "Bert"], [0.5, 0.5]), pairing(["Bert", "Anna"], [0, 1])]
    rounds = [{"number": 1, "pairings": pairings, "byes": []}]
    cells = await visitor.page.evaluate(CROSSTABLE, [state, rounds])
    assert cells == ["½ + 1 (#2) against Bert", "½ + 0 (#1) against Anna"]


def pairing(players: list[str], score: list[float]) -> dict[str, Any]:
    game = {"state": "finished", "game_id": None}
    return {"players": players, "score": score, "games": [game], "stopped": None}
