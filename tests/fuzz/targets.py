"""Every parser of data from outside.

`test_targets.py` tries each target in `make test`, and `python -m tests.lab fuzz` for as long as
you like. A target returns for any bytes, or raises one of its `refuses`. Any other exception is a
bug, and so is a failed assertion: targets assert that what was read is written and read the same.
A new target goes into the module of its subject, with a folder of examples in `tests/lab/corpora`.
"""

from typing import Final

from bot.errors import ConfigurationError
from tests.fuzz import of_abstract_play, of_engines, of_files, of_games, of_hexo, of_the_arena
from tests.fuzz.target import Target

TARGETS: Final = (
    *of_the_arena.TARGETS,
    *of_abstract_play.TARGETS,
    *of_games.TARGETS,
    *of_hexo.TARGETS,
    *of_files.TARGETS,
    *of_engines.TARGETS,
import orjson
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from multidict import CIMultiDict
from pydantic import ValidationError
from socketio import packet

import engine
from bot import wire
from bot.arena.model.names import is_name, skeleton
from bot.arena.model.refusals import Refused
from bot.arena.net.addresses import Proxies, counted_as, parsed_address
from bot.arena.net.handshake import Origins
from bot.arena.net.socket_io import ArenaPacket, Incoming, checked, parsed
from bot.arena.settings import load_settings as arena_settings
from bot.daemon.journal import open_work_of
from bot.daemon.settings_file import load_settings as bot_settings
from bot.engines.protocol import OptionValues, kind_of, parse_bestmove, parse_info, parse_option
from bot.errors import ConfigurationError, EngineProtocolError, HostError, PeerError
from bot.matches.ledger import LEDGER, Chain, LedgerEntry, read_ledger
from bot.matches.openings import read_suite
from bot.matches.settings import load_settings as tournament_settings
from bot.platforms.abstract_play import facts as abstract_play
from bot.platforms.abstract_play.answers import conclusion
from bot.platforms.abstract_play.keys import public_key_of
from bot.platforms.abstract_play.messages import (
    ChallengeNotice,
    game_answer,
    listed_games,
    webhook_body,
)
from bot.platforms.abstract_play.signatures import NONCE, SIGNATURE, TIMESTAMP, Nonces, check
from bot.platforms.arena import facts as arena
from bot.platforms.arena.link import _read_answer
from bot.platforms.arena.states import GameStates, MissedChange
from bot.platforms.base import NoAnswer
from bot.platforms.hexo_arena import facts as hexo_arena
from bot.platforms.hexo_arena import messages as hexo_messages
from bot.records.abstract_play import abstract_play_record, why_not_exported
from bot.records.jsonl import DamagedLine, read_records
from bot.records.model import GameRecord
from bot.records.sgf import sgf_game
from bot.records.writing import verify
from bot.runtime.backup import MANIFEST
from bot.runtime.backup import verify as verify_backup
from bot.runtime.names import cleaned, look_of, tidy
from bot.time_controls import parse_time_control
from bot.time_source import SystemTime
from bot.tournaments.dutch.card import Unpairable
from bot.tournaments.dutch.pairing import pair
from bot.tournaments.trf.reading import read_report
from engine.contract import Choice, Engine, Info, Limits, Signals
from engine.training.weights import UnfitWeights, parameters_in
from engine.ugi.dialogue import Dialogue

MOST_BYTES: Final = 1 << 17
NOW: Final = datetime(2026, 11, 1, tzinfo=UTC)
CORPORA: Final = Path(__file__).parents[1] / "lab" / "corpora"


@dataclass(frozen=True)
class Target:
    """A parser. `refuses` are the documented errors, `words` the dictionary of its format."""

    name: str
    run: Callable[[bytes], object]
    refuses: tuple[type[Exception], ...]
    words: Sequence[str] = ()

    def attempt(self, data: bytes) -> None:
        """Run the target once. Raises what is a bug."""
        try:
            self.run(data[:MOST_BYTES])
        except self.refuses:
            return

    def seeds(self) -> list[bytes]:
        """The stored examples, in the order of their names."""
        return [file.read_bytes() for file in sorted((CORPORA / self.name).iterdir())]


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="bluestone-fuzz-")


def _file(name: str, data: bytes) -> Path:
    path = Path(_folder().name, name)
    path.write_bytes(data)
    return path


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _event(data: bytes, known: Sequence[str]) -> tuple[str, object]:
    """The event by the first byte, and the JSON value in the others."""
    return known[data[0] % len(known) if data else 0], orjson.loads(data[1:])


# ---- the arena -------------------------------------------------------------------------------


def _arena_packet(data: bytes) -> None:
    """A Socket.IO packet as a client sends it, up to the request of the arena protocol."""
    found = ArenaPacket(encoded_packet=_text(data))
    if found.packet_type == packet.EVENT:
        checked(found.data[1])
    elif found.packet_type == packet.CONNECT and not isinstance(found.data, Incoming):
        parsed(wire.Credentials, found.data)


