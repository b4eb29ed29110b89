"""The scoring track: its fields, its numbers, and where the markers are."""

import itertools
import math

import pytest

import engine
from bot.drawing import Annotations
from bot.drawing.board_layers import everything
from bot.drawing.track import MOST_FIELDS, Track, fields, track
from bot.errors import ConfigurationError
from engine.boards.grid import Point
from tests.bot.drawing.pictures import Picture, centre, position

SQUARE = [(float(x), float(y)) for x in range(9) for y in range(9)]
WITH_TRACK = Annotations(track=True)
GOALS = [1, 2, 15, 20, 25, 50, 60, 61, 63, 1000]


def points_of(board: str) -> list[Point]:
    return SQUARE if board == "square" else everything(engine.game("blooms", board=board).board)


@pytest.mark.parametrize("board", ["hexhex-4", "hexhex-5", "hexhex-10", "square"])
@pytest.mark.parametrize("goal", GOALS)
def test_every_field_has_a_place_of_its_own_beside_the_board(board: str, goal: int) -> None:
    points = points_of(board)
    laid = track(points, goal)
    assert len(laid.places) == len(laid.captures) == len(fields(goal))
    assert min(math.dist(a, b) for a, b in itertools.combinations(laid.places, 2)) > (
        1.99 * laid.field_radius
    )
    nearest = min(math.dist(place, point) for place in laid.places for point in points)
    assert nearest >= 0.43 + laid.field_radius


def test_fields_lie_at_equal_distances_clockwise_from_the_upper_left() -> None:
    laid = track(SQUARE, 19)
    assert laid.places[0] == pytest.approx((0, -0.88))
    steps = [math.dist(a, b) for a, b in itertools.pairwise(laid.places)]
    assert max(steps) == pytest.approx(steps[0])
    assert min(steps) > 0.7 * steps[0]  # shorter only round a corner
    assert laid.places[5][0] > 8.5
    assert laid.places[15][0] < -0.5


def test_each_capture_has_a_field_up_to_sixty() -> None:
    assert fields(1) == (0, 1)
    assert fields(60) == tuple(range(61))


@pytest.mark.parametrize(("goal", "step"), [(61, 2), (120, 2), (121, 5), (600, 10), (1000, 20)])
def test_more_captures_share_fields_and_the_goal_has_its_own(goal: int, step: int) -> None:
    made = fields(goal)
    assert made == (*range(0, goal, step), goal)
    assert len(made) <= MOST_FIELDS + 1


def test_a_marker_is_on_the_last_field_that_its_player_has_reached() -> None:
    laid = track(SQUARE, 63)
    found = [laid.captures[laid.field_of(count)] for count in (0, 1, 2, 61, 62, 63, 70)]
    assert found == [0, 0, 2, 60, 62, 63, 63]


def test_fields_are_larger_on_larger_boards() -> None:
    small, large = (track(points_of(board), 25) for board in ("hexhex-4", "hexhex-10"))
    assert large.letters > small.letters
    assert large.field_radius > small.field_radius


CAPTURE = "1d4 1g2,2g3 1d5,2f2 1g1,2c5 1f1,2c3 1e4,2d3 1b4,2f3"
"""Black captures two stones with the last turn."""


def drawn_track(now: engine.Position) -> Track:
    return track(everything(now.game.board), int(now.game.all_options["captures"]))


def test_each_player_has_a_marker_with_the_number_of_captured_stones() -> None:
    now = position("blooms", CAPTURE, "hexhex-4")
    picture, laid = Picture(now, WITH_TRACK), drawn_track(now)
    markers = {one.get("data-captured"): one for one in picture.all("marker")}
    assert set(markers) == {"2", "0"}
    for count, player in (("2", 1), ("0", 2)):
        assert f"player-{player}" in (markers[count].get("class") or "")
        assert centre(markers[count][0]) == pytest.approx(laid.places[int(count)], abs=0.001)
        assert markers[count][1].text == count


def test_markers_on_the_same_field_are_halves_of_one_disc() -> None:
    picture = Picture(position("blooms"), WITH_TRACK)
    shapes = [marker[0].get("d") or "" for marker in picture.all("marker")]
    assert [" 0 0 0 " in shapes[0], " 0 0 1 " in shapes[1]] == [True, True]
    assert [
        one.text for one in picture.all("count") if "on-ground" in (one.get("class") or "")
    ] == ["0"]


def test_every_fifth_field_and_the_goal_are_numbered() -> None:
    picture = Picture(engine.game("blooms", captures=16).start(), WITH_TRACK)
    assert [one.text for one in picture.all("field-number")] == ["0", "5", "10", "16"]
    assert len(picture.all("field")) == 17
    assert len(picture.all("goal")) == 1


def test_the_drawing_has_room_for_the_track() -> None:
    now = position("blooms")
    left, top, width, height = map(
        float, (Picture(now, WITH_TRACK).root.get("viewBox") or "").split()
    )
    laid = drawn_track(now)
    for x, y in laid.places:
        assert left + laid.field_radius < x < left + width - laid.field_radius
        assert top + laid.field_radius < y < top + height - laid.field_radius


def test_a_drawing_without_a_track_says_nothing_of_it() -> None:
    assert "track" not in Picture(position("blooms")).text


def test_a_game_that_counts_no_captured_stones_has_no_track() -> None:
    with pytest.raises(ConfigurationError, match="Bluestone has no track"):
        Picture(position("bluestone"), WITH_TRACK)
