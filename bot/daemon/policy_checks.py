"""Finds policies under which the bot could never accept a challenge, before it starts.

The checks read the raw tables of the file, as `bot.daemon.settings_file` does.
"""

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

import engine
from bot.daemon.settings import PolicySettings, identity_model
from bot.platforms.settings import PossibleChallenges
from bot.runtime.settings import Place, Problem

KeysSet = Mapping[str, tuple[Place, Any]]
"""The keys of a policy that are set, each with its place."""


def check_policies(raw: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield patterns that match no board, and policies that no challenge on the platform
    satisfies.
    """
    general = _chosen(raw.get("policy"), ("policy",))
    yield from _check_patterns(general)
    platforms = raw.get("platforms")
    for index, table in enumerate(platforms if isinstance(platforms, list) else ()):
        if isinstance(table, dict):
            place = ("platforms", index)
            own = _chosen(table.get("policy"), (*place, "policy"))
            yield from _check_patterns(own)
            model = identity_model(table)
            if model is not None and (possible := model.possible_challenges) is not None:
                yield from _check_against(possible, {**general, **own}, f"platforms[{index}]")


def _chosen(table: object, place: Place) -> dict[str, tuple[Place, Any]]:
    if not isinstance(table, dict):
        return {}
    return {key: ((*place, key), value) for key, value in table.items()}


def _check_patterns(chosen: KeysSet) -> Iterator[Problem]:
    """Yield patterns that match no board of any game; another key may choose the games."""
    place, patterns = chosen.get("boards", ((), []))
    known = [board for game in engine.games() for board in engine.boards_of(game)]
    for index, pattern in enumerate(_texts(patterns)):
        if not any(fnmatchcase(board, pattern) for board in known):
            forms = dict.fromkeys(form for game in engine.games() for form in game.board_forms)
            text = f"{pattern!r} matches no board of any game; known forms: {', '.join(forms)}"
            yield (*place, index), text


def _check_against(possible: PossibleChallenges, chosen: KeysSet, where: str) -> Iterator[Problem]:
    """Check each key by itself, and boards only among those of the accepted games."""
    games = _texts(chosen.get("games", ((), list(possible.games)))[1])
    boards = [board for game, board in possible.boards if game in games]
    checks: dict[str, tuple[Callable[[Any], bool], str]] = {
        "games": (lambda games: bool(possible.games & set(games)), _or(sorted(possible.games))),
        "boards": (lambda patterns: _matches_any(patterns, boards), _or(boards)),
        "rules": (lambda rules: possible.rules in rules, repr(possible.rules)),
        "clocks": (lambda clocks: possible.clock in clocks, repr(possible.clock)),
        "max_base_s": (lambda most: most >= possible.least_base_s, f"{possible.least_base_s:g}"),
        "rated": (lambda rated: possible.is_rated_told or rated != "rated", "'any' or 'casual'"),
    }
    for key, (could_fit, needed) in checks.items():
        place, value = chosen.get(key, ((), None))
        if _is_of_kind(key, value) and not could_fit(value):
            least = " or more" if key == "max_base_s" else ""
            text = f"no challenge on {where} could ever be accepted; this key needs {needed}{least}"
            yield place, text


_LISTS: Final = frozenset({"games", "boards", "rules", "clocks"})


def _is_of_kind(key: str, value: object) -> bool:
    """Return whether a value has the right type.

    The model reports other values, and empty lists.
    """
    if key in _LISTS:
        return isinstance(value, list) and bool(value) and _texts(value) == value
    if key == "max_base_s":
        return isinstance(value, int | float)
    return key in PolicySettings.model_fields and isinstance(value, str)


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _matches_any(patterns: list[str], boards: list[str]) -> bool:
    return any(fnmatchcase(board, pattern) for pattern in patterns for board in boards)


def _or(words: list[str]) -> str:
    return " or ".join(map(repr, words))
