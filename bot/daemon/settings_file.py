"""Reads the bot's settings from a TOML file and reports every problem in it at once."""

import ipaddress
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from bot.daemon.policy_checks import check_policies
from bot.daemon.settings import (
    USUAL_KIND,
    DaemonSettings,
    DrawSettings,
    HealthSettings,
    PolicySettings,
    Settings,
    identity_model,
)
from bot.engines.spec import fields_of
from bot.errors import ConfigurationError
from bot.platforms.settings import read_secret
from bot.runtime.settings import (
    Place,
    Problem,
    SettingsTable,
    did_you_mean,
    read_toml,
    spell,
    validated,
)


@dataclass(frozen=True, slots=True)
class _Listener:
    place: Place
    host: str
    port: int

    def conflicts_with(self, other: "_Listener") -> bool:
        """Return whether the two cannot have these ports at the same time.

        Port 0 is any free port.
        """
        if self.port != other.port or self.port == 0:
            return False
        return _one_spelling(self.host) == _one_spelling(other.host) or any(
            _is_everywhere(each.host) for each in (self, other)
        )


def check_ports(raw: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield ports that two tables use. The problem is reported for the later table."""
    before: list[_Listener] = []
    for listener in _listeners(raw):
        for other in before:
            if listener.conflicts_with(other):
                taken = spell(other.place).removesuffix(": ")
                yield listener.place, f"port {listener.port} is already used by {taken}"
                break
        before.append(listener)


def _listeners(raw: Mapping[str, Any]) -> Iterator[_Listener]:
    """Yield every address to listen on, skipping tables with values of the wrong type."""
    health = raw.get("health")
    if isinstance(health, dict):
        host = health.get("host", HealthSettings.model_fields["host"].default)
        port = health.get("port")
        if isinstance(host, str) and isinstance(port, int):
            yield _Listener(("health", "port"), host, port)
    for index, table in _platform_tables(raw):
        model = identity_model(table)
        if model is not None and (address := model.listens_on(table)) is not None:
            place = ("platforms", index, address.key)
            yield _Listener(place, address.host, address.port)


def _platform_tables(raw: Mapping[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Return the [[platforms]] tables, each with its index."""
    platforms = raw.get("platforms")
    tables = platforms if isinstance(platforms, list) else []
    return [(index, table) for index, table in enumerate(tables) if isinstance(table, dict)]


def _one_spelling(host: str) -> str:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return "127.0.0.1" if host == "localhost" else host.lower()


def _is_everywhere(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


_NOT_HERE = (
    "a secret does not belong in this file, which is copied, shown and committed: put it into an "
    "environment variable and name the variable in token_env, or into a file named in token_file"
)

CREDENTIALS: Final = Path("/run/credentials")
"""Where systemd puts the credentials of a unit, for as long as the unit runs."""
_WHEREABOUTS: Final = frozenset({"daemon", "health"})
BUILTIN: Final = "search"
BOUNDS: Final = (("min_base_s", "max_base_s"), ("min_increment_s", "max_increment_s"))


def load_settings(path: Path, environ: Mapping[str, str] = os.environ) -> Settings:
    """Load the settings. Raises ConfigurationError with every problem of the file."""
    raw = read_toml(path)
    more = _cross_checks(raw, environ)
    return validated(Settings, _with_names(raw), lambda _: path, more, _NOT_HERE)


class Whereabouts(SettingsTable):
    """The tables that are needed to request a daemon's status."""

    daemon: DaemonSettings = DaemonSettings()
    health: HealthSettings = HealthSettings()


def read_whereabouts(path: Path) -> Whereabouts:
    """Read those two tables. Needs no secrets, and ignores errors in other tables.

    Raises ConfigurationError.
    """
    tables = {key: value for key, value in read_toml(path).items() if key in _WHEREABOUTS}
    return validated(Whereabouts, tables, lambda _: path)


def settings_warnings(settings: Settings) -> list[str]:
    """Return settings that are valid but risky, each as `key: what`."""
    found = []
    for index, table in enumerate(settings.platforms):
        if (file := table.token_file) is None:
            continue
        if is_absent_credential(file):
            text = "systemd makes it while the unit runs, so its token was not examined"
            found.append(f"platforms[{index}].token_file: {text}")
        elif _is_readable_by_all(file):
            text = "every user of this machine can read it; use chmod 600"
            found.append(f"platforms[{index}].token_file: {text}")
    return found


def is_absent_credential(file: Path) -> bool:
    """Return whether a file is a credential of a systemd unit that does not run now."""
    return file.is_relative_to(CREDENTIALS) and not file.parent.exists()


def _is_readable_by_all(file: Path) -> bool:
    try:
        file = file.resolve(strict=True)
        way = all(folder.stat().st_mode & stat.S_IXOTH for folder in file.parents)
        return bool(way and file.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


def check_settings(path: Path, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return every problem of the file, each as `file: key: what`, without starting anything."""
    try:
        load_settings(path, environ)
    except ConfigurationError as error:
        return error.problems
    return []


def _with_names(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the tables with the name of each engine, and with the built-in engine added."""
    engines = raw.get("engines", {})
    if not isinstance(engines, dict):
        return raw
    engines = {BUILTIN: {"builtin": BUILTIN}, **engines}
    named = {
        key: {"name": key, **table} if isinstance(table, dict) else table
        for key, table in engines.items()
    }
    return {**raw, "engines": named}


# ---- checks across values ------------------------------------------------------------------
# These read the raw tables, so that they report their problems even if other values are wrong.


def _cross_checks(raw: dict[str, Any], environ: Mapping[str, str]) -> list[Problem]:
    policy = raw.get("policy")
    found = [*_check_policy_bounds(policy, None, ("policy",))]
    found += _check_bounds(raw.get("draws"), DrawSettings, ("lowest", "highest"), ("draws",))
    found += _check_commands(raw.get("engines"))
    found += check_policies(raw)
    found += check_ports(raw)
    if raw.get("platforms", []) == []:
        found.append((("platforms",), "there are none; add a [[platforms]] table with a url"))
    tables = _platform_tables(raw)
    for index, table in tables:
        place = ("platforms", index)
        found += _check_engine(table, raw.get("engines"), place)
        found += _check_token(table, environ, place)
        found += _check_policy_bounds(table.get("policy"), policy, (*place, "policy"))
    found += _check_unlike("name", [(i, t.get("name", USUAL_KIND), "name") for i, t in tables])
    accounts = [
        (index, account, account.key)
        for index, table in tables
        if (model := identity_model(table)) is not None
        for account in [model.account_in(table)]
    ]
    found += _check_unlike("account", accounts)
    return found


def _check_commands(engines: object) -> Iterator[Problem]:
    for name, table in engines.items() if isinstance(engines, dict) else ():
        command = table.get("command") if isinstance(table, dict) else None
        if isinstance(command, str):
            command = _words(command)
        if not isinstance(command, list) or not command or "directory" in table:
            continue
        if isinstance(command[0], str) and shutil.which(command[0]) is None:
            yield ("engines", name, "command"), f"there is no program {command[0]!r} to run"


def _words(command: str) -> list[str]:
    """Return the words of a command; none if its quotes are wrong, which the model reports, and
    none for a server.
    """
    try:
        fields = fields_of(command)
    except ValueError:
        return []
    words: list[str] = fields.get("command", [])
    return words


def _check_engine(table: dict[str, Any], engines: object, place: Place) -> Iterator[Problem]:
    known = [*engines, BUILTIN] if isinstance(engines, dict) else [BUILTIN]
    name = table.get("engine", BUILTIN)
    if isinstance(name, str) and name not in known:
        text = f"there is no [engines.{name}]{did_you_mean(name, known)}"
        yield (*place, "engine"), text


def _check_token(
    table: dict[str, Any], environ: Mapping[str, str], place: Place
) -> Iterator[Problem]:
    variable, file = table.get("token_env"), table.get("token_file")
    if variable is not None and file is not None:
        yield place, "token_env and token_file are both set; remove one"
        return
    if not (isinstance(variable, str | None) and isinstance(file, str | None)):
        return
    if file and is_absent_credential(Path(file)):
        return  # a start without systemd reads the token, and fails
    try:
        read_secret(variable, Path(file) if file else None, environ)
    except ConfigurationError as error:
        key, _, text = str(error).partition(": ")
        yield (*place, key), text


def _check_policy_bounds(table: object, general: object, place: Place) -> Iterator[Problem]:
    """Check the table together with `general`, whose keys it overrides."""
    if not isinstance(table, dict):
        return
    whole = {**general, **table} if isinstance(general, dict) else table
    for keys in BOUNDS:
        if any(key in table for key in keys):
            yield from _check_bounds(whole, PolicySettings, keys, place)


def _check_bounds(
    table: object, model: type[BaseModel], keys: tuple[str, str], place: Place
) -> Iterator[Problem]:
    if not isinstance(table, dict):
        return
    low, high = (table.get(key, model.model_fields[key].default) for key in keys)
    if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
        yield (*place, keys[1]), f"{high:g} is less than {keys[0]}, which is {low:g}"


def _check_unlike(what: str, found: Sequence[tuple[int, object, str]]) -> Iterator[Problem]:
    """Yield values that two platforms share.

    `found` has for each platform its index, the value, and the key that sets it.
    """
    first: dict[object, int] = {}
    for index, value, key in found:
        earlier = first.setdefault(value, index)
        if earlier != index:
            yield ("platforms", index, key), f"platforms[{earlier}] already uses this {what}"
