"""Ports on which two things would listen."""

import tomllib

import pytest

from bot.daemon.settings_file import check_ports
from bot.runtime.settings import spell

THERE = '[[platforms]]\nkind = "abstract_play"\n'


def problems(text: str) -> list[str]:
    return [spell(place) + told for place, told in check_ports(tomllib.loads(text))]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", "::"])
def test_health_and_calls_need_a_port_each(host: str) -> None:
    text = f'[health]\nport = 8780\n{THERE}listen_host = "{host}"\n'
    assert problems(text) == ["platforms[0].listen_port: port 8780 is that of health.port already"]


def test_two_bots_need_a_port_each() -> None:
    assert problems(THERE + THERE) == [
        "platforms[1].listen_port: port 8780 is that of platforms[0].listen_port already"
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
def test_what_is_not_in_each_others_way(text: str) -> None:
    assert problems(text) == []
