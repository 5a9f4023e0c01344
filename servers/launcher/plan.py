"""From run options to the agents to start; kept beside the league to resume it."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from league_sdk import plugins
from league_sdk.clock import SystemClock
from league_sdk.domain.events import LeagueCreated, event_from_json
from league_sdk.domain.league import League
from league_sdk.domain.model import Agent, LeagueRules, Role
from league_sdk.names import SAFE, is_safe_name
from league_sdk.settings import (
    AgentsConfig,
    ConfigLoader,
    LeagueConfig,
    Workspace,
    listed_players,
    listed_referees,
    read_secret,
    taking_part,
    write_secret,
)
from league_sdk.tokens import launched_token
from servers.agent import event_store, security
from servers.agent.agent_spec import AgentSpec
from servers.agent.identity import CredentialsFile
from servers.launcher.addresses import ANY_PORTS, HIGHEST_PORT, addresses
from servers.launcher.hosted_seats import hosting, with_seats
from servers.launcher.league_stages import league_stages, league_tie_breaks, on_bad_move
from servers.launcher.plan_document import agent_from_json, agent_to_json, plan_file, recorded_form, write_document
from servers.launcher.planned_players import planned_players
from servers.launcher.port_check import CheckPorts, free_ports
from servers.launcher.requirements import checked_requirements
from servers.launcher.run_options import PlanError, PlayerSpec, RunOptions, check_deadline, elsewhere
from servers.player.strategy_check import check_strategy_named


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """The agents of one league."""

    league_id: str
    workspace: Workspace
    rules: LeagueRules  # what it is created with
    manager: AgentSpec
    referees: tuple[AgentSpec, ...]
    players: tuple[AgentSpec, ...]  # its players that are ours to start
    absent: frozenset[tuple[Role, str]] = frozenset()  # names of those among them that are not started any more
    seats: AgentSpec | None = None  # the host of seats for players that cannot be called; None without one
    spare: tuple[AgentSpec, ...] = ()  # places of referees that join when more matches are open

    @property
    def agents(self) -> tuple[AgentSpec, ...]:
        """All agents to start, the manager first; it may call the others."""
        known = (*self.referees, *self.players)
        staying = (agent for agent in known if (agent.role, agent.name) not in self.absent)
        others = (*(() if self.seats is None else (self.seats,)), *staying)
        neighbours = tuple(f"{agent.public_host}:{agent.port}" for agent in (*others, *self.spare))
        expected = tuple((agent.role, agent.name) for agent in (*known, *self.spare))
        manager = replace(self.manager, neighbours=neighbours, expected=expected, plan=recorded_form(self._document))
        return (manager, *map(with_token, others))

    def save(self) -> None:
        """Keep the plan beside the league; its secrets go where secrets are."""
        if self.manager.operator_token:
            write_secret(self.workspace.operator_token_file(self.league_id), self.manager.operator_token)
        event_store.remember(self.workspace, self.league_id, self.manager.store_url)
        write_document(self.workspace, self.league_id, LeagueCreated(self.rules), self._document)

    @property
    def _document(self) -> dict[str, Any]:
        """Its agents as JSON, without secrets."""
        return {
            "manager": agent_to_json(self.manager),
            "referees": [agent_to_json(spec) for spec in self.referees],
            "players": [agent_to_json(spec) for spec in self.players],
            **({} if self.seats is None else {"seats": agent_to_json(self.seats)}),
            **({"spare": [agent_to_json(spec) for spec in self.spare]} if self.spare else {}),
        }

    @property
    def page(self) -> str:
        """The address of the league's page while its manager runs."""
        url = next((agent.manager_url for agent in (*self.referees, *self.players) if agent.manager_url), "")
        return url.removesuffix("mcp") or f"http://{self.manager.public_host}:{self.manager.port}/"

    def continued(self, league: League) -> "LaunchPlan":
        """The agents now: without those that left, with referees that joined."""
        gone, known = departed(league), {spec.name for spec in self.referees}

        def ours(referee: Agent) -> bool:
            # A league from before agents were expected has only the files.
            name = referee.display_name
            kept = self.workspace.credentials_file(self.league_id, str(Role.REFEREE), name)
            return name not in known and (league.expects(referee) or kept.is_file())

        joined = [referee.display_name for referee in filter(ours, league.active_referees.values())]
        back = [replace(place, name=name) for place, name in zip(self.spare, joined, strict=False)]
        return replace(self, absent=gone, referees=(*self.referees, *back), spare=self.spare[len(back) :])

    def at_ports(self, port_base: int) -> "LaunchPlan":
        """The agents with ports moved so that the manager's is `port_base`; 0: free ones."""
        seats = () if self.seats is None else (self.seats,)
        everybody = (self.manager, *self.referees, *self.spare, *self.players, *seats)
        distance = port_base - self.manager.port
        ports = {agent.port: agent.port + distance for agent in everybody}
        if port_base == ANY_PORTS:
            ports = dict(zip(ports, free_ports(self.manager.bind_host, len(ports)), strict=True))
        elif max(ports.values()) > HIGHEST_PORT:
            highest = max(ports.values())
            raise PlanError(f"port base {port_base} moves ports up to {highest}; they end at {HIGHEST_PORT}")

        def at(agent: AgentSpec) -> AgentSpec:
            scheme, known, _ = agent.manager_url.partition("://")
            url = f"{scheme}://{self.manager.public_host}:{ports[self.manager.port]}/mcp" if known else ""
            return replace(agent, port=ports[agent.port], manager_url=url)

        host = None if self.seats is None else at(self.seats)
        return replace(
            self,
            manager=at(self.manager) if host is None else with_seats(at(self.manager), host),
            seats=host,
            referees=tuple(at(agent) for agent in self.referees),
            spare=tuple(at(agent) for agent in self.spare),
            players=tuple(at(agent) for agent in self.players),
        )


