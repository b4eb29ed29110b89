"""Ports on which two things would listen."""

import subprocess
import sys
import tomllib
from collections.abc import Mapping
from typing import cast

import pytest

from bot.daemon.settings import IDENTITIES, IdentitySettings
from bot.daemon.settings_file import check_ports
from bot.platforms.settings import AccountKey, ListenAddress
from bot.runtime.settings import spell

THERE = '[[platforms]]\nkind = "abstract_play"\n'


def problems(text: str) -> list[str]:
    return [spell(place) + told for place, told in check_ports(tomllib.loads(text))]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", "::"])
def test_health_and_calls_need_a_port_each(host: str) -> None:
    text = f'[health]\nport = 8780\n{THERE}listen_host = "{host}"\n'
    assert problems(text) == ["platforms[0].listen_port: port 8780 is already used by health.port"]


def test_two_bots_need_a_port_each() -> None:
    assert problems(THERE + THERE) == [
        "platforms[1].listen_port: port 8780 is already used by platforms[0].listen_port"
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"[health]\nport = 8781\n{THERE}",
        f'[health]\nport = 8780\nhost = "10.0.0.5"\n{THERE}',
        f"[health]\nport = 0\n{THERE}listen_port = 0\n",
        f'[health]\nport = "x"\n{THERE}listen_host = 3\n',
        '[health]\nport = 8780\n[[platforms]]\nurl = "http://127.0.0.1:8780"\n',
        THERE,
    ],
)
def test_compatible_listeners_are_accepted(text: str) -> None:
    assert problems(text) == []


class ThirdIdentity(IdentitySettings):
    """An identity on a kind of platform that `bot.daemon.settings_file` has never heard of."""

    @classmethod
    def account_in(cls, table: Mapping[str, object]) -> AccountKey:
        return AccountKey("seat", (str(table.get("seat")),))

    @classmethod
    def listens_on(cls, table: Mapping[str, object]) -> ListenAddress | None:
        del table
        return ListenAddress("seat", "127.0.0.1", 8780)


def test_a_new_kind_of_platform_declares_its_own_listener(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(cast("dict[str, object]", IDENTITIES), "third", ThirdIdentity)
    text = f'{THERE}[[platforms]]\nkind = "third"\nseat = 1\n'
    assert problems(text) == [
        "platforms[1].seat: port 8780 is already used by platforms[0].listen_port"
    ]


def test_settings_are_read_without_the_libraries_of_the_protocols() -> None:
    """`bluestone check` answers at once; the libraries take a third of a second."""
    libraries = ("aiohttp", "socketio", "cryptography", "numba")
    script = f"""
import sys
import bot.daemon.settings_file
print([name for name in {libraries!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