def _arena_request(data: bytes) -> None:
    """The payload of a request; the first byte chooses the event."""
    event, payload = _event(data, sorted(wire.CLIENT_EVENTS))
    message = checked(Incoming(event, payload, wants_answer=True))
    again = orjson.loads(message.model_dump_json(by_alias=True))
    assert checked(Incoming(event, again, wants_answer=True)) == message


def _arena_edge(data: bytes) -> None:
    """Headers of a request: X-Forwarded-For, Host and Origin, one per line."""
    forwarded, host, origin, *_ = [*data.decode("latin-1").split("\n"), "", "", ""]
    headers = CIMultiDict({"X-Forwarded-For": forwarded, "X-Forwarded-Host": host})
    request = SimpleNamespace(remote="10.0.0.1", headers=headers, scheme="http", host="here")
    caller = Proxies(["10.0.0.0/8"]).caller(cast("web.BaseRequest", request))
    assert caller.address == counted_as("10.0.0.1") or parsed_address(caller.address.split("/")[0])
    Origins(["https://example.org"], ["here"]).setting_against(origin, caller)


def _names(data: bytes) -> None:
    """Names of players, tournaments and foreign platforms."""
    text = _text(data)
    clean = cleaned(text, 60)
    assert cleaned(clean, 60) == clean
    look_of(text)
    if clean:
        assert tidy(clean) == clean
    tidy(text)
    if is_name(text):
        skeleton(text)


# ---- what the bot gets from an arena -----------------------------------------------------------


def _arena_event(data: bytes) -> None:
    """An event of an arena, as the bot understands it."""
    event, payload = _event(data, sorted(wire.SERVER_EVENTS))
    message = wire.read(wire.SERVER_EVENTS[event], payload)
    states = GameStates()
    if isinstance(message, wire.GameState):
        states.sent(message)
        for name in (message.players[0].name, "nobody"):
            arena.game_facts(message, name, 0.0)
    elif isinstance(message, wire.GameChange):
        states.changed(message)
    elif isinstance(message, wire.Challenge):
        arena.challenge_facts(message, "me", {})


def _arena_answer(data: bytes) -> None:
    """An arena's answer to a request of the bot."""
    _read_answer(*_event(data, sorted(wire.CLIENT_EVENTS)))


# ---- Abstract Play -----------------------------------------------------------------------------

KEY: Final = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def _webhook(data: bytes) -> None:
    """A call of Abstract Play: three headers, an empty line, and the body.

    The header SIGN is replaced by a valid signature, so that bodies are read too.
    """
    head, _, body = data.partition(b"\n\n")
    values = [line.decode("latin-1") for line in head.split(b"\n")]
    headers = CIMultiDict(zip((TIMESTAMP, NONCE, SIGNATURE), values, strict=False))
    if headers.get(SIGNATURE) == "SIGN":
        signed = f"{headers[TIMESTAMP]}.{headers[NONCE]}.".encode() + body
        headers[SIGNATURE] = b64encode(KEY.sign(signed)).decode()
    check(headers, body, KEY.public_key(), NOW, Nonces({}))
    message = webhook_body(body)
    if isinstance(message, ChallengeNotice):
        abstract_play.setup_of_challenge(message)


def _platform_answer(data: bytes) -> None:
    """An answer of Abstract Play: a list of games, a game, or the answer to a move."""
    kind, body = data[:1], data[1:]
    if kind == b"l":
        listed_games(body)
    elif kind == b"g":
        abstract_play.facts_of(game_answer(body), "bot", SystemTime())
    else:
        found = conclusion(int.from_bytes(data[1:2]) + 200, data[2:])
        if found.record is not None:
            abstract_play.facts_of(found.record, "bot", SystemTime())


def _ladder_message(data: bytes) -> None:
    """A message of HeXO-Arena: a line, a packet, the directory, or a game and a turn for it."""
    kind, body = data[:1], data[1:]
    if kind == b"l":
        event = hexo_messages.read_event(body)
        if isinstance(event, hexo_messages.GameStart):
            hexo_arena.game_of(event, NOW, None).facts("bot", 0.0, 1.0)
    elif kind == b"p":
        packet = hexo_messages.read_packet(_text(body))
        if isinstance(packet, hexo_messages.SetupPacket):
            hexo_arena.first_turns(packet.board.cells)
        elif isinstance(packet, hexo_messages.MoveRequest):
            hexo_arena.with_played([hexo_arena.ORIGIN], packet.previous)
    elif kind == b"d":
        hexo_messages.read_directory(body)
    else:
        turn, _, game = body.partition(b"\n")
        turns = hexo_arena.turns_of_snapshot(hexo_messages.read(hexo_messages.Snapshot, game))
        if hexo_arena.why_not_placeable(_text(turn), turns) is None:
            hexo_arena.two_stones(_text(turn), turns)


