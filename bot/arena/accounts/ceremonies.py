"""The ceremonies of WebAuthn: what the browser gets for a passkey, and the checks of its answer.

The library `webauthn` checks the signature. The challenge in an answer only says which one to look
up in the database, where it is found once.
"""

import ipaddress
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeVar

import orjson
import structlog
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import options_to_json_dict
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from bot import wire
from bot.arena.accounts.passkeys import LASTS, Passkey
from bot.arena.refusals import Refused
from bot.runtime.base64url import from_base64, in_base64

T = TypeVar("T")
SITE: Final = "Bluestone"
TIMEOUT_MS: Final = int(LASTS.total_seconds() * 1000)
SHOWN: Final = 200
NOT_ACCEPTED: Final = "The passkey's answer could not be verified. Try again."

log = structlog.get_logger()


@dataclass(frozen=True)
class PasskeySite:
    """The arena as the browser sees it: `origin` of the page, and the domain of its passkeys."""

    origin: str
    domain: str


@dataclass(frozen=True)
class NewPasskey:
    """Whose a passkey will be, what it will be called, and the time."""

    account: str
    label: str
    now: datetime


@dataclass(frozen=True)
class NoPasskeys:
    """Why a page cannot use passkeys, as a code for programs and a sentence."""

    code: Literal["address", "insecure", "domain"]
    message: str
    domain: str = ""


NEEDS_NAME: Final = NoPasskeys(
    "address",
    "Passkeys need a site with a name, and this page was opened by an address without one.",
)
NEEDS_TLS: Final = NoPasskeys("insecure", "Passkeys need a secure connection (https).")


def why_no_passkeys(scheme: str, name: str, domain: str) -> NoPasskeys | None:
    """Why a page that was opened under that host name cannot use passkeys; None if it can."""
    if _is_address(name):
        return NEEDS_NAME
    if scheme != "https" and name != "localhost" and not name.endswith(".localhost"):
        return NEEDS_TLS
    if domain and name != domain and not name.endswith(f".{domain}"):
        message = f"The passkeys of this site belong to {domain}: open the page there."
        return NoPasskeys("domain", message, domain)
    return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def creation_options(
    site: PasskeySite, player: wire.Player, present: Sequence[Passkey]
) -> tuple[str, dict[str, Any]]:
    """A challenge, and what `navigator.credentials.create` gets with it."""
    options = generate_registration_options(
        rp_id=site.domain,
        rp_name=SITE,
        user_name=player.name,
        user_id=str(player.id).encode(),
        timeout=TIMEOUT_MS,
        exclude_credentials=_descriptors(present),
        # The passkey must be found without a name: nobody types one to sign in.
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.PREFERRED,
        ),
    )
    return in_base64(options.challenge), options_to_json_dict(options)


def request_options(
    site: PasskeySite, allowed: Sequence[Passkey] | None = None
) -> tuple[str, dict[str, Any]]:
    """A challenge, and what `navigator.credentials.get` gets with it; only `allowed` may answer."""
    options = generate_authentication_options(
        rp_id=site.domain,
        timeout=TIMEOUT_MS,
        allow_credentials=None if allowed is None else _descriptors(allowed),
        user_verification=UserVerificationRequirement.PREFERRED,
    )
    return in_base64(options.challenge), options_to_json_dict(options)


def _descriptors(present: Sequence[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    return [PublicKeyCredentialDescriptor(id=from_base64(each.id)) for each in present]


def challenge_in(credential: dict[str, Any]) -> str:
    """The challenge that the answer says it answers. Raises Refused."""

    def read() -> str:
        client = orjson.loads(from_base64(credential["response"]["clientDataJSON"]))
        return in_base64(from_base64(client["challenge"]))

    return _checked(read, "")


def new_passkey(
    site: PasskeySite, new: NewPasskey, credential: dict[str, Any], challenge: str
) -> Passkey:
    """The passkey in the answer to `creation_options`. Raises Refused."""

    def verify() -> Passkey:
        found = verify_registration_response(
            credential=credential,
            expected_challenge=from_base64(challenge),
            expected_rp_id=site.domain,
            expected_origin=site.origin,
        )
        named = credential["response"].get("transports") or ()
        return Passkey(
            id=in_base64(found.credential_id),
            account=new.account,
            public_key=found.credential_public_key,
            sign_count=found.sign_count,
            transports=tuple(str(each)[:20] for each in named)[:8],
            label=new.label,
            created_at=new.now,
        )

    return _checked(verify, new.account)


def sign_count_in(
    site: PasskeySite, passkey: Passkey, credential: dict[str, Any], challenge: str
) -> int:
    """The sign count of an answer to `request_options` by that passkey. Raises Refused.

    The store compares it with the last one, in the transaction that uses the challenge up.
    """

    def verify() -> int:
        found = verify_authentication_response(
            credential=credential,
            expected_challenge=from_base64(challenge),
            expected_rp_id=site.domain,
            expected_origin=site.origin,
            credential_public_key=passkey.public_key,
            # The library would compare counts before it checks the signature; only the owner of
            # the key may learn that a count went back.
            credential_current_sign_count=0,
        )
        user = credential["response"].get("userHandle")
        if user is not None and from_base64(user) != passkey.account.encode():
            raise ValueError("the passkey names another account")
        return found.new_sign_count

    return _checked(verify, passkey.account)


def _checked(check: Callable[[], T], account: str) -> T:
    """The result of a check. Whatever it raises is the fault of the answer."""
    try:
        return check()
    except Exception as error:
        facts = {"account": account, "why": str(error)[:SHOWN], "error": type(error).__name__}
        log.warning("passkey_refused", **facts)
        raise Refused("bad_passkey", NOT_ACCEPTED) from error