def with_token(agent: AgentSpec) -> AgentSpec:
    """The agent with the token that it has, or that its manager expects."""
    if agent.role is Role.SEATS or not agent.operator_token:
        return agent
    file = Workspace(agent.workspace).credentials_file(agent.league_id, str(agent.role), agent.name)
    kept = CredentialsFile(file).load()
    token = kept.auth_token if kept else launched_token(agent.operator_token, agent.league_id, agent.role, agent.name)
    return replace(agent, auth_token=token)


def make_plan(options: RunOptions, operator_token: str, check_ports: CheckPorts | None = None) -> LaunchPlan:
    """Settle agents, rules and ports of a new league, and check the ports first."""
    loader = ConfigLoader(options.config, overrides=options.overrides)
    system = loader.load_system()
    game = options.game and plugins.full_game_type(options.game, options.plugins)
    config = league_config(loader, options.league, game)
    registry = loader.load_agents()
    at_once = _referees(options, config, registry)
    seats = _checked_seats(options, loader, config, registry, at_once)
    own = [seat for seat in seats if not seat.url]
    bind_host, public_host, ports = addresses(options, system.network, len(at_once), len(own))
    security.check_tls(system.security)
    store_url = event_store.checked(options.store_url or system.store_url)
    fewest = len(at_once) if options.most_referees is None else options.referees
    rules = _rules(options, loader, config, seats, tuple(at_once)[:fewest])
    check_deadline(rules.registration_deadline, SystemClock().now())
    _check_new(options, store_url)
    taken = [ports[0], *ports[1], *ports[2]]
    if check_ports is not None:
        check_ports(bind_host, taken)
    options.workspace.prepare()
    league_id = event_store.new_league_id(options.workspace, options.league_id or config.league_id, store_url)
    rules = replace(rules, league_id=league_id)
    base = AgentSpec(
        role=Role.LEAGUE_MANAGER,
        name=registry.league_manager.display_name or "League Manager",
        workspace=options.workspace.root.absolute(),
        config=loader.root,
        overrides=dict(options.overrides),
        bind_host=bind_host,
        public_host=public_host,
        port=ports[0],
        league_id=league_id,
        game_types=(config.game_type,),
        operator_token=operator_token,
        plugins=options.plugins,
        seed=options.seed or config.seed,
        strangers=bool(options.guests or options.seats or options.roster or any(seat.url for seat in seats)),
    )
    manager_url = f"{security.scheme(system.security)}://{public_host}:{ports[0]}/mcp"
    member = replace(base, manager_url=manager_url)
    invited = tuple((seat.name, seat.url) for seat in seats if seat.url)
    manager = replace(base, rules=rules, store_url=store_url, invited=invited, roster=options.roster)
    manager, seats_host = hosting(options, manager, taken, check_ports)
    referees = tuple(
        replace(member, role=Role.REFEREE, name=name, port=port, max_concurrent_matches=most)
        for (name, most), port in zip(at_once.items(), ports[1], strict=True)
    )
    return LaunchPlan(
        league_id=league_id,
        workspace=options.workspace,
        rules=rules,
        seats=seats_host,
        manager=manager,
        referees=referees[:fewest],
        spare=referees[fewest:],
        players=tuple(_player(member, seat, port) for seat, port in zip(own, ports[2], strict=True)),
    )


