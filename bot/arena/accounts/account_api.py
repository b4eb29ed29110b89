"""HTTP requests about a person's account: passkeys, the recovery link, devices, export, deletion.

Each is a POST of a JSON object to an address under /api/account. The page's guest key is its proof
(`Authorization: Bearer KEY`), so that no other site can send a request with it. The `Origin` must
be the arena's own page all the same: passkeys are bound to it. Where the thief of a key could take
the account for good, a passkey or the recovery link must prove more (`store/proofs.py`).
"""

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

import structlog
from aiohttp import web

from bot import wire
from bot.arena.accounts import ceremonies
from bot.arena.accounts.account_requests import (
    Body,
    Confirmation,
    LinkSecret,
    Named,
    NewLabel,
    PasskeyAnswer,
    Proof,
    parsed,
    read,
    refusal,
)
from bot.arena.accounts.ceremonies import NewPasskey, NoPasskeys, PasskeySite
from bot.arena.accounts.device_names import device_name
from bot.arena.accounts.passkeys import Passkey
from bot.arena.accounts.sign_in import NO_NAME, SignedIn, SignInStore
from bot.arena.capability import Core, Http
from bot.arena.edge.handshake import host_name
from bot.arena.http.documents import json_answer, moment, problem
from bot.arena.http.downloads import streamed
from bot.arena.http.routes import REQUEST, Routes
from bot.arena.players.account_data import exported
from bot.arena.refusals import RATE_LIMITED, Refused, unavailable
from bot.arena.store.orders import By, NewName, Order, Orders
from bot.runtime.rate_limit import AddressBuckets
from bot.runtime.tasks import within

PER_ACCOUNT_S, PER_ACCOUNT_BURST = 1.0, 60
"""Requests of one account per second, and at once."""
EXPORT_WEIGHT: Final = 20
DELETION_S: Final = 10.0
"""How long a deletion may take until the answer says that it has not been carried out yet."""
DELETION_STEP_S: Final = 0.1
FOREIGN_PAGE: Final = "Only the arena's own page may send this."
log = structlog.get_logger()


@dataclass(frozen=True)
class _Asked:
    """A request that may be carried out. Player and session are set where a key is needed."""

    request: web.Request
    address: str
    site: PasskeySite | None
    why_no_passkeys: NoPasskeys | None
    body: Any
    you: wire.Player
    session: str

    @property
    def account(self) -> str:
        return str(self.you.id)

    @property
    def device(self) -> str:
        return device_name(self.request.headers.get("User-Agent", ""))

    def passkey_site(self) -> PasskeySite:
        """Raises Refused if the page cannot use passkeys."""
        if self.site is None:
            why = self.why_no_passkeys
            raise Refused("bad_passkey", None if why is None else why.message)
        return self.site


NOBODY: Final = wire.Player(id=None, name="nobody", kind="guest")
_Handler = Callable[[_Asked], Awaitable[object]]


