"""Faults of the network, made on purpose: `bluestone doctor` finds each from outside."""

import asyncio
import gc
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from bot.arena.server import running_arena
from bot.arena.settings import load_settings
from bot.arena.store.data_folder import sole_user
from tests.bot.arena.edge import test_behind_a_proxy as behind
from tests.bot.arena.table import settings
from tests.bot.doctor.conftest import Doctor

# ---- ports -----------------------------------------------------------------------------------


def arena_file(folder: Path, port: int, data: str = "data") -> Path:
    file = folder / "arena.toml"
    file.write_text(f'port = {port}\ndata = "{folder / data}"\n')
    return file


async def test_a_port_that_another_program_uses(doctor: Doctor, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        report = await doctor("--arena", arena_file(tmp_path, port), "--only", "ports")
    assert report.only.startswith(f"FAIL  ports        port {port} on 127.0.0.1, of the arena")
    assert "-> stop that program, or choose another port" in report.only
    assert report.code == 1


async def test_a_port_that_our_own_arena_uses(doctor: Doctor, tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path / "data")) as url:
        port = urlsplit(url).port or 0
        ours = await doctor("--arena", arena_file(tmp_path, port), "--only", "ports")
        other = arena_file(tmp_path, port, "other")
        another = await doctor("--arena", other, "--only", "ports")
    assert ours.only.startswith("ok    ports")
    assert "used by this arena" in ours.only
    assert another.only.startswith("FAIL  ports")
    assert "used by another arena" in another.only
    free = await doctor("--arena", arena_file(tmp_path, port), "--only", "ports")
    assert free.only.endswith("of the arena: free")


