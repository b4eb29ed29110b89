"""Build the documentation site: `python -m tools.site` (or `make site`).

The pages link to each other as files of the repository, so that they work on a code host too. The
site has the folder docs/ as its root. So the pages are copied to build/site-source with their links
adapted, README.md becomes the first page, and files outside docs/ that a page links to are copied.
MkDocs then builds build/site, and fails if a link or an anchor leads nowhere or if a page is
missing in the navigation of docs/mkdocs.yml.
"""

import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent, indent
from typing import Final

from tools import ROOT

SOURCE: Final = ROOT / "build" / "site-source"
SITE: Final = ROOT / "build" / "site"
SETTINGS: Final = ROOT / "docs" / "mkdocs.yml"
PAGES: Final = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
)

_FENCE_OR_TARGET = re.compile(
    r"(?P<fence>^( *)```.*?^\2```$)|(?<=\]\()(?P<target>[^)\s#]+)", re.MULTILINE | re.DOTALL
)


def place(path: str) -> str:
    """Where the site has a file of the repository; both paths are relative, with slashes."""
    return "index.md" if path == "README.md" else path.removeprefix("docs/")


def adapted(page: Path) -> tuple[str, set[str]]:
    """Return the text of a page with the links of the site, and the files that it links to."""
    here = page.relative_to(ROOT).as_posix()
    linked: set[str] = set()

    def adapt(match: re.Match[str]) -> str:
        if match["fence"] is not None:
            # Tests read a name after the language, which MkDocs does not know.
            fence = re.sub(r"^( *```\w*) .*", r"\1", match["fence"], count=1)
            # In a list MkDocs needs four spaces where code hosts need two or three.
            return fence if not match[2] else indent(dedent(fence), "    ")
        target = match["target"]
        if ":" in target:
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
        linked.add(path)
        return posixpath.relpath(place(path), posixpath.dirname(place(here)) or ".")

    text = _FENCE_OR_TARGET.sub(adapt, page.read_text(encoding="utf-8"))
    return re.sub(r"^ {2,3}(?=- )", "    ", text, flags=re.MULTILINE), linked


def collect() -> None:
    """Write the sources of the site."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    ignored = shutil.ignore_patterns("mkdocs.yml", "figures.toml")
    shutil.copytree(ROOT / "docs", SOURCE, ignore=ignored)
    for page in PAGES:
        text, linked = adapted(page)
        (SOURCE / place(page.relative_to(ROOT).as_posix())).write_text(text, encoding="utf-8")
        for path in linked:
            target = SOURCE / place(path)
            if (ROOT / path).is_file() and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / path, target)


def build() -> subprocess.CompletedProcess[str]:
    """Build the site; the return code is not 0 if a link leads nowhere."""
    collect()
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"]
    # The first variable hides an advertisement for a successor of MkDocs.
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONWARNINGS": ""}
    return subprocess.run(
        [*command, "-f", str(SETTINGS)], capture_output=True, text=True, env=environ, check=False
    )


def main() -> int:
    done = build()
    print(*(line for line in done.stderr.splitlines() if "INFO" not in line), sep="\n")
    if done.returncode == 0:
        print(
            f"The site is in {SITE.relative_to(ROOT)}; to read it with its search:\n"
            f"  python3 -m http.server --bind 127.0.0.1 --directory {SITE.relative_to(ROOT)}"
        )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