class AccountApi:
    """Routes under /api/account."""

    def __init__(self, core: Core, http: Http) -> None:
        self._accounts = core.accounts
        self._database = core.database
        self._moderation = core.moderation
        self._renamer = core.renamer
        self._store = SignInStore(core.database, core.time)
        self._orders = Orders(core.database, core.time)
        self._keys = http.keys
        self._proxies = http.proxies
        self._origins = http.origins
        self._attempts = http.attempts
        self._domain = core.settings.passkey_domain
        self._body_s = core.settings.connections.request_s
        self._time = core.time
        self._buckets = AddressBuckets(PER_ACCOUNT_S, PER_ACCOUNT_BURST, core.time)

    def add_to(self, routes: Routes) -> None:
        """Add the routes; before those of `HttpApi`, whose last route answers any path in /api."""
        with_proof: list[tuple[str, type[Body], _Handler]] = [
            ("/passkeys/options", Body, self._creation_options),
            ("/passkeys/add", PasskeyAnswer, self._add_passkey),
            ("/passkeys/remove", Named, self._remove_passkey),
            ("/recovery/create", Body, self._new_recovery),
            ("/devices/sign-out-others", Body, self._sign_out_others),
            ("/delete", Confirmation, self._delete),
        ]
        with_key: list[tuple[str, type[Body], _Handler]] = [
            ("", Body, self._shown),
            ("/proof/options", Body, self._proof_options),
            ("/proof", Proof, self._prove),
            ("/passkeys/rename", NewLabel, self._rename_passkey),
            ("/devices/add", Body, self._add_device),
            ("/devices/sign-out", Named, self._sign_out),
            ("/export", Body, self._export),
            *((path, body, self._proved(handler)) for path, body, handler in with_proof),
        ]
        without_key: list[tuple[str, type[Body], _Handler]] = [
            ("/sign-in/options", Body, self._request_options),
            ("/sign-in", PasskeyAnswer, self._sign_in),
            ("/recovery/use", LinkSecret, self._recover),
            ("/devices/use", LinkSecret, self._use_device_link),
        ]
        for handlers, needs_key in ((with_key, True), (without_key, False)):
            for path, body, handler in handlers:
                answer = self._route(body, handler, needs_key=needs_key)
                is_export = path == "/export"
                weight = (20 if is_export else 1) * REQUEST
                routes.post(f"/api/account{path}", answer, weight, is_download=is_export)

    # ---- each request ----------------------------------------------------------------------

    def _route(
        self, body: type[Body], handler: _Handler, *, needs_key: bool
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def answer(request: web.Request) -> web.StreamResponse:
            caller = self._proxies.caller(request)
            origin = request.headers.get("Origin")
            if origin is None or not self._origins.is_own(origin, caller):
                return problem(403, "origin", FOREIGN_PAGE)
            try:
                asked = await self._asked(request, body, origin, needs_key=needs_key)
                done = await handler(asked)
            except Refused as refused:
                return refusal(refused)
            except TimeoutError:
                return refusal(unavailable())
            return done if isinstance(done, web.StreamResponse) else json_answer(done)

        return answer

    async def _asked(
        self, request: web.Request, body: type[Body], origin: str, *, needs_key: bool
    ) -> _Asked:
        """The request, read and allowed. Raises Refused."""
        caller = self._proxies.caller(request)
        self._moderation.check(caller.address)
        try:
            text = await within(self._time, self._body_s, read(request))
        except TimeoutError:
            raise Refused("invalid", "The body of the request did not come in time.") from None
        found = parsed(body, text)
        name = host_name(caller.host)
        why = ceremonies.why_no_passkeys(caller.scheme, name, self._domain)
        site = PasskeySite(origin, self._domain or name) if why is None else None
        you, session = NOBODY, ""
        if needs_key:
            you, session = await self._keys.identified(request)
            self._count(str(you.id))
        return _Asked(request, caller.address, site, why, found, you, session)

    def _count(self, account: str, weight: int = 1) -> None:
        bucket = self._buckets.of(account)
        if not bucket.take(weight):
            raise Refused(RATE_LIMITED, retry_after_s=bucket.wait_for(weight))

    def _proved(self, handler: _Handler) -> _Handler:
        """The handler for sessions that have proved just now whose they are, if they can."""

        async def answer(asked: _Asked) -> object:
            await self._store.check_proof(asked.account, asked.session)
            return await handler(asked)

        return answer

    # ---- the account ----------------------------------------------------------------------

    async def _shown(self, asked: _Asked) -> object:
        """Everything that the page of the account shows."""
        ways = await self._store.ways_in(asked.account)
        own = next((each for each in ways.sessions if each.id == asked.session), None)
        if own is not None and asked.device not in {"", own.label}:
            await self._store.name_device(asked.session, asked.device)
        return {
            "you": wire.encode(ways.player),
            "why_no_passkeys": asked.why_no_passkeys and asdict(asked.why_no_passkeys),
            "recovery_since": ways.recovery_since and moment(ways.recovery_since),
            "passkeys": [_passkey(each) for each in ways.passkeys],
            "devices": [
                {**asdict(each), "is_this": each.id == asked.session}
                | ({"label": asked.device or each.label} if each.id == asked.session else {})
                for each in ways.sessions
            ],
        }

    async def _creation_options(self, asked: _Asked) -> object:
        site = asked.passkey_site()
        if asked.you.kind != "person":
            raise Refused("name_needed", NO_NAME)
        ways = await self._store.ways_in(asked.account)
        challenge, options = ceremonies.creation_options(site, asked.you, ways.passkeys)
        await self._store.begin(challenge, "register", asked.account)
        return {"options": options}

    async def _add_passkey(self, asked: _Asked) -> object:
        site, credential = asked.passkey_site(), asked.body.credential
        challenge = ceremonies.challenge_in(credential)
        new = NewPasskey(asked.account, asked.device, self._time.wall())
        async with self._attempts.attempt(asked.address, challenge):
            made = ceremonies.new_passkey(site, new, credential, challenge)
            player = await self._store.add_passkey(made, challenge, asked.session)
        self._now_registered(asked, player)
        log.info("passkey_added", player=player.name)
        return {"passkey": _passkey(made)}

    async def _rename_passkey(self, asked: _Asked) -> object:
        await self._store.rename_passkey(asked.account, asked.body.id, asked.body.label)
        return {}

    async def _remove_passkey(self, asked: _Asked) -> object:
        await self._store.remove_passkey(asked.account, asked.body.id)
        log.info("passkey_removed", player=asked.you.name)
        return {}

    async def _new_recovery(self, asked: _Asked) -> object:
        secret = await self._store.new_recovery(asked.account, asked.session)
        self._now_registered(asked, asked.you.model_copy(update={"registered": True}))
        log.info("recovery_link_made", player=asked.you.name)
        return {"secret": secret}

    def _now_registered(self, asked: _Asked, player: wire.Player) -> None:
        if not asked.you.registered:
            self._renamer.registered(self._renamer.current(player))

    # ---- proofs ----------------------------------------------------------------------------

    async def _proof_options(self, asked: _Asked) -> object:
        ways = await self._store.ways_in(asked.account)
        challenge, options = ceremonies.request_options(asked.passkey_site(), ways.passkeys)
        await self._store.begin(challenge, "prove", asked.account)
        return {"options": options}

    async def _prove(self, asked: _Asked) -> object:
        """Note that the person is there, by a passkey or the recovery link."""
        account, session, credential = asked.account, asked.session, asked.body.credential
        if credential is None:
            secret = asked.body.secret
            async with self._attempts.attempt(asked.address, secret):
                await self._store.prove_by_link(account, session, secret)
            return {}
        site, challenge = asked.passkey_site(), ceremonies.challenge_in(credential)
        async with self._attempts.attempt(asked.address, challenge):
            passkey = await self._store.passkey(str(credential.get("id")))
            count = ceremonies.sign_count_in(site, passkey, credential, challenge)
            await self._store.prove_by_passkey(account, session, passkey, count, challenge)
        return {}

    # ---- signing in ------------------------------------------------------------------------

    async def _request_options(self, asked: _Asked) -> object:
        challenge, options = ceremonies.request_options(asked.passkey_site())
        await self._store.begin(challenge, "sign-in", None)
        return {"options": options}

    async def _sign_in(self, asked: _Asked) -> object:
        site, credential = asked.passkey_site(), asked.body.credential
        challenge = ceremonies.challenge_in(credential)
        async with self._attempts.attempt(asked.address, challenge):
            passkey = await self._store.passkey(str(credential.get("id")))
            count = ceremonies.sign_count_in(site, passkey, credential, challenge)
            self._check_account(passkey.account)
            signed_in = await self._store.sign_in(passkey, count, challenge, asked.device)
        return self._signed_in(signed_in, "passkey")

    async def _recover(self, asked: _Asked) -> object:
        async with self._attempts.attempt(asked.address, asked.body.secret):
            signed_in = await self._store.recover(asked.body.secret, asked.device)
        return self._signed_in(signed_in, "recovery_link")

    async def _use_device_link(self, asked: _Asked) -> object:
        async with self._attempts.attempt(asked.address, asked.body.secret):
            signed_in = await self._store.sign_in_device(asked.body.secret, asked.device)
        return self._signed_in(signed_in, "device_link")

    def _check_account(self, account: str) -> None:
        """Raises Refused if the operator has blocked the account."""
        self._moderation.check_player(NOBODY.model_copy(update={"id": account}), None)

    def _signed_in(self, signed_in: SignedIn, by: str) -> object:
        self._attempts.remember(signed_in.guest_key)
        log.info("signed_in", player=signed_in.player.name, by=by)
        return {"you": wire.encode(signed_in.player), "guest_key": signed_in.guest_key}

    # ---- devices ---------------------------------------------------------------------------

    async def _add_device(self, asked: _Asked) -> object:
        secret, ends_at = await self._store.link_for_another_device(asked.account)
        log.info("device_link_made", player=asked.you.name)
        return {"secret": secret, "ends_at": moment(ends_at)}

    async def _sign_out(self, asked: _Asked) -> object:
        if asked.body.id != asked.session:
            await self._store.check_proof(asked.account, asked.session)
        await self._store.end_session(asked.account, asked.body.id)
        self._moderation.look_soon()
        return {}

    async def _sign_out_others(self, asked: _Asked) -> object:
        ended = await self._store.end_other_sessions(asked.account, asked.session)
        self._moderation.look_soon()
        return {"ended": ended}

    # ---- everything ------------------------------------------------------------------------

    async def _export(self, asked: _Asked) -> web.StreamResponse:
        """Everything about the account as JSON Lines, sent while it is read from the database."""
        self._count(asked.account, EXPORT_WEIGHT)
        lines = exported(self._database, asked.account)
        return await streamed(asked.request, lines, "application/jsonl")

    async def _delete(self, asked: _Asked) -> object:
        """Order the deletion, and wait until the process that has the hall has carried it out."""
        if asked.body.name != asked.you.name:
            raise Refused("invalid", "Type your name to confirm.")
        self._store.check_disk()
        neutral = await self._accounts.neutral_name("guest", "Deleted")
        wish = NewName(account=asked.account, name=neutral, kind="guest").model_dump_json()
        by = By("the player", "deleted by its owner")
        order = Order(self._time.wall(), "delete", asked.account, by, detail=wish)
        await self._orders.put(order)
        self._moderation.look_soon()
        done = await self._outcome(order)
        self._moderation.look_soon()  # so that the account's connections are closed
        if not done.ok:
            raise Refused("not_now", done.outcome)
        return {}

    async def _outcome(self, order: Order) -> Order:
        end = self._time.monotonic() + DELETION_S
        while (found := await self._orders.find(order.id)) is None or found.done_at is None:
            if self._time.monotonic() > end:
                raise unavailable()
            await self._time.sleep(DELETION_STEP_S)
        return found


def _passkey(passkey: Passkey) -> dict[str, object]:
    """A passkey as the page gets it."""
    times = {"created_at": passkey.created_at, "used_at": passkey.used_at}
    return {"id": passkey.id, "label": passkey.label, **times}
