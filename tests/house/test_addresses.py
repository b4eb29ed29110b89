"""No source forgets the path below which an arena may be (the setting `base_path`).

Scripts may write addresses as if the arena were at the top. What counts is what hands them to the
browser: every call of such an interface is found here, and must add the path. New files of Python
with absolute paths are found too, and must be listed with what adds the path to them.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import orjson
import pytest

from bot.arena.settings import OWN_FOLDERS, OWN_PATHS, ArenaSettings
from bot.arena.web.page_bundle import FOLDER, INDEX, LANGUAGES, based, localized, manifest
from bot.arena.web.pages import addresses
from tests.bot.arena.declared import declared
from tools import ROOT

BASE: Final = "/games/blue-stone"
SITE: Final = "shared/site.js"
"""The only script that knows the path."""
ADDS_PATH: Final = re.compile(r"addressOf\(|linkTo\(|\bBASE\b|pathIn\(|here\(\)")
SINKS: Final = re.compile(
    r"""
      (?<![.\w])(?: fetch | io | importScripts )\( | \bwindow\.fetch\(
    | \b(?: replaceState | pushState | openWindow | sendBeacon )\(
    | serviceWorker\??\.register\( | locks\.request\( | caches\.open\( | window\.open\(
    | \bnew\s(?: Request | WebSocket | EventSource | Worker | SharedWorker | BroadcastChannel )\(
    | \.(?: href | src | srcset | action | formAction | cookie )\s=[^=]
    | \b(?: setAttribute | setAttributeNS )\(\s*(?: [^",]*,\s*)? "(?: href | src | action )"
    | \blocation\s=[^=] | \blocation\.(?: assign | replace )\(
    | \blocation\.(?: origin | host | hostname | href | pathname )\b
    | \b(?: localStorage | sessionStorage )\.\w+ | \bindexedDB\b
    """,
    re.VERBOSE,
)
"""What gives the browser an address or a name that all arenas of a site share, or reads one."""
OTHER_ATTRIBUTES: Final = re.compile(
    r"\b(?:action|formaction|srcset|poster|ping|cite)\"?:\s*[\"'`]/"
)
"""Addresses in attributes that `setAttributes` does not know."""
STORING: Final = ("getItem", "setItem", "removeItem")
NEEDS_NONE: Final = {
    ("analysis/page.js", "history.replaceState(null, `$(location.pathname)$(hash)`)"),
    ("app.js", "history.replaceState(null, location.pathname)"),
    ("engine/load.js", "new URL(`$(base)/engine/`, location.href)"),
    ("engine/load.js", "fetch(address)"),
    ("engine/thinker.js", 'new Worker(new URL("./worker.js", import.meta.url)'),
    ("frame/host_link.js", "history.replaceState(null, location.pathname)"),
    ("tournaments/page.js", "history.replaceState(null, link.hash)"),
    *(("shared/storage.js", f"localStorage.{call}(PREFIX + key") for call in STORING),
}
"""Calls with the browser's own address or the script's, or with a name that has the path in it."""

PATH: Final = re.compile(r"/[a-z{][\w/{}.-]*(?:\?.*)?")
IN_PYTHON: Final = {
    "accounts/account_api.py": "routes",
    "http/routes.py": "routes",
    "edge/descriptors.py": "a folder of the system",
    "edge/metrics_page.py": "routes",
    "web/page_bundle.py": "`based`, in every document",
    "web/previews.py": "`Previews.tags`, in every tag",
}
"""Files of bot/arena with absolute paths, and what they are or what adds the path to them."""
ROUTED: Final = {"get", "post", "any"}
"""The methods of `bot.arena.http.routes.Routes` that add a route."""


NO_ENDS: Final = str.maketrans(";{}", ",()")


def without_comments(script: str) -> str:
    script = re.sub(r"/\*.*?\*/", "", script, flags=re.DOTALL)
    return re.sub(r"(?<![:\"'`\w])//.*", "", script)


def statements(script: str) -> Iterator[str]:
    """Each statement that has a sink, in one line; nothing within a text ends it."""
    line = re.sub(r"\s*\n\s*", " ", without_comments(script))
    text = re.sub(r"`[^`]*`", lambda each: each[0].translate(NO_ENDS), line)
    for found in SINKS.finditer(text):
        start = max(text.rfind(each, 0, found.start()) for each in (";", "{", "}")) + 1
        end = text.find(";", found.end())
        yield text[start : end if end > 0 else None].strip()


def forgetful(script: str) -> list[str]:
    """The statements that hand the browser an address without the path."""
    lines = [each for each in statements(script) if not ADDS_PATH.search(each)]
    return lines + OTHER_ATTRIBUTES.findall(without_comments(script))


def is_known(file: str, statement: str) -> bool:
    short = re.sub(r"\s*\"\",", "", statement)
    return any(name == file and call in short for name, call in NEEDS_NONE)


SCRIPTS: Final = sorted(
    str(each.relative_to(FOLDER / "js")) for each in (FOLDER / "js").glob("**/*.js")
)


@pytest.mark.parametrize("file", [each for each in SCRIPTS if each != SITE])
def test_every_script_adds_the_path_where_the_browser_gets_an_address(file: str) -> None:
    script = (FOLDER / "js" / file).read_text(encoding="utf-8")
    assert [each for each in forgetful(script) if not is_known(file, each)] == []


def test_what_arenas_of_one_site_store_has_the_path_in_its_name() -> None:
    storage = (FOLDER / "js" / "shared" / "storage.js").read_text(encoding="utf-8")
    assert "const PREFIX = `bluestone${BASE}.`;" in storage


@pytest.mark.parametrize(
    "line",
    [
        'const answer = await fetch("/api/new");',
        "history.pushState(null, '',\n  `/new/${id}`,\n);",
        'link.href = "/new";',
        "image.src = `/new/${id}.png`;",
        "const link = `${location.origin}/new/${id}`;",
        'if (location.pathname === "/new") {}',
        'const socket = io({ transports: ["websocket"] });',
        'localStorage.setItem("bluestone.new", "1");',
        'h("form", { action: "/new" });',
        'image.setAttribute("src", "/new.png");',
        "document.cookie = `new=1; Path=/`;",
        'new Worker("/new.js");',
    ],
)
def test_a_script_that_forgets_the_path_is_noticed(line: str) -> None:
    assert forgetful(f"start();\n{line}\n")


def test_the_worker_writes_no_address_without_the_path() -> None:
    worker = without_comments((FOLDER / "service_worker.js").read_text(encoding="utf-8"))
    assert re.findall(r"[\"'`]/[a-z$].*", worker) == []


def test_style_sheets_name_no_files() -> None:
    for file in (FOLDER / "css").glob("*.css"):
        style = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert re.findall(r"url\((?![\"']?#).*|@import.*", style) == [], file.name


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_document_and_the_manifest_have_the_path_in_each_address(language: str) -> None:
    document = based(localized(FOLDER, language), BASE)
    assert f'data-base="{BASE}"' in document
    absolute = re.findall(r'="(/[^"]*)"', document)
    assert absolute
    assert [each for each in absolute if not each.startswith((f"{BASE}/", BASE))] == []
    found = orjson.loads(manifest(FOLDER, BASE))
    assert {found["id"], found["start_url"]} == {f"{BASE}/"}
    assert all(each["src"].startswith(f"{BASE}/") for each in found["icons"])


def test_without_a_path_the_document_is_as_it_is_written() -> None:
    index = (FOLDER / INDEX).read_text(encoding="utf-8")
    assert based(index, "") == index


def absolute_paths(source: str) -> list[str]:
    """The texts that look like addresses on this site, without routes and docstrings."""
    tree, found, known = ast.parse(source), [], set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ROUTED:
            known |= {id(each) for each in ast.walk(node)}
        elif isinstance(node, ast.Expr):
            known.add(id(node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_path = PATH.fullmatch(node.value) is not None
            found += [node.value] if is_path and id(node) not in known else []
    return found


def test_python_with_absolute_paths_is_listed() -> None:
    arena = ROOT / "bot" / "arena"
    files = {
        str(each.relative_to(arena))
        for each in arena.glob("**/*.py")
        if absolute_paths(each.read_text(encoding="utf-8"))
    }
    assert files == set(IN_PYTHON)


def test_python_with_a_new_absolute_path_is_noticed() -> None:
    source = 'def shown(id: str) -> str:\n    """/api/known"""\n    return f"/api/new/{id}.png"\n'
    assert absolute_paths(source) == ["/api/new/"]
    assert absolute_paths('routes.get("/api/new", shown)') == []


async def test_a_path_of_the_arenas_own_cannot_be_the_base(tmp_path: Path) -> None:
    """A proxy that removes the base could not be told from one that keeps it."""
    files = {each.name for each in FOLDER.iterdir() if each.is_dir() and each.name[0] != "_"}
    routes = (await declared(tmp_path)).routes
    paths = {each.lstrip("/") for each in (*routes, *addresses(FOLDER))} - {"", "{path}"}
    folders = {each.partition("/")[0] for each in paths if "/" in each} | files | {"assets"}
    alone = {each for each in paths if "/" not in each} - folders
    assert folders == OWN_FOLDERS
    assert alone == OWN_PATHS
    for top in OWN_FOLDERS:
        for base in (f"/{top}", f"/{top}/bluestone"):
            with pytest.raises(ValueError, match="a path of the arena's own"):
                ArenaSettings(base_path=base)
    for top in OWN_PATHS:
        with pytest.raises(ValueError, match="a path of the arena's own"):
            ArenaSettings(base_path=f"/{top}/")
        assert ArenaSettings(base_path=f"/{top}/bluestone/").base_path == f"/{top}/bluestone"
