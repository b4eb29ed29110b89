"""Compare the packages of constraints.txt with known vulnerabilities, without the Internet.

`python -m tools.audit` (or `make audit`) reads advisories.json, and ends with 1 if a
version is affected. `--refresh FOLDER` writes that file anew from a checkout of PyPA's advisory
database (https://github.com/pypa/advisory-database), with the advisories about our packages alone.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import yaml
from packaging.version import InvalidVersion, Version

from tools import ROOT
from tools.licences import canonical

FILE: Final = Path(__file__).with_name("advisories.json")
STALE_DAYS: Final = 90

Advisory = Mapping[str, Any]
"""`id`, `package`, and of OSV's format `aliases`, `versions` and `events` of the ranges."""


def pinned() -> dict[str, str]:
    """Return the version of each package in constraints.txt."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    found = re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE)
    return {canonical(name): version for name, version in found}


def affected(advisories: list[Advisory], versions: Mapping[str, str]) -> list[Advisory]:
    """Return the advisories that concern one of these versions."""
    return [
        each
        for each in advisories
        if each["package"] in versions and is_affected(versions[each["package"]], each)
    ]


def is_affected(version: str, advisory: Advisory) -> bool:
    return version in advisory["versions"] or any(
        is_in_range(Version(version), events) for events in advisory["ranges"]
    )


def is_in_range(version: Version, events: list[Mapping[str, str]]) -> bool:
    """Evaluate the events of a range in their order, as OSV's schema describes it."""
    inside = False
    for event in sorted(events, key=lambda each: _moment(next(iter(each.values())))):
        for kind, text in event.items():
            at = _moment(text)
            if kind == "introduced" and version >= at:
                inside = True
            elif (kind == "fixed" and version >= at) or (kind == "last_affected" and version > at):
                inside = False
    return inside


def _moment(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return Version("0")


def collected(folder: Path, packages: Mapping[str, str]) -> Iterator[Advisory]:
    """Yield the advisories of a checkout about these packages."""
    for path in sorted((folder / "vulns").glob("*/*.yaml")):
        if canonical(path.parent.name) not in packages:
            continue
        entry = yaml.safe_load(path.read_text(encoding="utf-8"))
        if entry.get("withdrawn"):
            continue
        for about in entry["affected"]:
            ranges = [r["events"] for r in about.get("ranges", ()) if r["type"] == "ECOSYSTEM"]
            yield {
                "id": entry["id"],
                "aliases": entry.get("aliases", []),
                "package": canonical(about["package"]["name"]),
                "ranges": ranges,
                # The ranges say the same, much shorter.
                "versions": [] if ranges else about.get("versions", []),
            }


def refresh(folder: Path) -> None:
    git = ["git", "-C", str(folder), "log", "-1", "--format=%H %cs"]
    commit, day = subprocess.run(git, capture_output=True, text=True, check=True).stdout.split()
    advisories = list(collected(folder, pinned()))
    content = {"commit": commit, "date": day, "advisories": advisories}
    FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"{len(advisories)} advisories of {day}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--refresh", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    if options.refresh:
        refresh(options.refresh)
    content = json.loads(FILE.read_text(encoding="utf-8"))
    versions = pinned()
    found = affected(content["advisories"], versions)
    for each in found:
        names = ", ".join([each["id"], *each["aliases"]])
        print(f"{each['package']} {versions[each['package']]}: {names}")
    print(
        f"{len(versions)} packages, {len(content['advisories'])} advisories up to"
        f" {content['date']}, {len(found)} concern a version in constraints.txt"
    )
    age = (datetime.now(UTC).date() - date.fromisoformat(content["date"])).days
    if age > STALE_DAYS:
        print(f"warning: the advisories are {age} days old; refresh them (CONTRIBUTING.md)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