async def test_a_port_that_only_the_running_arena_knows(doctor: Doctor, tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with running_arena(settings(data)) as url:
        port = urlsplit(url).port
        report = await doctor("--data", data, "--only", "ports", "--only", "versions")
    assert report.bad() == []
    said = "\n".join(report.lines)
    assert f"port {port} on 127.0.0.1, of the arena: used by this arena" in said
    assert "arena: runs, version" in said


async def test_a_port_of_an_arena_that_does_not_answer(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.doctor.programs.ANSWER_S", 0.2)
    (tmp_path / "data").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as silent, sole_user(tmp_path / "data"):
        port = silent.getsockname()[1]
        report = await doctor("--arena", arena_file(tmp_path, port), "--only", "ports")
    assert report.only.startswith("ok    ports")
    assert "used by this arena" in report.only
    assert report.only.endswith("which does not answer")


def socket_settings(
    folder: Path, lines: str = 'trusted_proxies = ["unix"]', data: str = "data"
) -> Path:
    file = folder / f"{data}.toml"
    file.write_text(f'host = "unix:{folder}/a.sock"\ndata = "{folder / data}"\n{lines}\n')
    return file


async def test_a_unix_socket_and_whoever_uses_it(doctor: Doctor, tmp_path: Path) -> None:
    file = socket_settings(tmp_path)
    free = await doctor("--arena", file, "--only", "ports")
    async with running_arena(load_settings(file)):
        ours = await doctor("--arena", file, "--only", "ports")
        versions = await doctor("--arena", file, "--only", "versions")
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.bind(f"{tmp_path}/a.sock")
        left_over = await doctor("--arena", file, "--only", "ports")
        stranger.listen()
        taken = await doctor("--arena", file, "--only", "ports")
    assert free.only.endswith("a.sock, of the arena: free")
    assert ours.only.endswith("a.sock, of the arena: used by this arena")
    assert "arena: runs, version" in versions.only
    assert left_over.only.endswith("of the arena: free")
    assert taken.only.startswith("FAIL  ports")
    assert "used by another program" in taken.only


@pytest.mark.parametrize(
    ("lines", "found", "advice"),
    [
        ("", "the proxy is not trusted, so all visitors count as one", 'add "unix"'),
        (
            'trusted_proxies = ["unix"]\nsocket_mode = "0666"',
            "every user of this machine can invent addresses of visitors",
            'set `socket_mode = "0660"`',
        ),
    ],
)
async def test_a_unix_socket_that_trusts_too_few_or_too_many(
    doctor: Doctor, tmp_path: Path, lines: str, found: str, advice: str
) -> None:
    report = await doctor("--arena", socket_settings(tmp_path, lines), "--only", "ports")
    [warning] = report.bad()
    assert f"of the arena: {found}" in warning
    assert advice in warning


async def test_the_folder_of_a_unix_socket_must_be_there(doctor: Doctor, tmp_path: Path) -> None:
    file = tmp_path / "arena.toml"
    file.write_text(f'host = "unix:{tmp_path}/none/a.sock"\ntrusted_proxies = ["unix"]\n')
    report = await doctor("--arena", file, "--only", "ports")
    assert f"there is no folder {tmp_path}/none" in report.only
    assert "RuntimeDirectory=" in report.only


# ---- the clock -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("minutes", "status", "said", "code"),
    [(0, "ok  ", "agree", 0), (-10, "FAIL", "ahead of", 1), (0.5, "warn", "behind", 0)],
)
async def test_a_clock_that_differs_from_the_servers(
    doctor: Doctor, minutes: float, status: str, said: str, code: int
) -> None:
    async def answer(_: web.Request) -> web.Response:
        theirs = datetime.now(UTC) + timedelta(minutes=minutes)
        return web.Response(headers={"Date": format_datetime(theirs, usegmt=True)})

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    report = await doctor("--public-url", url, "--only", "clock")
    await runner.cleanup()
    assert report.lines[1].startswith(f"{status}  clock")
    assert said in report.lines[1]
    assert report.code == code


# ---- TLS -------------------------------------------------------------------------------------


class Authority:
    """A certificate authority that this process trusts, and the certificates that it makes."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")])
        constraints = x509.BasicConstraints(ca=True, path_length=0)
        key = self._key.public_key()
        usage = x509.KeyUsage(
            digital_signature=True, content_commitment=False, key_encipherment=False,
            data_encipherment=False, key_agreement=False, key_cert_sign=True, crl_sign=True,
            encipher_only=False, decipher_only=False,
        )  # fmt: skip
        made = (
            self._builder(self._name, key, timedelta(days=9))
            .add_extension(constraints, critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        (folder / "authority.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
        monkeypatch.setenv("SSL_CERT_FILE", str(folder / "authority.pem"))

    def context(
        self, name: str, lifetime: timedelta, *, self_signed: bool = False
    ) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        by = key if self_signed else self._key
        place = x509.IPAddress(ip_address(name)) if name[0].isdigit() else x509.DNSName(name)
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(by.public_key())
        made = (
            self._builder(subject, key.public_key(), lifetime, self_signed=self_signed)
            .add_extension(x509.SubjectAlternativeName([place]), critical=False)
            .add_extension(identifier, critical=False)
            .sign(by, hashes.SHA256())
        )
        file = self._folder / "server.pem"
        pem = serialization.Encoding.PEM
        form = serialization.PrivateFormat.PKCS8
        secret = key.private_bytes(pem, form, serialization.NoEncryption())
        file.write_bytes(made.public_bytes(pem) + secret)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(file)
        return context

    def _builder(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePublicKey,
        lifetime: timedelta,
        *,
        self_signed: bool = False,
    ) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject if self_signed else self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=99))
            .not_valid_after(now + lifetime)
        )


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    return Authority(tmp_path, monkeypatch)


@asynccontextmanager
async def served(context: ssl.SSLContext) -> AsyncIterator[str]:
    async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
    async with server:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize(
    ("name", "days", "self_signed", "status", "said"),
    [
        ("127.0.0.1", 60.1, False, "ok  ", "is valid until"),
        ("127.0.0.1", 5.1, False, "warn", "(5 days) -> renew it"),
        ("127.0.0.1", -1, False, "FAIL", "the certificate expired on"),
        ("127.0.0.1", 60, True, "FAIL", "browsers refuse the certificate: self-signed"),
        ("play.example.org", 60, False, "FAIL", "IP address mismatch"),
    ],
)
async def test_the_certificate_of_the_public_address(
    doctor: Doctor,
    authority: Authority,
    name: str,
    days: float,
    self_signed: bool,
    status: str,
    said: str,
) -> None:
    context = authority.context(name, timedelta(days=days), self_signed=self_signed)
    async with served(context) as url:
        report = await doctor("--public-url", url, "--only", "tls")
    assert report.only.startswith(f"{status}  tls")
    assert said in report.only.replace("self signed", "self-signed")
    assert report.code == (status == "FAIL")


async def test_a_public_address_at_which_nothing_answers(doctor: Doctor) -> None:
    with behind.reserved_port() as port:
        report = await doctor("--public-url", f"https://127.0.0.1:{port}", *ONLY)
    assert [line[:4] for line in report.lines[:-1]] == ["FAIL"] * 3
    assert all("Behind a proxy" in line for line in report.lines[:-1])
    assert report.code == 1


def test_a_server_that_does_not_agree_to_the_end_of_a_connection(
    doctor: Doctor, authority: Authority
) -> None:
    context = authority.context("127.0.0.1", timedelta(days=60))
    kept = []

    def answer(listening: socket.socket) -> None:
        connection = context.wrap_socket(listening.accept()[0], server_side=True)
        connection.recv(65_536)
        date = format_datetime(datetime.now(UTC), usegmt=True)
        connection.sendall(f"HTTP/1.1 204 No Content\r\nDate: {date}\r\n\r\n".encode())
        kept.append(connection)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Thread(target=answer, args=[listening])
        server.start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}"
        report = doctor.now("--public-url", url, "--only", "clock")
        server.join()
    gc.collect()  # an open transport would be noticed now
    kept[0].close()
    assert report.lines[1].endswith("its clock and ours agree")


async def test_a_connection_that_the_library_closes_twice(
    doctor: Doctor, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.11.2, the one of Debian 12, aborts no TLS connection after that."""

    def abort(transport: Any) -> None:
        transport._closed = True
        transport._ssl_protocol._abort()

    monkeypatch.setattr("asyncio.sslproto._SSLProtocolTransport.abort", abort)
    runner = web.AppRunner(web.Application())
    await runner.setup()
    context = authority.context("127.0.0.1", timedelta(days=60))
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    url = f"https://127.0.0.1:{runner.addresses[0][1]}"
    report = await doctor("--public-url", url, "--only", "clock")
    await runner.cleanup()
    assert report.lines[1].endswith("its clock and ours agree")


# ---- the proxy -------------------------------------------------------------------------------

ONLY = [word for name in ("tls", "proxy", "websocket") for word in ("--only", name)]
Change = Callable[[str], str]
Ask = Callable[..., Awaitable[tuple[list[str], int]]]


@pytest.fixture
def nginx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, doctor: Doctor) -> Ask:
    """Ask through nginx, with a changed configuration, and return the lines that are not ok."""

    async def ask(change: Change, name: str = "127.0.0.1", **changes: Any) -> tuple[list[str], int]:
        original = behind.configuration
        monkeypatch.setattr(behind, "configuration", lambda name: change(original(name)))
        arena = settings(tmp_path / "data", **{"trusted_proxies": ["127.0.0.1"], **changes})
        async with (
            running_arena(arena) as upstream,
            behind.nginx(upstream, tmp_path, arena.base_path) as url,
        ):
            asked = url.replace("127.0.0.1", name)
            report = await doctor("--public-url", asked, "--only", "proxy", "--only", "websocket")
        return report.bad(), report.code

    return ask


