"""The encryption and the signature of web push, against the standards' own examples."""

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec

from bot.arena.push.web_push import MESSAGE_BYTES, VapidKey, encrypted
from tests.fakes.push_service import decrypted, from_base64, in_base64, point, verified

# RFC 8291, section 5 and appendix A.
MESSAGE = b"When I grow up, I want to be a watermelon"
SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
BROWSER = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz"
    "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)

STORED = "kbygfjAXudp5M2ja3bf1_YLO02BpmDxxBgMneCvn6Yk"
"""A signing key that version 1.0.0 stored, made by py-vapid."""
STORED_PUBLIC = (
    "BDKa3kh_cW8V2OcrdzR9JoAxEbgxA3Pn49INV4P6YSaYb2FF3fv-5ACIdWqvuvybcX7wgbGvp6X8Lk-iIE3N4i4"
)
"""What browsers have subscribed to with it."""


def key_of(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(from_base64(text), "big"), ec.SECP256R1())


def test_a_message_is_encrypted_as_the_standard_shows() -> None:
    body = encrypted(MESSAGE, BROWSER, AUTH, key=key_of(SENDER), salt=from_base64(SALT))
    assert in_base64(body) == BODY


@pytest.mark.parametrize("size", [1, MESSAGE_BYTES])
def test_a_browser_reads_each_message(size: int) -> None:
    browser, auth = ec.generate_private_key(ec.SECP256R1()), bytes(range(16))
    # Some browsers pad their keys.
    keys = (in_base64(point(browser.public_key())) + "=", in_base64(auth) + "==")
    bodies = {encrypted(b"x" * size, *keys) for _ in range(2)}
    assert len(bodies) == 2, "key or salt was used twice"
    assert {decrypted(body, browser, auth) for body in bodies} == {b"x" * size}
    assert all(len(body) <= 4096 for body in bodies)  # what a push service must accept


@pytest.mark.parametrize("key", ["", "AAAA", in_base64(b"\x04" + bytes(64)), "B" * 87, "A" * 120])
def test_a_key_that_is_none_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        encrypted(MESSAGE, key, AUTH)


def test_the_key_of_an_older_version_stays_the_same() -> None:
    assert VapidKey(STORED).public == STORED_PUBLIC


def test_a_request_is_signed_for_one_push_service() -> None:
    key = VapidKey(STORED)
    header = key.authorization("https://push.example:8443/send/1?x", "mailto:me@example.org", 99)
    assert verified(header) == {
        "aud": "https://push.example:8443",
        "exp": 99,
        "sub": "mailto:me@example.org",
    }
    assert header.endswith(f",k={STORED_PUBLIC}")
    head, claims, rest = header.split(".")
    other = f"{head}.{in_base64(from_base64(claims).replace(b'99', b'98'))}.{rest}"
    with pytest.raises(InvalidSignature):
        verified(other)
