"""The page's scripts for a board without an edge, compared with the rules in Python."""

import gzip
import json
from typing import Any

import engine
from tests.e2e.browser.conftest import OpenPage
from tests.engine.games.platform_games import VECTORS

LATTICE = """
    const { Lattice } = await import("/js/board/lattice.js");
    const { lattice: raw } = await (await fetch("/api/boards/hexo/plane")).json();
    const lattice = new Lattice(raw, (await import("/js/rules/hexo.js")).default.rows.reach);
"""
POINTS = f"""async (names) => {{ {LATTICE}
    const shifts = [[0, 0], [0.3, 0.3], [-0.35, 0.25], [0, -0.4], [0.45, 0]];
    return names.map((name) => {{
        const {{ x, y, neighbours }} = lattice.cells.get(name);
        const hit = shifts.map(([dx, dy]) => lattice.nearest({{ x: x + dx, y: y + dy }}).name);
        return {{ at: [x, y], neighbours, hit: [...new Set(hit)] }};
    }});
}}"""
AROUND = f"""async ([stones, more]) => {{ {LATTICE}
    return [...lattice.around(stones, more).within];
}}"""
GROWN = f"""async (names) => {{ {LATTICE}
    const stonesOf = (some) => Object.fromEntries(some.map((name) => [name, [1, 1]]));
    const seen = (board, some) => {{
        const {{ near, within }} = board.around(stonesOf(some));
        return [[...near].sort(), [...within].sort()].join(";");
    }};
    // Stones are placed one by one, taken back, and placed elsewhere.
    const steps = [...names.map((_, n) => names.slice(0, n)), names.slice(0, 3), names.slice(2)];
    return steps.map((some) => seen(lattice, some) === seen(new Lattice(raw, lattice.reach), some));
}}"""
REACHED = f"""async (stones) => {{ {LATTICE}
    const {{ within }} = lattice.around(stones);
    const found = [lattice.middle()];
    const seen = new Set(found);
    for (const cell of found) {{
        for (const direction of ["up", "down", "left", "right"]) {{
            const next = lattice.step(cell, direction, undefined, within);
            if (!seen.has(next)) {{
                seen.add(next);
                found.push(next);
            }}
        }}
    }}
    return found;
}}"""
LINE = f"""async (direction) => {{ {LATTICE}
    const lane = lattice.cells.get("0:0");
    const cells = ["0:0"];
    while (cells.length < 9) {{
        cells.push(lattice.step(cells.at(-1), direction, lane));
    }}
    return lattice.cells.get(cells.at(-1));
}}"""
ROWS = f"""async (stones) => {{ {LATTICE}
    const {{ Rows }} = await import("/js/board/rows.js");
    const rows = new Rows(lattice, 6);
    const longest = [1, 2].map((seat) => Math.max(0, ...rows.groups(stones)
        .filter((row) => row.seat === seat).map((row) => row.cells.length)));
    const threats = rows.threats(stones).map(({{ seat, cells }}) => [seat, ...cells]);
    return {{ longest, won: rows.won(stones).map(({{ seat }}) => seat), threats }};
}}"""
LARGE = f"""async (count) => {{ {LATTICE}
    const names = Array.from({{ length: count }}, (_, n) => `${{8 * n}}:0`);
    const stones = Object.fromEntries(names.map((name) => [name, [1, 1]]));
    const sizes = () => {{
        const {{ near, within, isLarge }} = lattice.around(stones);
        return [near.size, within.size, isLarge];
    }};
    const changes = [];
    const box = (x) => ({{ x, y: -8, width: 20, height: 16 }});
    const look = (x, scale) => changes.push(lattice.look(box(x), scale));
    const all = sizes();
    look(80, 30);
    const part = sizes();
    look(84, 30);
    look(120, 30);
    const next = [...lattice.around(stones).near].filter((name) => stones[name]);
    look(120, 5);
    return {{ all, part, next, far: sizes(), changes }};
}}"""
CAMERA = """async () => {
    const { Camera } = await import("/js/board/camera.js");
    const camera = new Camera();
    Object.assign(camera, { width: 600, height: 400 });
    camera.bounds = { x: -20, y: -10, width: 40, height: 20 };
    const at = { x: 450, y: 100 };
    const under = camera.point(at);
    camera.look = camera.zoomed(2, at);
    const still = camera.point(at);
    camera.look = camera.moved(-1e6, 0);
    const stopped = camera.look.x;
    camera.look = camera.whole({ x: 0, y: 0, width: 100, height: 10 });
    const whole = camera.box;
    const handy = camera.handy({ x: 0, y: 0, width: 100, height: 10 }, { x: 7, y: 3 });
    camera.look = { x: 0, y: 0, scale: 40 };
    const reached = camera.reaching({ x: 9, y: 1 }, 1);
    return { under, still, stopped, whole, handy, reached };
}"""


def recorded() -> list[list[str]]:
    """The turns of some recorded games. Those without a winner end in the middle of a turn."""
    with gzip.open(VECTORS / "hexo.jsonl.gz", "rt", encoding="utf-8") as lines:
        games = [game for game in map(json.loads, lines) if "turns" in game][::12]
    return [
        [
            ",".join(f"{q}:{r}" for q, r in turn)
            for turn in game["turns"][: None if game["winner"] else -1]
        ]
        for game in games
    ]


def shown(position: engine.Position) -> dict[str, list[int]]:
    return {cell: list(stone) for cell, stone in position.stones.items()}


