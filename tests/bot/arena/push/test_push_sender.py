"""Which push services a browser may name: none that is not of the public internet."""

import socket

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.arena.push.push_sender import PublicResolver, is_allowed
from bot.arena.settings import PushSettings


class Answering(AbstractResolver):
    """A resolver that finds the same address for every name."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        result = ResolveResult(
            hostname=host, host=self._address, port=port, family=family, proto=0, flags=0
        )
        return [result]

    async def close(self) -> None:
        pass


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://push.example/1",
        "https://push.example:8443/1",
        "https://localhost/1",
        "https://127.0.0.1/1",
        "https://127.9/1",
        "https://0x7f.0x1/1",
        "https://127.0.0.9./1",
        "https://[::1]/1",
        "https://[::ffff:127.0.0.1]/1",
        "https://[2a00:1450:4001::1]/1",
        "https://142.250.1.1/1",
        "https://[fe80::1%25eth0.a]/1",
        "https://[fe80::1%eth0.a]/1",
        "https://[v1.fe80:a.b]/1",
        "https://push.example%2e/1",
        "https://push example.com/1",
        "https://user@[fe80::1%25eth0.a]/1",
        "https://a..example/1",
        "https:///1",
    ],
)
def test_an_address_that_is_no_name_is_refused(endpoint: str) -> None:
    assert not is_allowed(endpoint, PushSettings())


def test_a_name_over_tls_is_allowed() -> None:
    assert is_allowed("https://fcm.example.com/send/1", PushSettings())
    assert is_allowed("https://push.xn--p1ai/1", PushSettings())


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.1.1",
        "169.254.169.254",
        "224.0.0.1",
        "::1",
        "::127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "fec0::1",
        "ff02::1",
    ],
)
async def test_a_name_that_leads_into_a_private_network_is_not_found(address: str) -> None:
    with pytest.raises(OSError, match="no public address"):
        await PublicResolver(Answering(address)).resolve("push.example", 443)


@pytest.mark.parametrize("address", ["142.250.1.1", "2a00:1450:4001::1"])
async def test_a_public_address_is_found(address: str) -> None:
    [found] = await PublicResolver(Answering(address)).resolve("push.example", 443)
    assert found["host"] == address
