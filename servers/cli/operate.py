"""`league start`, `query` and `withdraw`: calls of a running manager."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer

from league_sdk.bounds import LONGEST_REASON
from league_sdk.clock import SystemClock, SystemIds
from league_sdk.domain.model import PROTOCOL, Role
from league_sdk.errors import PeerUnreachable, ResponseTimeout
from league_sdk.json_value import Json
from league_sdk.names import alternatives
from league_sdk.ports import MalformedReply, Peer
from league_sdk.protocol.envelope import Message, stamp
from league_sdk.settings import ConfigLoader, Workspace
from servers.agent import security
from servers.agent.agent_spec import AgentSpec
from servers.cli import common
from servers.launcher.plan import load_plan
from servers.launcher.run_options import PlanError
from servers.read_model.text import count

QUERIES = ("GET_STANDINGS", "GET_STATUS", "GET_SCHEDULE", "GET_NEXT_MATCH", "GET_PLAYER_STATS")
"""Types of league queries."""

_ALLOWED = "security.allowed_endpoints"


def start(
    manager_url: common.ManagerOption = None,
    league: common.LeagueOption = None,
    token: common.TokenOption = None,
    tls_ca: common.TlsCa = None,
    data: common.DataOption = None,
    config: common.ConfigOption = None,
    as_json: common.JsonOption = False,
) -> None:
    r"""Start a league now, with the agents registered so far.

    [bold]Examples[/bold]

      league start
      league start --manager http://192.168.1.10:8000/mcp \
        --operator-token "$TOKEN"
      curl -X POST -H "Authorization: Bearer $TOKEN" \
        http://localhost:8000/admin/start_league
    """
    from league_sdk.protocol.operator import StartLeagueRequest, StartLeagueResponse

    message = StartLeagueRequest(**_stamp(), protocol=PROTOCOL)
    answer = _ask(message, StartLeagueResponse, manager_url, league, token, data, config, tls_ca)
    if as_json:
        common.print_json(_rendered(answer))
        return
    agents = f"{count(answer.players, 'player')}, {count(answer.referees, 'referee')}"
    matches = count(answer.total_matches, "match") if answer.total_matches else "paired one by one"
    course = f"{count(answer.total_rounds, 'round')}, {matches}"
    course = course if answer.total_rounds else "rounds until it is closed"
    common.out.print(f"League {answer.league_id} is {answer.state}: {agents}, {course}.", markup=False)


def query(
    query_type: Annotated[
        str, typer.Argument(metavar="QUERY", help=f"{', '.join(QUERIES)}; GET_ is optional.", show_default=False)
    ],
    player: Annotated[
        str | None, typer.Option("--player", help="The player, for GET_NEXT_MATCH and GET_PLAYER_STATS.")
    ] = None,
    round_id: Annotated[int | None, typer.Option("--round", min=1, help="GET_SCHEDULE: only this round.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Maximum rows or matches per page.")] = None,
    cursor: Annotated[str | None, typer.Option("--cursor", help="The next_cursor of the previous page.")] = None,
    manager_url: common.ManagerOption = None,
    league: common.LeagueOption = None,
    token: common.TokenOption = None,
    tls_ca: common.TlsCa = None,
    data: common.DataOption = None,
    config: common.ConfigOption = None,
) -> None:
    """Ask a running league manager, and print the answer as JSON.

    [bold]Examples[/bold]

      league query GET_STANDINGS
      league query GET_NEXT_MATCH --player P01
      league query GET_PLAYER_STATS --player P03
      league query GET_SCHEDULE --round 2
      league query GET_STANDINGS --limit 50
    """
    workspace = common.workspace_of(data)
    wanted = query_type.upper().replace("-", "_")
    wanted = wanted if wanted.startswith("GET_") else f"GET_{wanted}"
    if wanted not in QUERIES:
        raise PlanError(f"there is no query {query_type!r}; {alternatives(query_type, tuple(QUERIES), 'there are')}")
    from league_sdk.protocol.queries import LeagueQuery, LeagueQueryResponse, QueryParams

    message = LeagueQuery(
        **_stamp(),
        league_id=common.league_id_of(workspace, league),
        query_type=wanted,
        query_params=QueryParams(player_id=player, round_id=round_id, cursor=cursor, limit=limit),
    )
    answer = _ask(message, LeagueQueryResponse, manager_url, league, token, data, config, tls_ca)
    common.print_json(_rendered(answer))


def withdraw(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The agent's display name.", show_default=False)],
    referee: Annotated[bool, typer.Option("--referee", help="The agent is a referee, not a player.")] = False,
    reason: Annotated[str, typer.Option("--reason", help="The reason, shown to everyone.")] = "",
    manager_url: common.ManagerOption = None,
    league: Annotated[
        str | None, typer.Option("--league", help="The league's id. Default: the last it joined.")
    ] = None,
    tls_ca: common.TlsCa = None,
    data: common.DataOption = None,
    config: common.ConfigOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Withdraw an agent of yours from a running league, for good.

    What was played counts. A player loses the matches that are open; a referee finishes those under way, and gets no
    new one. It uses the token that the agent keeps in this data folder.

    [bold]Examples[/bold]

      league withdraw "Agent Alpha" --reason "out of budget"
      league withdraw "Referee 2" --referee
    """
    from league_sdk.protocol.registration import WithdrawRequest, WithdrawResponse
    from servers.agent.identity import CredentialsFile

    workspace, role = common.workspace_of(data), Role.REFEREE if referee else Role.PLAYER
    # An agent that runs alone has its token in its folder, and no league.
    joined = [workspace.credentials_file(league or "*", str(role), name)]
    if league is None:
        pattern = f"*/{joined[0].name}"
        joined = sorted(workspace.secrets.glob(pattern), key=lambda path: path.stat().st_mtime)
    credentials = CredentialsFile(joined[-1]).load() if joined else None
    if credentials is None or not credentials.agent_id:
        where = f"in league {league}" if league else "in a league"
        raise PlanError(f"no {role} {name!r} of {workspace.root} has a seat {where}; see 'league query'")
    league_id = credentials.league_id
    if len(reason) > LONGEST_REASON:
        raise PlanError(f"the reason has {len(reason)} characters; {LONGEST_REASON} are the most")
    sender = stamp(SystemClock(), SystemIds(), f"{role}:{credentials.agent_id}")
    message = WithdrawRequest(**sender, league_id=league_id, reason=reason)
    token = credentials.auth_token
    answer = _ask(message, WithdrawResponse, manager_url, league_id, token, data, config, tls_ca)
    if as_json:
        common.print_json(_rendered(answer))
        return
    lost = f" It loses {count(len(answer.lost_matches), 'open match')}." if answer.lost_matches else ""
    common.out.print(
        f"{answer.agent_id} withdrew from {answer.league_id} in round {answer.withdrew}.{lost}", markup=False
    )


