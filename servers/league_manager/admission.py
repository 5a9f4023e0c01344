"""Admission: the join secret, the contact endpoint, seats per address."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

from league_sdk import tokens
from league_sdk.confusables import skeleton
from league_sdk.dialect import V1, V2, known_dialect
from league_sdk.domain.league_state import League
from league_sdk.domain.model import Agent, Role
from league_sdk.errors import AuthTokenInvalid, DuplicateName, Forbidden, LeagueFull, ProtocolVersionMismatch
from league_sdk.names import name_key
from league_sdk.net.addresses import AddressRule, Endpoint, network_of
from servers.agent.access import Caller
from servers.agent.class_roster import ClassRoster, Student

MANAGER_NAMES = ("League Manager", "league_manager")
"""Names that pass for the league manager, whatever it is called."""


class Admission:
    """The door of a league.

    `join_secret` None admits all; `per_address` None sets no limit of seats for a network address. `own_name` is the
    league manager's, which no agent may bear.
    """

    def __init__(
        self,
        rule: AddressRule | None = None,
        *,
        join_secret: str | None = None,
        per_address: int | None = None,
        roster: ClassRoster | None = None,
        own_name: str = "",
    ) -> None:
        self._rule = rule or AddressRule()
        self._join_secret = join_secret
        self._roster = roster
        self._own_names = {name_key(name): name for name in (own_name, *MANAGER_NAMES) if name}
        self._per_address = per_address
        self._taken: Counter[str] = Counter()

    def check_name(self, agent: Agent) -> None:
        """Refuse an agent that calls itself what the league manager is called."""
        if name_key(agent.display_name) in self._own_names:
            raise _refused_name(agent, "is the league manager's")

    def check_looks(self, agent: Agent, league: League) -> None:
        """Refuse a newcomer whose name can be taken for another one of the league."""
        known = (*league.agents(agent.role).values(), *league.dismissed.values(), *league.expected.values())
        listed = () if agent.role is Role.REFEREE else league.rules.referees_expected
        names = (*self._own_names.values(), *(other.display_name for other in known), *listed)
        key, looks = name_key(agent.display_name), skeleton(agent.display_name)
        other = next((name for name in names if skeleton(name) == looks and name_key(name) != key), None)
        if other is not None:
            raise _refused_name(agent, f"looks like {other!r}, which is taken; choose another")

    def check_secret(
        self, agent: Agent, secret: str | None, seat: Agent | None, seated_at: datetime | None
    ) -> Student | None:
        """Refuse a new player without a secret; the student whose own it is, or None.

        A student's secret also admits to the `seat` of that name.
        """
        if self._join_secret is not None and tokens.same(secret, self._join_secret):
            return None
        if self._roster is not None:
            return self._roster.admit(agent.display_name, secret, seat, seated_at)
        if self._join_secret is not None:
            what = "asks for its join secret" if secret is None else "has another join secret"
            raise Forbidden(f"this league {what}", field="join_secret")
        return None

    def check_card(self, agent: Agent) -> None:
        """Refuse an agent whose student has a newer card than the one that admitted it."""
        if agent.card and self._roster is not None and self._roster.current(agent.display_name) > agent.card:
            raise AuthTokenInvalid(
                f"{agent.display_name!r} has a new card; register with its join secret", field="auth_token"
            )

    def is_newer_card(self, seat: Agent, secret: str | None) -> bool:
        """True for the secret of a newer card than the one that gave a seat."""
        return self._roster is not None and self._roster.is_newer(seat, secret)

    async def check(self, caller: Caller, endpoint: Endpoint | None, *, credentialed: bool) -> None:
        """Refuse a stranger without room, and an endpoint that is not called."""
        self.check_room(caller, credentialed=credentialed)
        if endpoint is not None:
            await self._rule.check(endpoint)

    def check_room(self, caller: Caller, *, credentialed: bool) -> None:
        """Refuse a stranger whose address has taken as many seats as it may.

        An agent with a credential of its own (a token, a student's card, an invitation) is none: many of a class share
        one address.
        """
        taken = self._taken[network_of(caller.address)]
        if not credentialed and self._per_address is not None and taken >= self._per_address:
            raise LeagueFull(
                f"{taken} agents without a credential of their own have registered from this address; the league's "
                "operator can allow more in security.registrations_per_address",
                seats=self._per_address,
            )

    @contextmanager
    def place(self, caller: Caller, *, credentialed: bool) -> Generator[None]:
        """Count a seat for a stranger's address, unless giving it fails."""
        self.check_room(caller, credentialed=credentialed)
        if credentialed:
            yield
            return
        address = network_of(caller.address)
        self._taken[address] += 1
        try:
            yield
        except BaseException:
            self._taken[address] -= 1
            raise


def _refused_name(agent: Agent, why: str) -> DuplicateName:
    return DuplicateName(f"the name {agent.display_name!r} {why}", field="display_name", value=agent.display_name)


def check_can_lead(agent: Agent, caller: Caller) -> None:
    """Refuse a referee that could be given no match: `league.v1` can't assign it one."""
    if agent.role is Role.REFEREE and caller.protocol == V1 and not known_dialect(agent.dialect).protocol:
        raise ProtocolVersionMismatch(
            f"{V1} has no message that gives a referee a match: speak {V2}, or take START_MATCH in an envelope of {V1} "
            f'and say so with "dialect": "{V1}" in referee_meta',
            field="protocol",
            value=V1,
            expected=V2,
        )
