"""The platform's answers, as its protocol has them."""

import orjson
import pytest

from bot.guests.abstract_play.rehearsal.faults import Faults
from bot.guests.abstract_play.rehearsal.gate import JSON
from tests.bot.guests.abstract_play.rehearsal.patient_bot import FORM
from tests.bot.guests.abstract_play.rehearsal.platform import BOT, Platform, inside


@pytest.fixture
def platform() -> Platform:
    return Platform()


# ---- tokens --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"client_secret": "guessed"}, "invalid_client"),
        ({"client_id": "another"}, "invalid_client"),
        ({"scope": "everything"}, "invalid_scope"),
        ({"grant_type": "password"}, "unauthorized_client"),
    ],
)
def test_wrong_credentials_get_no_token(
    platform: Platform, changes: dict[str, str], error: str
) -> None:
    answer = platform.gate.token({**FORM, **changes}, platform.now)
    assert (answer.status, orjson.loads(answer.body)) == (400, {"error": error})


def test_a_token_has_its_lifetime(platform: Platform) -> None:
    token = orjson.loads(platform.gate.token(FORM, platform.now).body)
    assert token["expires_in"] == 3600
    assert token["token_type"] == "Bearer"


def test_a_token_ends(platform: Platform) -> None:
    game = platform.game()
    platform.wait(3_600_000)
    answer = platform.submit(game, "5-3")
    assert (answer.status, orjson.loads(answer.body)) == (401, {"message": "Unauthorized"})
    assert game.now.ply == 0


# ---- moves ---------------------------------------------------------------------------------


def test_a_played_move_comes_with_the_record_in_the_envelope(platform: Platform) -> None:
    game = platform.game()
    status, record = inside(platform.submit(game, "5-3"))
    assert status == 200
    assert record["id"] == game.terms.game_id
    assert (record["toMove"], record["numMoves"]) == ("1", 1)
    assert orjson.loads(record["state"])["stack"][1]["lastmove"] == "5-3"


def test_the_gateway_refuses_invalid_json(platform: Platform) -> None:
    gate, now = platform.gate, platform.now
    assert gate.bot_query(platform.authorization, JSON, b"{", now).status == 400
    assert gate.bot_query(platform.authorization, "text/plain", b"{}", now).status == 415
    assert gate.bot_query("Bearer eyJ", JSON, b"{}", now).status == 401


def test_a_malformed_request_is_a_400_inside(platform: Platform) -> None:
    game = platform.game()
    status, said = inside(platform.submit(game, "5-3", metaGame=None))
    assert (status, said) == (400, {"message": "metaGame is required"})
    status, said = inside(platform.submit(game, "5-3", verb="chat"))
    assert (status, said) == (400, {"message": "Unknown bot verb 'chat'"})


def test_a_move_that_is_not_played_is_a_500_inside(platform: Platform) -> None:
    others = platform.game("ann", "bob")
    waiting = platform.game("ann", BOT)
    own = platform.game()
    game_id = waiting.terms.game_id
    assert inside(platform.submit(waiting, "5-3")) == (
        500,
        {"message": f"It is not bot {BOT}'s turn in game {game_id}"},
    )
    assert "is not a player" in inside(platform.submit(others, "5-3"))[1]["message"]
    assert "Unable to load" in inside(platform.submit(own, "5-3", gameid="none"))[1]["message"]
    assert "Unable to load" in inside(platform.submit(own, "5-3", metaGame="blooms"))[1]["message"]
    assert inside(platform.submit(own, "9-9"))[0] == 500
    assert own.now.ply == 0


def test_the_bot_can_resign_on_its_turn(platform: Platform) -> None:
    game = platform.game()
    status, record = inside(platform.submit(game, "resign"))
    assert (status, record["toMove"], record["winner"]) == (200, "", [2])
    assert record["gameEnded"] == platform.now
    assert platform.audit.violations == []