# ---- games -----------------------------------------------------------------------------------

BOARDS: Final = (
    ("bluestone", "pent-3"),
    ("blooms", "hexhex-4"),
    ("stargazers", None),
)


def _turns(data: bytes) -> None:
    """A game: its turns, one per line; the first byte chooses it."""
    name, board = BOARDS[data[0] % len(BOARDS) if data else 0]
    game = engine.game(name, board)
    position = game.start()
    for line in _text(data[1:]).split("\n")[:60]:
        turn = game.canonical(line)
        assert game.canonical(turn) == turn
        if not position.over:
            position = position.play(line)
            game.placements(position.turns[-1])
    assert game.replay(position.turns) == position


def _setups(data: bytes) -> None:
    """A game by the texts of a server: name, board, rules and options, one per line."""
    name, board, rules, *rest = [*_text(data).split("\n"), "", "", ""]
    options = dict(text.partition("=")[::2] for text in rest if text)
    game = engine.game_of(name, board or None, rules or None, options)
    assert engine.game_of(name, game.board.name, game.rule_set, game.all_options) == game


def _clocks(data: bytes) -> None:
    control = parse_time_control(_text(data))
    assert parse_time_control(str(control)) == control


# ---- files -----------------------------------------------------------------------------------


def _records(data: bytes) -> None:
    """A file of records, and all that is made of a record."""
    for record in read_records(_file("records.jsonl", data)):
        if isinstance(record, DamagedLine):
            continue
        assert GameRecord.model_validate_json(record.model_dump_json()) == record
        _check_sgf(sgf_game(record))
        if why_not_exported(record) is None:
            json.dumps(abstract_play_record(record, NOW))
        if len(record.turns) <= 40:
            verify(record)


def _check_sgf(text: str) -> None:
    """Outside of values no text of the record may appear: a value could end its own brackets."""
    inside = escaped = False
    depth = 0
    for character in text:
        if escaped:
            escaped = False
        elif inside:
            escaped, inside = character == "\\", character != "]"
        else:
            assert character in "()[;\n" or character.isupper() or character.isdigit(), character
            depth += (character == "(") - (character == ")")
            inside = character == "["
    assert not inside
    assert depth == 0


def _ledger(data: bytes) -> None:
    """A ledger as it is on the disk."""
    read_ledger(_file(LEDGER, data))


def _ledger_events(data: bytes) -> None:
    """The lines of a ledger, with valid checksums, so that their events are read."""
    chain = Chain()
    lines = [chain.sealed(line) for line in data.split(b"\n") if len(line) > 1]
    for entry in read_ledger(_file(LEDGER, b"".join(lines))).entries:
        text = entry.model_dump_json()  # an infinity among the settings is written as null
        assert LedgerEntry.model_validate_json(text).model_dump_json() == text


def _swiss_report(data: bytes) -> None:
    """A report of a Swiss tournament (TRF), and the pairing of its next round."""
    coming = read_report(data, "report")
    if len(coming.cards) <= 12 and coming.number <= 20:
        pair(coming)


def _settings(load: Callable[[Path], object], data: bytes) -> None:
    load(_file("settings.toml", data))


def _openings(name: str, data: bytes) -> None:
    read_suite(_file(name, data), engine.game("bluestone", "pent-3"))


def _weights(data: bytes) -> None:
    parameters_in(engine.game("bluestone", "pent-3"), data)


def _backup(data: bytes) -> None:
    """The manifest of a backup, whose other files are missing or empty."""
    manifest = verify_backup(_file(MANIFEST, data).parent)
    for file in manifest.files:
        assert (Path("/data") / file.path).resolve().is_relative_to("/data")


def _journal(data: bytes) -> None:
    """A row of the journal: any values that SQLite stores, as a JSON list."""
    match orjson.loads(data):
        case [_, _, _, _, _, _, _] as row:
            open_work_of(tuple(row))
        case _:
            pass


def _key(data: bytes) -> None:
    public_key_of(_text(data))


# ---- engines -----------------------------------------------------------------------------------


def _engine_output(data: bytes) -> None:
    """Lines of an engine, as `LineChannel` passes them on."""
    values = OptionValues("fuzz")
    for raw in data.split(b"\n"):
        line = raw.decode(errors="replace").strip()
        if not line:
            continue
        kind_of(line)
        parse_bestmove(line)
        info = parse_info(line)
        assert info.winrate is None or 0 <= info.winrate <= 1
        option = parse_option(line)
        if option is not None:
            values.declare(option)
    for option in list(values.declared.values()):
        sent = values.lines({option.name: option.default or "1"})
        assert not any("\n" in line for line in sent)


