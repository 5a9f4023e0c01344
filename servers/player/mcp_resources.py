"""MCP resources of a player: running matches, history and standings.

Its moves are nobody's business before a match is over, and what it has learned is not its opponents': in a league all
but the standings is for the operator, and for whoever started the player over standard input and output.
"""

from collections.abc import Sequence

from league_sdk.game import PastMatch
from league_sdk.json_value import Json
from league_sdk.resource_provider import Argument, NotOffered, Prompt, Resource
from servers.agent import untrusted
from servers.agent.identity import Seat
from servers.agent.rate_limit import Throttle
from servers.agent.resource_registry import News, Page, PromptSpec, ResourceRegistry, is_plain, league_root
from servers.player.service import PlayerService

MOST_MATCHES = 200
"""Number of past matches told at once: the last ones."""


class PlayerResources:
    """Reads what the player knows whenever it is asked."""

    def __init__(
        self, seat: Seat, service: PlayerService, operator_token: str | None = None, throttle: Throttle | None = None
    ) -> None:
        self._seat = seat
        self._service = service
        self._news = News()
        self.registry = ResourceRegistry(
            root=self._root,
            pages=self._pages(),
            questions=self._questions(),
            news=self._news,
            # A player in no league, without an operator, answers anybody, as its tools do.
            closed=lambda: operator_token is not None or seat.credentials is not None,
            operator_token=operator_token,
            throttle=throttle,
        )

    def seated(self) -> None:
        """The player is in a league now, so everything has another address."""
        self._news.tell(None)

    def changed(self, path: str) -> None:
        """Something has changed: `current`, `history` or `standings`."""
        self._news.tell(f"{self._root()}/{path}")

    def current(self) -> Json:
        return {
            "player_id": self._seat.agent_id or None,
            "matches": [
                {
                    "state": str(match.state),
                    "round_id": match.round_id,
                    "turn": match.turn,
                    "my_moves": [match.moves[turn] for turn in sorted(match.moves)],
                    "match_id": untrusted.said(match_id),
                    "game_type": untrusted.said(match.game_type),
                    "opponent_id": untrusted.said(match.opponent_id),
                }
                for match_id, match in self._service.under_way.items()
            ],
        }

    def history(self) -> Json:
        past = self._service.past()
        return {**_record(past), "matches": [_past(match) for match in past[-MOST_MATCHES:]]}

    def opponent(self, opponent_id: str) -> Json:
        past = [match for match in self._service.past() if match.opponent_id == opponent_id]
        if not past or not is_plain(opponent_id):
            raise NotOffered("this player remembers no such opponent")
        return {
            "opponent_id": opponent_id,
            **_record(past),
            "matches": [_past(match) for match in past[-MOST_MATCHES:]],
        }

    def standings(self) -> Json:
        """The table, as the manager told it last."""
        return {"standings": [untrusted.said(dict(row)) for row in self._service.standings]}

    def _root(self) -> str:
        return league_root(self._seat)

    def _pages(self) -> Sequence[Page]:
        return (
            Page(
                Resource(
                    "current", "current", "Matches under way", "The matches that this player is in, and its moves."
                ),
                self.current,
                private=True,
            ),
            Page(
                Resource("history", "history", "History", "What this player remembers of its past matches."),
                self.history,
                private=True,
            ),
            Page(
                Resource("standings", "standings", "Standings", "The table, as the league manager told it last."),
                self.standings,
            ),
            Page(
                Resource(
                    "opponents/{opponent_id}",
                    "opponent",
                    "An opponent",
                    "What this player remembers of its matches against one opponent.",
                ),
                self.opponent,
                {"opponent_id": self._opponents},
                private=True,
            ),
        )

    def _questions(self) -> Sequence[PromptSpec]:
        return (
            PromptSpec(
                Prompt("explain_standings", "Explain the standings", "Why the table is as it is."),
                "Explain these standings to a reader who has not followed the league: who leads and why.",
                self.standings,
            ),
            PromptSpec(
                Prompt(
                    "scout_opponent",
                    "Scout an opponent",
                    "How an opponent has played against this player, and what to expect of it.",
                    (Argument("opponent_id", "The opponent's id in this league, such as P02."),),
                ),
                "Scout opponent {opponent_id} for this player, who will meet it: how their matches ended, patterns in "
                "what it chose, and what to try against it. Where the data shows little, say so.",
                self.opponent,
                {"opponent_id": self._opponents},
                private=True,
            ),
        )

    def _opponents(self) -> list[str]:
        return sorted({match.opponent_id for match in self._service.past() if is_plain(match.opponent_id)})


def _record(past: Sequence[PastMatch]) -> dict[str, int]:
    results = [match.result for match in past]
    return {"played": len(past), **{name.lower(): results.count(name) for name in ("WIN", "DRAW", "LOSS")}}


def _past(match: PastMatch) -> dict[str, Json]:
    return {
        "result": match.result,
        "points": match.points,
        "my_moves": list(match.my_moves),
        "told": untrusted.said(
            {
                "match_id": match.match_id,
                "league_id": match.league_id,
                "game_type": match.game_type,
                "opponent_id": match.opponent_id,
                "opponent_name": match.opponent_name,
                "opponent_moves": list(match.opponent_moves),
                "details": dict(match.details),
            }
        ),
    }