def threats(position: engine.Position) -> set[tuple[int, ...]]:
    """The windows of six cells with at least four stones of one player and none of the other."""
    found: set[tuple[int, ...]] = set()
    places = {tuple(map(int, cell.split(":"))): stone for cell, stone in position.stones.items()}
    for (q, r), stone in places.items():
        for dq, dr in ((1, 0), (0, 1), (1, -1)):
            for back in range(6):
                window = [(q + (n - back) * dq, r + (n - back) * dr) for n in range(6)]
                owners = [places[cell].player for cell in window if cell in places]
                if len(owners) >= 4 and set(owners) == {stone.player}:
                    found.add((stone.player, dq, dr, *window[0]))
    return found


def windows(line: list[Any]) -> set[tuple[int, ...]]:
    """The windows of a line that the page shows."""
    seat, *cells = line
    places = [tuple(map(int, cell.split(":"))) for cell in cells]
    (q, r), (next_q, next_r) = places[:2]
    return {(seat, next_q - q, next_r - r, *place) for place in places[: len(places) - 5]}


async def test_what_is_near_is_the_same_after_single_stones_as_after_all(
    open_page: OpenPage,
) -> None:
    person = await open_page()
    names = ["0:0", "3:-1", "-9:4", "2:7", "0:1", "20:-11"]
    found = await person.page.evaluate(GROWN, names)
    assert found == [True] * 8


async def test_cells_lie_and_are_hit_where_the_engine_draws_them(open_page: OpenPage) -> None:
    visitor = await open_page()
    board = engine.game("hexo").board
    names = ["0:0", "1:0", "0:1", "-3:7", "12:-25", "182:-90", "-1:-1"]
    for name, seen in zip(names, await visitor.page.evaluate(POINTS, names), strict=True):
        assert [round(each, 2) for each in seen["at"]] == [
            round(each, 2) for each in board.position(name)
        ]
        assert sorted(seen["neighbours"]) == sorted(board.neighbours(name))
        assert seen["hit"] == [name]


async def test_the_cells_within_reach_are_those_that_the_engine_lists(
    open_page: OpenPage,
) -> None:
    visitor = await open_page()
    page, game = visitor.page, engine.game("hexo", cap=0)
    found = await page.evaluate(AROUND, [{}, []])
    assert found == ["0:0"]
    for turns in recorded()[::4]:
        position = game.replay(turns[:-1])
        stones = shown(position)
        free = position.choices().legal
        found = await page.evaluate(AROUND, [stones, []])
        assert set(found) == {*stones, *free}
        # The first stone of a turn counts for the second, and arrow keys reach every cell.
        second = position.choices((free[0],)).legal
        found = await page.evaluate(AROUND, [stones, [free[0]]])
        assert set(found) == {*stones, free[0], *second}
        found = await page.evaluate(REACHED, stones)
        assert set(found) == {*stones, *free}


async def test_of_a_huge_game_only_the_cells_in_view_are_computed(open_page: OpenPage) -> None:
    visitor = await open_page()
    usual = await visitor.page.evaluate(LARGE, 50)
    assert usual["all"] == usual["part"] == usual["far"] == [37 * 50, 217 + 49 * 136, False]
    assert usual["changes"] == [False] * 4
    huge = await visitor.page.evaluate(LARGE, 5000)
    assert huge["all"] == huge["far"] == [0, 0, True]
    near, within, is_large = huge["part"]
    assert is_large
    assert 0 < near < within < 2500
    # A small move stays within what is computed.
    assert huge["changes"] == [True, False, True, True]
    assert {"120:0", "128:0", "136:0"} <= set(huge["next"])
    assert "8:0" not in huge["next"]


async def test_up_and_down_do_not_drift_to_the_side(open_page: OpenPage) -> None:
    visitor = await open_page()
    for direction, x, y in (("up", 0, -1), ("down", 0, 1), ("left", -1, 0), ("right", 1, 0)):
        end = await visitor.page.evaluate(LINE, direction)
        assert abs(end["x"] - 8 * x) < 0.01
        assert abs(end["y"] - 8 * y * 0.75**0.5) < 0.01


async def test_rows_and_threats_are_those_on_the_board(open_page: OpenPage) -> None:
    visitor = await open_page()
    seen = 0
    for turns in recorded():
        for plies in (len(turns), len(turns) - 1, len(turns) // 2):
            position = engine.game("hexo", cap=0).replay(turns[:plies])
            answer = await visitor.page.evaluate(ROWS, shown(position))
            assert answer["longest"] == list(position.scores)
            assert set(answer["won"]) == ({position.winner} if position.winner else set())
            lines = [windows(line) for line in answer["threats"]]
            assert set().union(*lines) == threats(position)
            seen += len(lines)
    assert seen > 15


async def test_the_camera_zooms_about_a_point_and_stays_near_the_stones(
    open_page: OpenPage,
) -> None:
    visitor = await open_page()
    seen = await visitor.page.evaluate(CAMERA)
    assert seen["still"] == seen["under"]
    assert seen["stopped"] == 20
    assert seen["whole"] == {"x": 0, "y": 5 - 100 / 3, "width": 100, "height": 200 / 3}
    assert seen["handy"] == {"x": 7, "y": 3, "scale": 24}
    assert seen["reached"] == {"x": 9 - 6.5, "y": 0, "scale": 40}
