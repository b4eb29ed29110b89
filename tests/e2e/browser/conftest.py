"""A browser, an arena, and bots on it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page

import engine
from bot.arena.web import engine_files
from bot.arena.web.page_bundle import page_bundle
from tests.ahead import built
from tests.e2e.browser.chromium import NONE_HERE, PATIENCE_MS, WHOLE, installed, launched
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.opponent import Choose, Opponent
from tests.e2e.browser.scripts import fixed_turn, play_fixed
from tests.e2e.browser.visitor import Visitor
from tests.skipping import skip

OpenPage = Callable[..., Awaitable[Visitor]]
AddBot = Callable[..., Awaitable[Opponent]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.browser)
            # The tests share a browser, which belongs to the event loop that started it.
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium."""
    path = installed()
    if path is None:
        skip(f"{NONE_HERE}: the page is not tested in a browser")
    return path


@pytest.fixture
def engine_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder from which an arena of the test serves the engine to browsers; it is empty.

    So a test does not depend on what was built into the page's folder.
    """
    folder = tmp_path / "engine-for-browsers"
    folder.mkdir()
    monkeypatch.setattr(engine_files, "ENGINE", str(folder))
    page_bundle.cache_clear()
    yield folder
    page_bundle.cache_clear()


@pytest.fixture
def bluestone_for_browsers(engine_folder: Path) -> None:
    """The arena of the test serves the engine of one game to browsers."""
    for file in built("bluestone").glob("bluestone[.-]*"):
        (engine_folder / file.name).symlink_to(file.resolve())


@pytest.fixture
def unknown_module(bluestone_for_browsers: None, engine_folder: Path) -> None:  # noqa: ARG001
    """A module that no browser compiles, as one with vectors in a browser without them."""
    module = engine_folder / "bluestone.wasm"
    module.unlink()
    module.write_bytes(b"\0asm\x09")


@pytest_asyncio.fixture(loop_scope="session")
async def arena(
    chromium: str,  # noqa: ARG001
    engine_folder: Path,  # noqa: ARG001
    tmp_path: Path,
) -> AsyncIterator[LocalArena]:
    """A running arena; tests without a browser are skipped before it starts."""
    async with LocalArena(tmp_path) as arena:
        yield arena


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium: str) -> AsyncIterator[Browser]:
    async with launched(chromium) as browser:
        yield browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def whole_browser() -> AsyncIterator[Browser]:
    """A browser that can show notifications, which a headless one cannot."""
    path = installed(WHOLE)
    if path is None:
        skip(f"no whole browser here (looked for {', '.join(WHOLE)})")
    async with launched(path) as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(arena: LocalArena, browser: Browser) -> AsyncIterator[OpenPage]:
    """Open the page as a new guest, and wait until it is connected unless `online` is false.

    An error in its scripts fails the test.
    """
    async with pages_of(arena.address, browser) as open_one:
        yield open_one


@asynccontextmanager
async def pages_of(address: str, browser: Browser) -> AsyncIterator[OpenPage]:
    """`open_page` on the arena at that address."""
    problems: list[str] = []
    contexts: list[BrowserContext] = []

    async def open_one(path: str = "/", *, online: bool = True, **options: object) -> Visitor:
        context: BrowserContext = await browser.new_context(
            base_url=address,
            reduced_motion="reduce",
            **options,  # type: ignore[arg-type]
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        page: Page = await context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda message: (
                problems.append(message.text)
                if message.type == "error" and "Content Security Policy" in message.text
                else None
            ),
        )
        person = Visitor(page)
        await (person.visit(path) if online else page.goto(path))
        return person

    try:
        yield open_one
    finally:
        for context in contexts:
            await context.close()
    assert not problems


@pytest.fixture(scope="session")
def kernels() -> None:
    """Load the kernels of all rules: during a bot's turn that would block its connection."""
    for game in ("bluestone", "blooms", "stargazers"):
        fixed_turn(engine.game_of(game, None, None, {}).start())


@pytest_asyncio.fixture(loop_scope="session")
async def add_bot(kernels: None, arena: LocalArena) -> AsyncIterator[AddBot]:  # noqa: ARG001
    """Connect a scripted bot to the arena."""
    async with AsyncExitStack() as stack:

        async def add(
            name: str = "Basalt", choose: Choose = play_fixed, level: int | None = None
        ) -> Opponent:
            engine = "script" if level is None else f"script, level {level}"
            token = await arena.token(name)
            bot = Opponent(name, token, choose, engine=engine, level=level)
            await stack.enter_async_context(bot)
            await bot.connect(arena.address)
            return bot

        yield add
