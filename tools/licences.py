"""The licences of the packages that Bluestone needs when it runs.

`python -m tools.licences` writes docs/licences.md from the metadata of the installed
packages.
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackagePath, distribution
from typing import Final

from packaging.requirements import Requirement

from tools import ROOT

MIT: Final = "Permission is hereby granted, free of charge, to any person obtaining a copy"
"""How the text of that licence begins, for packages that state none."""
PAGE: Final = ROOT / "docs" / "licences.md"
HEAD: Final = """\
# Third-party licences

For people who distribute Bluestone or an image of it. This page lists every package that Bluestone
needs when it runs, with the licence that the package states. Bluestone itself is under the
[MIT licence](../LICENSE). The wheels for Linux and the image need neither llvmlite nor numba.

The extra `postgres` adds psycopg, which is under the LGPL 3.0; no image of ours contains it.

The wheel contains none of these packages. An image or an environment does, and each package brings
the text of its licence in its `.dist-info` folder. The list is generated:

    .venv/bin/python -m tools.licences

| package | licence |
| --- | --- |
"""


def needed(name: str, seen: set[str] | None = None) -> Iterator[Distribution]:
    """Yield the package and what it needs on this machine, with the extra `compile` alone."""
    seen = set() if seen is None else seen
    found = distribution(name)
    if (key := canonical(found.name)) in seen:
        return
    seen.add(key)
    yield found
    for text in found.requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": "compile"}):
            yield from needed(requirement.name, seen)


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def licence(package: Distribution) -> str:
    """Return what the package states: an SPDX expression, a classifier, or a name."""
    stated = package.metadata.get_all
    if expression := stated("License-Expression"):
        return str(expression[0])
    classifiers = stated("Classifier") or ()
    names = [each.split(" :: ")[-1] for each in classifiers if each.startswith("License ::")]
    named = " or ".join(names) or str((stated("License") or [""])[0]).partition("\n")[0]
    return named or ("MIT" if any(map(_is_mit, package.files or ())) else "")


def _is_mit(file: PackagePath) -> bool:
    return file.name == "LICENSE" and MIT in " ".join(file.read_text().split())


def table() -> dict[str, str]:
    """Return the licence of each package, by its name."""
    found = {canonical(each.name): licence(each) for each in needed("bluestone")}
    del found["bluestone"]
    return dict(sorted(found.items()))


def main() -> int:
    rows = "".join(f"| {name} | {stated} |\n" for name, stated in table().items())
    PAGE.write_text(HEAD + rows, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