def test_a_move_that_is_played_late_may_land_on_a_later_turn() -> None:
    faults = Faults(late=1.0, late_ms=(5_000, 5_000))
    platform = Platform(faults)
    game = platform.game()
    assert platform.submit(game, "5-3").status == 504
    assert game.now.ply == 0
    platform.site.move(BOT, game.terms.game_id, "bluestone", "5-4", platform.now)
    platform.site.move("ann", game.terms.game_id, "bluestone", "0-0", platform.now)
    platform.wait(5_000)
    assert game.now.position.turns == ("5-4", "0-0", "5-3")
    assert [one.kind for one in platform.audit.violations] == ["turn landed on another ply"]


def test_a_cut_answer_leaves_a_move_that_is_played() -> None:
    platform = Platform(Faults(cut_after=1.0))
    game = platform.game()
    assert platform.submit(game, "5-3").status is None
    assert game.now.ply == 1


@pytest.mark.parametrize(
    "faults", [Faults(bad_gateway=1.0), Faults(not_played=1.0), Faults(too_many=1.0)]
)
def test_some_faults_play_nothing(faults: Faults) -> None:
    platform = Platform(faults)
    game = platform.game()
    platform.submit(game, "5-3")
    platform.wait(60_000)
    assert game.now.ply == 0


def test_an_answer_may_come_without_its_envelope() -> None:
    platform = Platform(Faults(unwrapped=1.0))
    answer = platform.submit(platform.game(), "5-3")
    assert answer.status == 200
    assert orjson.loads(answer.body)["numMoves"] == 1


def test_requests_before_retry_after_are_counted() -> None:
    platform = Platform(Faults(too_many=1.0))
    asked: list[int] = []
    while not asked:
        answer = platform.ask("user_names")
        asked = [int(answer.headers["Retry-After"])] if "Retry-After" in answer.headers else []
    platform.wait(asked[0] * 500)
    before = platform.audit.counts["requests before Retry-After"]
    platform.ask("user_names")
    assert platform.audit.counts["requests before Retry-After"] == before + 1


# ---- queries -------------------------------------------------------------------------------


def test_a_running_game_reads_as_the_protocol_says(platform: Platform) -> None:
    game = platform.game()
    record = platform.read(game)
    assert "numMoves" not in record
    assert record["toMove"] == "0"
    assert [player["id"] for player in record["players"]] == [BOT, "ann"]
    assert record["players"][0]["time"] == 48 * 3_600_000
    assert (record["clockStart"], record["clockInc"], record["clockMax"]) == (48, 12, 96)
    assert record["lastMoveTime"] == record["gameStarted"] == platform.now


def test_games_are_listed_without_the_moment_of_their_last_move(platform: Platform) -> None:
    game = platform.game()
    platform.game(meta="blooms")
    platform.submit(game, "5-3")
    listed = orjson.loads(platform.ask("games", metaGame="bluestone", type="current").body)
    assert [one["id"] for one in listed] == [game.terms.game_id]
    assert "lastMoveTime" not in listed[0]
    assert "state" not in listed[0]


def test_finished_games_are_found_and_listed_no_more(platform: Platform) -> None:
    game = platform.game()
    platform.submit(game, "resign")
    assert platform.read(game)["winner"] == [2]
    listed = platform.ask("games", metaGame="bluestone", type="current")
    assert orjson.loads(listed.body) == []


def test_no_such_game_is_a_500(platform: Platform) -> None:
    answer = platform.ask("get_game", metaGame="bluestone", id="none", cbit=0)
    assert answer.status == 500


def test_a_hidden_change_is_not_read_yet(platform: Platform) -> None:
    game = platform.game()
    platform.submit(game, "5-3")
    platform.gate.hide(game, platform.now + 1_000)
    assert platform.read(game)["toMove"] == "0"
    platform.wait(1_000)
    assert platform.read(game)["toMove"] == "1"


def test_a_new_game_may_not_be_found_at_first(platform: Platform) -> None:
    game = platform.game()
    platform.gate.hide(game, platform.now + 1_000)
    asked = {"metaGame": "bluestone", "id": game.terms.game_id, "cbit": 0}
    assert platform.ask("get_game", **asked).status == 500
    platform.wait(1_000)
    assert platform.ask("get_game", **asked).status == 200


def test_user_names_has_bots_too(platform: Platform) -> None:
    names = orjson.loads(platform.ask("user_names").body)
    assert {one["id"]: one["bot"] for one in names} == {"ann": False, "bob": False, BOT: True}
