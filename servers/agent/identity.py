"""An agent's identity in a league: its credentials and accepted callers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import anyio

from league_sdk import tokens
from league_sdk.domain.model import Role
from league_sdk.domain.records.epoch import Epoch
from league_sdk.errors import (
    AuthTokenInvalid,
    AuthTokenMissing,
    Forbidden,
    LeagueError,
    PlayerNotRegistered,
    RefereeNotRegistered,
)
from league_sdk.json_value import Json
from league_sdk.ports import CallContext
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.epochs import epoch_json, read_epoch
from league_sdk.settings import ConfigError, Problem, read_secret, write_secret
from league_sdk.settings.problems import NOTHING
from servers.agent.access import Access, Caller
from servers.agent.derived_calls import Speaker

READY_SEC = 2.0
"""Limit of a call's wait for a registration that is under way."""
ATTEMPTS_TRIED = 10
"""Attempts at a match, from the latest known one, tried for an invitation that doesn't say which it is for."""
TICKETS_KEPT = 1000
"""Number of matches whose tickets are remembered; a finished match may be told of a second time."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Credentials that a registration gave an agent."""

    agent_id: str  # `P01` or `REF01`
    league_id: str
    auth_token: str = field(repr=False)  # what the agent shows the manager
    # what the manager shows the agent; None where the manager gives none
    peer_token: str | None = field(default=None, repr=False)
    seat_endpoint: str | None = None  # where a hosted player waits for its messages; None for others
    seat_token: str | None = field(default=None, repr=False)  # what it shows there
    epoch_number: int = 0  # of the manager that it follows
    epoch_id: str = ""

    @property
    def epoch(self) -> Epoch:
        return Epoch(self.epoch_number, self.epoch_id)

    def following(self, epoch: Epoch) -> "Credentials":
        """The same, of an agent that follows a manager of this epoch."""
        return replace(self, epoch_number=epoch.number, epoch_id=epoch.id)


