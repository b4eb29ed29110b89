"""The page of a report: one HTML file without external references, readable without scripts."""

import base64
import hashlib
from importlib.resources import files
from typing import Final

from bot.drawing.shared import STYLE_SHEET, definitions
from bot.matches.report.chronicle import Chronicle
from bot.matches.report.conditions import conditions_section, facts
from bot.matches.report.crosstable import crosstable_section
from bot.matches.report.figures import (
    ends_section,
    first_player_section,
    lengths_section,
    pairs_section,
    repeats_section,
    time_section,
)
from bot.matches.report.games import games_section, last_positions, replays_of
from bot.matches.report.head_to_head import head_to_head_section
from bot.matches.report.markup import Html, joined, link, tag
from bot.matches.report.schedule import incidents_section, schedule_section
from bot.matches.report.standings import ratings_section, sequential_section, standings_section
from bot.matches.report.statistics import statistics

LINKS: Final = {
    "standings": "Standings",
    "match": "Match",
    "ratings": "Ratings",
    "sprt": "Sequential test",
    "crosstable": "Crosstable",
    "schedule": "Schedule",
    "incidents": "Other events",
    "conditions": "Engines",
    "first-player": "First player",
    "lengths": "Lengths",
    "ends": "Ends",
    "time": "Time",
    "pairs": "Pairs",
    "repeats": "Repeats",
    "games": "Games",
}


def report_page(story: Chronicle, anchor: str | None = None) -> str:
    """The page as HTML. Elo is relative to the anchor, or to the mean of the players.

    Raises ConfigurationError if no player has the anchor's name.
    """
    name = story.began.name
    replays = replays_of(story)
    found = statistics(story, anchor)
    sections = [
        standings_section(story, found),
        head_to_head_section(found.match),
        ratings_section(found),
        sequential_section(found.sequential),
        crosstable_section(story, found.order),
        schedule_section(story),
        incidents_section(story),
        conditions_section(story),
        first_player_section(story),
        lengths_section(story),
        ends_section(story),
        time_section(story),
        pairs_section(found),
        repeats_section(story, found),
        games_section(story, replays),
    ]
    shown = joined(sections, "\n")
    body = tag(
        "body",
        link("main", "Skip to the standings", css="skip"),
        Html(definitions(last_positions(replays))),
        tag("header", tag("h1", name), facts(story), _navigation(shown)),
        tag("main", shown, id="main", tabindex="-1"),
        tag("footer", tag("p", f"Made by {story.began.software}.")),
        tag("script", Html(_file("page.js"))),
    )
    return f"<!DOCTYPE html>\n{tag('html', _head(name), body, lang='en')}\n"


def _navigation(shown: Html) -> Html:
    links = [
        tag("li", link(name, title)) for name, title in LINKS.items() if f'id="{name}"' in shown
    ]
    return tag("nav", tag("ul", *links), aria_label="Parts of the page")


def _head(name: str) -> Html:
    return tag(
        "head",
        Html('<meta charset="utf-8">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">'),
        tag("title", name),
        tag("style", Html(STYLE_SHEET + _file("page.css"))),
    )


def _policy() -> str:
    """A content security policy: nothing external, and only the page's own script."""
    digest = base64.b64encode(hashlib.sha256(_file("page.js").encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _file(name: str) -> str:
    return (files("bot.matches.report") / name).read_text(encoding="utf-8")
