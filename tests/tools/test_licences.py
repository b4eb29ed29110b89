"""docs/licences.md lists what is installed, whatever the versions."""

import re

from tools.licences import PAGE, table

ALLOWED = re.compile(r"MIT|BSD|Apache|PSF|Python Software|MPL|ISC|Zlib|CC0")
"""Licences under which an image of Bluestone may be passed on. MPL covers files, not programs."""

_ROW = re.compile(r"^\| ([a-z0-9-]+) \| .+ \|$", re.MULTILINE)


def test_every_package_that_is_needed_is_listed() -> None:
    """A Python or a system may need fewer packages than are listed."""
    listed = set(_ROW.findall(PAGE.read_text(encoding="utf-8")))
    assert sorted(set(table()) - listed) == [], "run `python -m tools.licences`"


def test_every_package_has_a_licence_that_permits_distribution() -> None:
    others = {name: stated for name, stated in table().items() if not ALLOWED.search(stated)}
    assert others == {}