NGINX = behind.needs("nginx", "openssl")
X_HEADER = "        proxy_set_header X-Forwarded-{};\n"


@NGINX
async def test_an_arena_below_a_path_is_asked_there(nginx: Ask) -> None:
    lines, code = await nginx(lambda text: text, base_path="/games/bluestone")
    assert lines == []
    assert code == 0


@NGINX
async def test_the_proxy_of_the_page_is_fine(nginx: Ask) -> None:
    assert await nginx(lambda text: text) == ([], 0)


@NGINX
async def test_a_name_that_leads_to_this_machine(
    nginx: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a line `127.0.0.1 play.example.org` of /etc/hosts."""
    original = socket.getaddrinfo

    def found(host: Any, *args: Any, **named: Any) -> Any:
        here = host in {"play.example.org", b"play.example.org"}
        return original("127.0.0.1" if here else host, *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", found)
    name = "play.example.org"
    assert await nginx(lambda text: text, name=name, hosts=[name]) == ([], 0)


def without(line: str) -> Change:
    def change(text: str) -> str:
        assert line in text
        return text.replace(line, "")

    return change


@NGINX
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            without(X_HEADER.format("For $proxy_add_x_forwarded_for")),
            "the proxy passes on an X-Forwarded-For that the client has invented",
        ),
        (
            lambda text: text.replace("$proxy_add_x_forwarded_for", '""'),
            "the proxy sends no X-Forwarded-For, so all visitors count as 127.0.0.1",
        ),
        (without(X_HEADER.format("Proto $scheme")), "does not say that the client uses https"),
    ],
)
async def test_a_proxy_that_does_not_say_who_asks(nginx: Ask, change: Change, said: str) -> None:
    lines, code = await nginx(change)
    assert said in lines[0]
    assert "Behind a proxy" in lines[0]
    assert code == 1


@NGINX
async def test_a_proxy_that_does_not_pass_on_the_upgrade(nginx: Ask) -> None:
    change = without("        proxy_set_header Upgrade $http_upgrade;\n")
    [line], code = await nginx(change)
    assert line.startswith("FAIL  websocket    the proxy does not pass on the WebSocket handshake")
    assert code == 1


@NGINX
async def test_an_arena_that_does_not_trust_its_proxy(nginx: Ask) -> None:
    lines, code = await nginx(lambda text: text, trusted_proxies=[])
    assert lines[0].startswith("FAIL  proxy        the arena does not trust the proxy")
    assert "add the proxy's address to `trusted_proxies`" in lines[0]
    assert lines[1].startswith("FAIL  websocket    the arena refuses pages of https://127.0.0.1")
    assert code == 1
