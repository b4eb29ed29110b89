"""What an engine's options are set to, and the lines that set them to something else."""

from collections.abc import Mapping

import structlog

from bot.engines.messages import Option
from bot.errors import EngineProtocolError

MAX_OPTIONS = 200


class OptionRefused(EngineProtocolError):
    """The engine cannot be set to what is wanted; it was told nothing, and goes on as it was."""


class OptionValues:
    """`declared` holds the options of the engine's hello, by their names in small letters."""

    def __init__(self, engine: str) -> None:
        self.declared: dict[str, Option] = {}
        self._engine = engine
        self._set: dict[str, str] = {}
        self._lacking: set[str] = set()

    def declare(self, option: Option) -> None:
        if len(self.declared) < MAX_OPTIONS:
            self.declared[option.name.lower()] = option

    def known(self, options: Mapping[str, str]) -> dict[str, str]:
        """Those that the engine has, by their names in small letters."""
        small = {name.lower(): value for name, value in options.items()}
        return {name: value for name, value in small.items() if name in self.declared}

    def lines(self, values: Mapping[str, str]) -> list[str]:
        """What sets these; those that the engine lacks are left out.

        Raises EngineProtocolError where it does not offer a value.
        """
        found = []
        for name, value in values.items():
            option = self.declared.get(name.lower())
            if option is None:
                continue
            if not option.takes(value):
                message = f"offers no {option.name} {value!r}, {option.offer}"
                raise EngineProtocolError(self._engine, message)
            found.append(f"setoption name {option.name} value {value}")
        return found

    def changing_to(self, wanted: Mapping[str, str]) -> list[str]:
        """What sets exactly these; what was set besides goes back to its default.

        Raises EngineProtocolError where the engine does not offer a value.
        """
        values = self.known(wanted)
        back = {
            name: default
            for name in self._set
            if name not in values and (default := self.declared[name].default) is not None
        }
        changed = {name: value for name, value in values.items() if self._set.get(name) != value}
        return self.lines(back | changed)

    def check_ways_back(self, options: Mapping[str, str], usual: Mapping[str, str]) -> None:
        """Raises EngineProtocolError for one that is not `usual` and has no default."""
        for name in self.known(options).keys() - self.known(usual).keys():
            option = self.declared[name]
            if option.default is None:
                message = (
                    f"names no default of {option.name} for the others to go back to: "
                    "set it in the options of the engine itself"
                )
                raise EngineProtocolError(self._engine, message)

    def note(self, options: Mapping[str, str]) -> dict[str, str]:
        """Remember what is set, to change it later; returns those that the engine has."""
        self._set = self.known(options)
        known = {name: value for name, value in options.items() if name.lower() in self.declared}
        for name in (options.keys() - known.keys()) - self._lacking:
            self._lacking.add(name)
            structlog.get_logger().warning("engine_lacks_option", engine=self._engine, name=name)
        return known