class _Fast(Engine):
    """An engine that plays the first legal turn."""

    name = "fuzz"
    author = "tests"

    def set_position(self, position: engine.Position) -> None:
        self._position = position

    def search(self, limits: Limits, on_info: Callable[[Info], None], signals: Signals) -> Choice:
        del limits, on_info, signals
        return Choice(next(self._position.legal_turns()), value=0.5, visits=1)


def _engine_input(data: bytes) -> None:
    """Lines of a host to our engine."""
    said: list[str] = []
    dialogue = Dialogue(_Fast(), said.append)
    try:
        for line in _text(data).split("\n")[:40]:
            if not dialogue.handle(line):
                break
    finally:
        dialogue.close()
    assert not any("\n" in line or "\r" in line for line in said)


JSON_WORDS: Final = ("null", "true", "1e999", "-1", "NaN", '""', "[]", "{}", "9" * 30, '"\\ud800"')
TOML_WORDS: Final = ("[a]", "[[a]]", " = ", "'''", '"""', "1e999", "2026-11-01", "inf", "{a=1}")
UGI_WORDS: Final = (
    *("ugi", "isready", "uginewgame", "quit", "stop", "ponderhit", "query result", "infinite"),
    *("setoption name Board value hexhex-4", "setoption name Game value blooms", "option name"),
    *("position startpos moves ", "go movetime 1", "go nodes 1", "ponder", "type spin min max"),
    *("bestmove 5-3", "info nodes 1 winrate 0.5 pv 5-3", "draw", "resign", "var", "default"),
)

TARGETS: Final = (
    Target(
        "arena-packet", _arena_packet, (Refused,), ("0", "2", "42", '["game.turn",', *JSON_WORDS)
    ),
    Target("arena-request", _arena_request, (Refused, orjson.JSONDecodeError), JSON_WORDS),
    Target("arena-edge", _arena_edge, ()),
    Target("names", _names, (ValueError,)),
    Target(
        "arena-event",
        _arena_event,
        (ValidationError, MissedChange, PeerError, orjson.JSONDecodeError),
        JSON_WORDS,
    ),
    Target(
        "arena-answer", _arena_answer, (PeerError, NoAnswer, orjson.JSONDecodeError), JSON_WORDS
    ),
    Target("webhook", _webhook, (PeerError, ValueError), JSON_WORDS),
    Target("platform-answer", _platform_answer, (PeerError, ValueError, NoAnswer), JSON_WORDS),
    Target("ladder-message", _ladder_message, (ValueError, hexo_arena.OtherGame), JSON_WORDS),
    Target("platform-key", _key, (ValueError,)),
    Target("turns", _turns, (engine.IllegalTurn,), ("pass", ",", "-", "0-0", "1a1")),
    Target("setups", _setups, (engine.UnknownGame,), ("pent-", "hexhex-", "blooms", "captures=")),
    Target("clocks", _clocks, (ValueError,), ("none", "/turn", "+", "x", "e9", "inf", "nan")),
    Target("records", _records, (), JSON_WORDS),
    Target("ledger", _ledger, (ConfigurationError,), JSON_WORDS),
    Target("ledger-events", _ledger_events, (ConfigurationError,), JSON_WORDS),
    Target("swiss-report", _swiss_report, (ConfigurationError, Unpairable), ("001", "XXR", "XXC")),
    Target(
        "arena-settings",
        partial(_settings, partial(arena_settings, environ={})),
        (ConfigurationError,),
        TOML_WORDS,
    ),
    Target(
        "bot-settings",
        partial(_settings, partial(bot_settings, environ={})),
        (ConfigurationError,),
        TOML_WORDS,
    ),
    Target(
        "tournament-settings",
        partial(_settings, tournament_settings),
        (ConfigurationError,),
        TOML_WORDS,
    ),
    Target("openings", partial(_openings, "openings.txt"), (ConfigurationError,), ("#", "0-0")),
    Target("opening-records", partial(_openings, "o.jsonl"), (ConfigurationError,), JSON_WORDS),
    Target("weights", _weights, (UnfitWeights,), ("PK\x03\x04", "first.npy", "\x93NUMPY")),
    Target("backup", _backup, (HostError,), ("../", "/", *JSON_WORDS)),
    Target("journal", _journal, (HostError, orjson.JSONDecodeError), JSON_WORDS),
    Target("engine-output", _engine_output, (EngineProtocolError,), UGI_WORDS),
    Target("engine-input", _engine_input, (), UGI_WORDS),
)
"""All targets, in the order in which they are tried."""


def target(name: str) -> Target:
    """The target of that name. Raises ConfigurationError."""
    found = {each.name: each for each in TARGETS}
    if name not in found:
        raise ConfigurationError(f"--target {name}: the targets are {', '.join(found)}")
    return found[name]
