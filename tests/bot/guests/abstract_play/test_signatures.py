"""Who calls: what openssl accepts is accepted, nothing else, and nothing twice."""

import base64
import random
import shutil
import subprocess
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from bot.guests.abstract_play.rehearsal.credentials import Signer
from bot.guests.abstract_play.signatures import REMEMBERED, Nonces, Unsigned, check
from tests.bot.guests.abstract_play import bodies
from tests.bot.guests.abstract_play.signing import new_signer, signed
from tests.fakes.time import EPOCH
from tests.skipping import skip

BODY = bodies.text(bodies.notice())
TIMESTAMP, NONCE, SIGNATURE = "X-Signature-Timestamp", "X-Signature-Nonce", "X-Signature"


@pytest.fixture
def signer() -> Signer:
    return new_signer()


def code_of(signer: Signer, headers: Mapping[str, str], body: bytes = BODY) -> str | None:
    """Of the refusal; None if the call is accepted."""
    try:
        check(headers, body, signer.public, EPOCH, Nonces({}))
    except Unsigned as error:
        return error.code
    return None


def test_a_signed_call_is_accepted_and_its_nonce_returned(signer: Signer) -> None:
    nonces = Nonces({})
    headers = signed(signer, BODY, nonce="9f86d081884c7d659a2feaa0c55ad015")
    assert check(headers, BODY, signer.public, EPOCH, nonces) == "9f86d081884c7d659a2feaa0c55ad015"
    assert code_of(signer, signed(signer, b""), b"") is None


@pytest.mark.parametrize("name", [TIMESTAMP, NONCE, SIGNATURE])
def test_no_header_may_be_missing(signer: Signer, name: str) -> None:
    headers = signed(signer, BODY)
    del headers[name]
    assert code_of(signer, headers) == "unsigned"


@pytest.mark.parametrize(
    ("off_s", "code"),
    [(-301, "stale"), (-300, None), (0, None), (300, None), (301, "stale"), (10**9, "stale")],
)
def test_calls_are_fresh_for_five_minutes(signer: Signer, off_s: int, code: str | None) -> None:
    assert code_of(signer, signed(signer, BODY, off_s=off_s)) == code


@pytest.mark.parametrize(
    "timestamp",
    ["", "x", "1e9", "-1767225600", "+1767225600", "1_767_225_600", "١٧٦٧٢٢٥٦٠٠", "9" * 5000],
)
def test_a_timestamp_is_digits(signer: Signer, timestamp: str) -> None:
    nonce = "ab"
    signature = signer.key.sign(f"{timestamp}.{nonce}.".encode() + BODY)
    headers = {
        TIMESTAMP: timestamp,
        NONCE: nonce,
        SIGNATURE: base64.b64encode(signature).decode(),
    }
    assert code_of(signer, headers) == "bad_timestamp"


@pytest.mark.parametrize(
    "signature", ["", "!", "AAAA", base64.b64encode(bytes(64)).decode(), "A" * 5000, "é"]
)
def test_an_invalid_signature_is_refused(signer: Signer, signature: str) -> None:
    assert code_of(signer, signed(signer, BODY) | {SIGNATURE: signature}) == "bad_signature"


def test_another_key_signs_nothing_for_us(signer: Signer) -> None:
    headers = signed(signer, BODY)
    other = new_signer(8)
    assert code_of(other, headers) == "bad_signature"


def test_the_border_between_nonce_and_body_cannot_be_moved(signer: Signer) -> None:
    body = b'a.{"verb":"move"}'
    headers = signed(signer, body, nonce="abc")
    assert code_of(signer, headers, body) is None
    moved = headers | {NONCE: "abc.a"}
    assert code_of(signer, moved, b'{"verb":"move"}') == "bad_nonce"


@pytest.mark.parametrize("nonce", ["", " ", "a b", "é", "a" * 129])
def test_a_nonce_is_short_and_plain(signer: Signer, nonce: str) -> None:
    assert code_of(signer, signed(signer, BODY, nonce=nonce)) == "bad_nonce"