def _player(member: AgentSpec, seat: PlayerSpec, port: int) -> AgentSpec:
    needed = {"strategy": seat.strategy, "requirements": seat.requirements}
    return replace(member, role=Role.PLAYER, name=seat.name, port=port, **needed)


def _check_new(options: RunOptions, store_url: str | None) -> None:
    """Refuse an id that is invalid or taken."""
    wanted, workspace = options.league_id, options.workspace
    if wanted is None:
        return
    if not is_safe_name(wanted):
        raise PlanError(f"{wanted!r} cannot be the id of a league: use {SAFE}")
    there = workspace.league_dir(wanted).is_dir() or event_store.read_records(workspace, wanted, store_url)
    if there and not event_store.is_cancelled(workspace, wanted, store_url):
        raise PlanError(
            f"league {wanted!r} already exists; 'league resume {wanted}' continues it, 'league control cancel --league "
            f"{wanted}' ends it for good and frees its name, or choose another id"
        )


def _rules(
    options: RunOptions,
    loader: ConfigLoader,
    config: LeagueConfig,
    seats: Sequence[PlayerSpec],
    referees: Sequence[str],
) -> LeagueRules:
    stages = league_stages(options, config, len(seats) + options.guests, loader.chosen_above_files)
    return loader.league_rules(
        config,
        stages=stages,
        tiebreakers=league_tie_breaks(options.tie_breaks, config, stages, options.plugins),
        on_bad_move=on_bad_move(config, stages, options.plugins, roster=bool(options.roster)),
        expected_players=len(seats) + options.guests,
        expected_referees=len(referees),
        seed=options.seed,
        roster={seat.name: f"P{number:02d}" for number, seat in enumerate(seats, start=1)},
        referee_roster={name: f"REF{number:02d}" for number, name in enumerate(referees, start=1)},
        **options.rules,
    )


def _checked_seats(
    options: RunOptions,
    loader: ConfigLoader,
    config: LeagueConfig,
    registry: AgentsConfig,
    referees: Collection[str],
) -> list[PlayerSpec]:
    """The players, of whose strategies all can be used."""
    game = plugins.game(config.game_type, options.plugins, config.rules)
    loader.check_game(game)
    members = taking_part(listed_players(config, registry), config.game_type)
    members.sort(key=lambda member: config.league_id not in member.preferred_leagues)
    here = loader.load_system().network
    known = [
        PlayerSpec(
            member.display_name,
            member.strategy or "random",
            elsewhere(member.endpoint, here),
            requirements=checked_requirements(member.requirements),
        )
        for member in members
    ]
    seats = planned_players(
        options,
        known,
        config.participants.expected_players,
        others=(registry.league_manager.display_name, *referees),
    )
    for strategy in dict.fromkeys(seat.strategy for seat in seats if not seat.url):
        check_strategy_named(strategy, options.plugins, loader, [game])
    return seats


