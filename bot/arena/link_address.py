"""The address at which other processes of an arena reach this one: the setting cluster.link."""

from typing import Final

from bot.errors import ConfigurationError

_HIGHEST_PORT: Final = 65_535


def split_address(address: str) -> tuple[str, int]:
    """Return host and port of an address such as 10.0.0.5:9765 or [fd00::5]:9765.

    Raises ConfigurationError, which names the setting cluster.link.
    """
    host, _, port = address.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    bare = host[1:-1] if is_bracketed else host
    if not (
        bare
        and is_bracketed == (":" in bare)
        and not any(each.isspace() or each in "[]/@" for each in bare)
        and port.isascii()
        and port.isdigit()
        and int(port) <= _HIGHEST_PORT
    ):
        raise ConfigurationError(
            f"cluster.link: an address such as 10.0.0.5:9765 or [fd00::5]:9765 is required "
            f"(it is {address[:60]!r})"
        )
    return bare, int(port)


def join_address(host: str, port: int) -> str:
    """Return the address of a host and a port; the reverse of `split_address`."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