# ---- once and no more --------------------------------------------------------------------------


def test_a_call_counts_once(signer: Signer) -> None:
    nonces, headers = Nonces({}), signed(signer, BODY)
    nonce = check(headers, BODY, signer.public, EPOCH, nonces)
    with pytest.raises(Unsigned, match="replayed"):
        check(headers, BODY, signer.public, EPOCH, nonces)
    nonces.give_back(nonce)
    assert check(headers, BODY, signer.public, EPOCH, nonces) == nonce


def test_a_call_counts_once_for_as_long_as_it_is_fresh(signer: Signer) -> None:
    nonces, headers = Nonces({}), signed(signer, BODY, off_s=300)
    check(headers, BODY, signer.public, EPOCH, nonces)
    for later_s in (1, 599, 600):
        now = EPOCH + timedelta(seconds=later_s)
        with pytest.raises(Unsigned, match="replayed"):
            check(headers, BODY, signer.public, now, nonces)
    with pytest.raises(Unsigned, match="stale"):
        check(headers, BODY, signer.public, EPOCH + timedelta(seconds=601), nonces)


def test_a_forged_call_uses_no_nonce(signer: Signer) -> None:
    nonces, headers = Nonces({}), signed(signer, BODY)
    with pytest.raises(Unsigned, match="bad_signature"):
        check(headers, BODY + b" ", signer.public, EPOCH, nonces)
    assert len(nonces) == 0
    check(headers, BODY, signer.public, EPOCH, nonces)


def test_nonces_are_forgotten_after_ten_minutes() -> None:
    nonces = Nonces({"kept": EPOCH})
    assert not nonces.take("kept", EPOCH)
    for number in range(1000):
        assert nonces.take(f"{number}", EPOCH + timedelta(seconds=number))
    last = EPOCH + timedelta(seconds=999) + REMEMBERED
    assert nonces.take("new", last)
    assert len(nonces) == 2


# ---- a second opinion --------------------------------------------------------------------------


def damaged(rng: random.Random, data: bytes) -> bytes:
    """One bit another, a byte more, or one less."""
    place = rng.randrange(len(data))
    match rng.randrange(3):
        case 0:
            return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]
        case 1:
            return data[:place] + bytes([rng.randrange(256)]) + data[place:]
        case _:
            return data[:place] + data[place + 1 :]


def test_openssl_verifies_the_same_signatures(signer: Signer, tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        skip("there is no openssl here to ask for a second opinion")
    public = tmp_path / "key.pem"
    public.write_bytes(signer.public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    rng, said = random.Random(16), []
    for number in range(60):
        body = rng.randbytes(rng.randrange(1, 400)) if number % 4 else BODY
        headers = signed(signer, body)
        signature = base64.b64decode(headers[SIGNATURE])
        if number % 3 == 1:
            body = damaged(rng, body)
        if number % 3 == 2:
            signature = damaged(rng, signature)
        headers[SIGNATURE] = base64.b64encode(signature).decode()
        ours = code_of(signer, headers, body)
        message = f"{headers[TIMESTAMP]}.{headers[NONCE]}.".encode() + body
        theirs = openssl_accepts(openssl, public, message, signature)
        assert ours == (None if theirs else "bad_signature")
        said.append(theirs)
    assert said.count(True) == 20


def openssl_accepts(program: str, key: Path, message: bytes, signature: bytes) -> bool:
    folder = key.parent
    (folder / "message").write_bytes(message)
    (folder / "signature").write_bytes(signature)
    command = [program, "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", str(key)]
    files = ["-in", str(folder / "message"), "-sigfile", str(folder / "signature")]
    done = subprocess.run([*command, *files], capture_output=True, timeout=30, check=False)
    text = (done.stdout + done.stderr).decode(errors="replace")
    assert ("Verified Successfully" in text) == (done.returncode == 0), text
    return done.returncode == 0