def _referees(options: RunOptions, config: LeagueConfig, registry: AgentsConfig) -> dict[str, int | None]:
    """Names of the most referees, with their configured limits of matches."""
    officials = taking_part(listed_referees(config, registry), config.game_type)
    at_once = {referee.display_name: referee.max_concurrent_matches for referee in officials}
    wanted = config.participants.expected_referees if options.referees is None else options.referees
    most, limit = options.most_referees, config.participants.max_referees
    if most is not None and most > limit:
        raise PlanError(f"--referees {wanted}:{most}: the league takes at most {limit} (participants.max_referees)")
    wanted = most or wanted
    return {name: at_once.get(name) for name in _referee_names(wanted, list(at_once))}


def league_config(loader: ConfigLoader, league: str | None, game: str | None) -> LeagueConfig:
    """The configured league: by its id or file, else by its game, else the default."""
    config = loader.load_league(league) if league or not game else loader.league_for_game(game)
    if game and config.game_type != game:
        raise PlanError(f"league {config.league_id} plays {config.game_type}, not {game}; leave out --game or --league")
    return config


def departed(league: League) -> frozenset[tuple[Role, str]]:
    """Role and name of all agents that were removed or withdrew."""
    agents, left = {**league.dismissed, **league.players, **league.referees}, {*league.removed, *league.withdrew}
    return frozenset((agent.role, agent.display_name) for agent_id, agent in agents.items() if agent_id in left)


def load_plan(workspace: Workspace, league_id: str, *, without_token: bool = False) -> LaunchPlan:
    """The plan of a league that is to continue, with a lost token if it may be."""
    if not workspace.league_dir(league_id).is_dir():
        raise PlanError(f"there is no league {league_id!r} in {workspace.root}{others_than(workspace, league_id)}")
    text = read_secret(plan_file(workspace, league_id))
    token = read_secret(workspace.operator_token_file(league_id))
    if text is not None and token is None and not without_token:
        raise PlanError(
            f"the operator's token of league {league_id!r} is not in {workspace.secrets}, and its agents would refuse "
            "a manager without it. Put the league's folder there back; if it is lost for good, 'league resume "
            f"{league_id} --new-token' makes a new token, and all agents register again"
        )
    if text is None:
        raise PlanError(
            f"league {league_id!r} in {workspace.root} was not started with 'league run', so its agents have to be "
            f"started again one by one: 'league manager --resume {league_id}', 'league referee', 'league player'"
        )
    try:
        return _read_plan(workspace, league_id, json.loads(text), token or "")
    except (ValueError, KeyError, TypeError) as error:
        raise PlanError(
            f"{plan_file(workspace, league_id)} is damaged ({error!r}); begin anew with 'league run'"
        ) from error


def others_than(workspace: Workspace, league_id: str) -> str:
    """The other leagues there are, as the end of a sentence; empty without any."""
    others = sorted(folder.name for folder in workspace.leagues.glob("*") if folder.name != league_id)
    return f"; there are: {', '.join(others)}" if others else ""


def _read_plan(workspace: Workspace, league_id: str, document: Mapping[str, Any], token: str) -> LaunchPlan:
    def agent(values: Mapping[str, Any]) -> AgentSpec:
        return replace(agent_from_json(values, token), workspace=workspace.root.absolute())

    created = cast("LeagueCreated", event_from_json(LeagueCreated.__name__, document["created"]))
    manager = replace(
        agent(document["manager"]),
        resume=True,
        rules=created.rules,
        token_kept=True,
        store_url=event_store.remembered(workspace, league_id),
    )
    return LaunchPlan(
        league_id=league_id,
        workspace=workspace,
        rules=created.rules,
        manager=manager,
        referees=tuple(agent(item) for item in document["referees"]),
        players=tuple(agent(item) for item in document["players"]),
        spare=tuple(agent(item) for item in document.get("spare", ())),
        seats=agent(document["seats"]) if "seats" in document else None,
    )


def _referee_names(count: int | None, registered: Sequence[str]) -> list[str]:
    wanted = len(registered) or 1 if count is None else count
    if wanted < 1:
        raise PlanError(f"a league needs at least 1 referee, got {wanted}")
    return [*registered[:wanted], *(f"Referee {number}" for number in range(len(registered) + 1, wanted + 1))]
