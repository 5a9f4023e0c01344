"""Admission: the join secret, the contact endpoint, seats per address."""

from collections import Counter

from league_sdk import tokens
from league_sdk.dialect import V1, V2, known_dialect
from league_sdk.domain.model import Agent, Role
from league_sdk.errors import Forbidden, LeagueFull, ProtocolVersionMismatch
from league_sdk.net.addresses import AddressRule, Endpoint, network_of
from servers.agent.access import Caller


class Admission:
    """The door of a league.

    Args:
        rule: Whom this league calls.
        join_secret: What has to be shown by whoever has no seat yet; None lets everybody ask.
        per_address: Seats that one network address may take; None does not count.
    """

    def __init__(
        self, rule: AddressRule | None = None, *, join_secret: str | None = None, per_address: int | None = None
    ) -> None:
        self._rule = rule or AddressRule()
        self._join_secret = join_secret
        self._per_address = per_address
        self._taken: Counter[str] = Counter()

    async def check(
        self, caller: Caller, endpoint: Endpoint | None, join_secret: str | None, *, returning: bool
    ) -> None:
        """Refuse who may not ask. Whoever has a seat, and the operator, need no secret.

        Raises:
            Forbidden: The join secret is missing or wrong.
            InvalidEndpoint: The contact endpoint is not one that this league calls.
            LeagueFull: The caller's address has taken as many seats as it may.
        """
        newcomer = not returning and not caller.operator
        if newcomer and self._join_secret is not None and not tokens.same(join_secret, self._join_secret):
            what = "asks for its join secret" if join_secret is None else "has another join secret"
            raise Forbidden(f"this league {what}", field="join_secret")
        self.check_room(caller, returning=returning)
        if endpoint is not None:
            await self._rule.check(endpoint)

    def check_room(self, caller: Caller, *, returning: bool) -> None:
        """Refuse a newcomer whose address has taken as many seats as it may.

        Raises:
            LeagueFull: It has.
        """
        taken = self._taken[network_of(caller.address)]
        if not returning and not caller.operator and self._per_address is not None and taken >= self._per_address:
            raise LeagueFull(f"{taken} seats were given to this address already", seats=self._per_address)

    def seated(self, caller: Caller) -> None:
        """Count a seat that was given."""
        self._taken[network_of(caller.address)] += 1


def check_can_lead(agent: Agent, caller: Caller) -> None:
    """Refuse a referee that could be given no match: `league.v1` can't assign it one.

    Raises:
        ProtocolVersionMismatch: It registers in `league.v1`, and does not say that it takes our START_MATCH in that.
    """
    if agent.role is Role.REFEREE and caller.protocol == V1 and not known_dialect(agent.dialect).protocol:
        raise ProtocolVersionMismatch(
            f"{V1} has no message that gives a referee a match: speak {V2}, or take START_MATCH in an envelope of {V1} "
            f'and say so with "dialect": "{V1}" in referee_meta',
            field="protocol",
            value=V1,
            expected=V2,
        )
