"""Chooses the bus of an arena's process by its settings."""

from typing import Final

from bot.arena.cluster.bus import Bus
from bot.arena.cluster.connected_bus import ConnectedBus
from bot.arena.settings import ArenaSettings
from bot.arena.store.opening import postgres
from bot.errors import ConfigurationError

NOT_INSTALLED: Final = (
    "cluster.bus: Valkey needs the package valkey; install it with: "
    "pip install 'bluestone[cluster]'"
)


def new_bus(settings: ArenaSettings, process_id: str) -> Bus:
    """The bus that `cluster.bus` names, not yet open.

    `process_id` appears in the server's lists of connections. Raises ConfigurationError if a URL
    cannot be understood, or if a package is not installed.
    """
    driver = postgres(settings.database)
    if not settings.cluster.bus:
        from bot.arena.cluster.postgres_bus import PostgresTransport

        return ConnectedBus(PostgresTransport(driver, process_id))
    try:
        from bot.arena.cluster.valkey_bus import ValkeyTransport
    except ImportError as error:
        raise ConfigurationError(NOT_INSTALLED) from error
    arena = str(driver.parameters("").get("dbname") or "")
    return ConnectedBus(ValkeyTransport(settings.cluster.bus, arena, process_id))