def _stamp() -> dict[str, Any]:
    return stamp(SystemClock(), SystemIds(), Role.LEAGUE_MANAGER)


def _rendered(answer: Message) -> Mapping[str, Any]:
    from league_sdk.protocol.codec import Codec

    return Codec(()).render(answer)


def _ask(
    message: Message,
    reply: type[Any],
    manager_url: str | None,
    league: str | None,
    token: str | None,
    data: Path | None,
    config: Path | None,
    tls_ca: Path | None,
) -> Any:
    """Call the league manager, as its operator or as the owner of `token`."""
    from servers.agent.bootstrap import agent_context

    workspace = common.workspace_of(data)
    secret = common.operator_token(workspace, league, token)
    # Whom a league may call is about agents that ask for a seat, not about whom the operator calls.
    overrides: dict[str, Any] = {**common.overrides_of(None, **common.tls_overrides(None, None, tls_ca)), _ALLOWED: []}
    spec = AgentSpec(Role.LEAGUE_MANAGER, "operator", workspace.root, config, overrides)
    url = manager_url or _known_manager(workspace, league, config)

    async def call() -> Any:
        async with agent_context(spec) as tools:
            peer = Peer("league_manager", url, secret)
            timeout = tools.system.timeouts.generic_response_timeout_sec
            return await tools.peers(_Unheard()).call(peer, message, reply, timeout=timeout, retry=False)

    try:
        return anyio.run(call)
    except MalformedReply as error:
        raise PlanError(f"{url} is no league manager: not an MCP endpoint of one ({error})") from error
    except (PeerUnreachable, ResponseTimeout) as error:
        trusted = ConfigLoader(config, overrides=overrides).load_system().security
        from league_sdk.net.reachability import unreachable_because  # loads the HTTP client: only when it is needed

        reason = anyio.run(unreachable_because, url, security.authorities(trusted)) or error.message
        common.print_err(
            f"league: no league manager answers at {url}: {reason}. "
            "Is 'league manager' or 'league run' running? Name another endpoint with --manager."
        )
        common.end(common.FAILED)


def _known_manager(workspace: Workspace, league: str | None, config: Path | None) -> str:
    """The endpoint of a league's manager: from its run here, else as configured."""
    with suppress(PlanError):
        plan = load_plan(workspace, common.league_id_of(workspace, league))
        return common.manager_url_of(ConfigLoader(config), plan.referees[0].manager_url)
    return common.manager_url_of(ConfigLoader(config), None)


class _Unheard:
    """A journal for a command that ends at once."""

    def sent(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None: ...

    def received(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None: ...

    def event(self, event_type: str, level: str = "INFO", **details: Json) -> None: ...