class CredentialsFile:
    """Keeps credentials over a restart, readable by their owner alone."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> Credentials | None:
        text = read_secret(self._path)
        try:
            return None if text is None else Credentials(**json.loads(text))
        except (ValueError, TypeError) as error:
            hint = "is damaged; remove it, and the agent registers anew"
            raise ConfigError([Problem(str(self._path), "", NOTHING, hint)]) from error

    def save(self, credentials: Credentials) -> None:
        write_secret(self._path, json.dumps(asdict(credentials)))


class Seat:
    """Identity of a referee or player, and authentication of its callers.

    Calls are checked as far as the manager made that possible: with a peer token, the manager and the referees of
    this league prove themselves; a manager that gives none is taken at its word, as 002 has it.
    """

    def __init__(self, role: Role, display_name: str, operator_token: str | None = None) -> None:
        self.role = role
        self.display_name = display_name
        self.credentials: Credentials | None = None
        self.keep: Callable[[Credentials], None] = lambda _: None  # told of credentials that change
        self._operator_token = operator_token
        self._tickets: dict[str, tuple[int, str]] = {}
        self._settled = anyio.Event()

    async def ready(self) -> None:
        """Wait until it is settled which seat this is.

        The manager may call the last agent to register before that agent has read the answer to its registration.
        """
        if not self._settled.is_set():
            with anyio.move_on_after(READY_SEC):
                await self._settled.wait()

    @property
    def settled(self) -> bool:
        """True once it is registered, or is to stay unregistered."""
        return self._settled.is_set()

    def settle(self, credentials: Credentials | None) -> None:
        """Take a seat; None stays outside of any league, and answers every caller."""
        self.credentials = credentials
        self._settled.set()

    @property
    def agent_id(self) -> str:
        """The id that the league gave it, or an empty string before."""
        return self.credentials.agent_id if self.credentials else ""

    @property
    def sender(self) -> str:
        """The sender field: `player:P01`, or the display name before registration."""
        return f"{self.role}:{self.agent_id or self.display_name}"

    def identify(self, access: Access, message: Message, token: str | None, context: CallContext) -> Caller:
        if self._operator_token and tokens.same(token, self._operator_token):
            return Caller(operator=True, address=context.address, dialect=context.dialect)
        if not self._settled.is_set():
            raise _NOT_REGISTERED[self.role](f"{self.sender} is not registered yet; try again later")
        check: dict[Access, Callable[[Message, str | None], None]] = {
            Access.MANAGER: self._check_manager,
            Access.TICKET: self._check_ticket,
            Access.OPERATOR: self._check_operator,
        }
        check[access](message, token)
        role = Role.LEAGUE_MANAGER if access is Access.MANAGER else Role.REFEREE
        return Caller(
            role=role,
            agent_id=_speaker(message),
            proved=self.credentials is not None and self.credentials.peer_token is not None,
            limited=role is not Role.LEAGUE_MANAGER,
            address=context.address,
            dialect=context.dialect,
        )

    def speaker(self, access: Access, arguments: Mapping[str, Json], token: str | None) -> Speaker | None:
        """The role that a tool's credential belongs to; `identify` checks it."""
        del arguments, token
        return _SPEAKERS.get(access)

    def check_epoch(self, caller: Caller, told: Json) -> None:
        """Follow a manager that proved itself into a later epoch.

        Raises:
            Forbidden: Its epoch is an earlier one, or that of another restore.
        """
        if caller.role is not Role.LEAGUE_MANAGER or not caller.proved or self.credentials is None:
            return
        known, epoch = self.credentials.epoch, read_epoch(told)
        if not known.admits(epoch):
            raise Forbidden(
                f"{self.sender} follows the manager of epoch {known.number}, and this one has epoch {epoch.number}",
                epoch=epoch_json(known),
            )
        if epoch != known:
            self.credentials = self.credentials.following(epoch)
            self.keep(self.credentials)

    def _check_manager(self, message: Message, token: str | None) -> None:
        del message
        if self.credentials is not None and self.credentials.peer_token is not None:
            _require(token, self.credentials.peer_token)

    def _check_ticket(self, message: Message, token: str | None) -> None:
        if self.credentials is None or self.credentials.peer_token is None:
            return
        match_id: str = getattr(message, "match_id", "")
        attempt: int | None = getattr(message, "attempt", None)
        latest, ticket = self._tickets.get(match_id, (0, ""))
        if attempt is None and hasattr(message, "attempt"):
            attempt = self._attempt(self.credentials.peer_token, match_id, latest, token)
        if attempt is None:
            _require(token, ticket)
            return
        expected = tokens.match_ticket(self.credentials.peer_token, match_id, attempt)
        _require(token, expected)
        if attempt < latest:
            raise AuthTokenInvalid(f"attempt {attempt} at {match_id} was given up", field="attempt", value=attempt)
        self._remember(match_id, attempt, expected)

    def _attempt(self, peer_token: str, match_id: str, latest: int, token: str | None) -> int | None:
        """The attempt of a ticket; other referees may leave it out of invitations."""
        for attempt in range(max(1, latest), max(1, latest) + ATTEMPTS_TRIED):
            if tokens.same(token, tokens.match_ticket(peer_token, match_id, attempt)):
                return attempt
        return None

    def _remember(self, match_id: str, attempt: int, ticket: str) -> None:
        self._tickets[match_id] = (attempt, ticket)
        while len(self._tickets) > TICKETS_KEPT:
            del self._tickets[next(iter(self._tickets))]

    def _check_operator(self, message: Message, token: str | None) -> None:
        del message
        if not self._operator_token:
            raise Forbidden(f"{self.sender} was started without an operator's token, so this tool is closed")
        _require(token, self._operator_token)


_SPEAKERS: Mapping[Access, Speaker] = {
    Access.MANAGER: Speaker(str(Role.LEAGUE_MANAGER)),
    Access.TICKET: Speaker(f"{Role.REFEREE}:unknown"),
}
_NOT_REGISTERED: Mapping[Role, type[LeagueError]] = {
    Role.PLAYER: PlayerNotRegistered,
    Role.REFEREE: RefereeNotRegistered,
}


def _require(token: str | None, expected: str) -> None:
    """Refuse a token other than the expected one; an empty `expected` matches none."""
    if token is None:
        raise AuthTokenMissing("this call needs an auth_token", field="auth_token")
    if not expected or not tokens.same(token, expected):
        raise AuthTokenInvalid("the auth_token is not the one this call needs", field="auth_token")


def _speaker(message: Message) -> str:
    sender: str = getattr(message, "sender", None) or ""
    return sender.partition(":")[2] or sender
