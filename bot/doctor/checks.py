"""All checks, in the order of the report. docs/doctor.md describes each by its name."""

from collections.abc import Sequence
from typing import Final

from bot.doctor import cluster, machine, network, ports, programs, stores
from bot.doctor.examination import Check
from bot.errors import ConfigurationError
from bot.runtime.settings import did_you_mean

CHECKS: Final = (
    Check("settings", programs.settings),
    Check("python", programs.python),
    Check("dependencies", programs.dependencies),
    Check("processor", machine.processor),
    Check("memory", machine.memory),
    Check("disk", machine.disk),
    Check("descriptors", machine.descriptors),
    Check("clock", network.clock),
    Check("ports", ports.ports),
    Check("permissions", stores.permissions),
    Check("kernels", programs.kernels),
    Check("engines", programs.engines),
    Check("sandbox", programs.sandbox),
    Check("versions", programs.versions),
    Check("tls", network.tls),
    Check("proxy", network.proxy),
    Check("websocket", network.websocket),
    Check("database", stores.database),
    Check("games", stores.games),
    Check("records", stores.records),
    Check("cluster", cluster.cluster),
    Check("journal", stores.journal),
    Check("backups", stores.backups),
)


def checks_named(names: Sequence[str]) -> list[Check]:
    """Return the checks with these names; all of them without names.

    Raises ConfigurationError for an unknown name.
    """
    known = [check.name for check in CHECKS]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"; the checks are {', '.join(known)}"
            raise ConfigurationError(f"--only: there is no check {name!r}{hint}")
    return [check for check in CHECKS if check.name in names or not names]
