"""Students' programs: `python -m tests.end_to_end.students CONDUCT FILE` plays for those in the file.

Those of our library play by `Player(outbound=True)`; the late and the cut off one by bare HTTP, with one thread.
"""

import asyncio
import http.client
import itertools
import json
import os
import signal
import sys
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from league_sdk import Player
from league_sdk.game import PlayerView

LATE_BY = 1.5
"""A late student takes so many times its time."""
FALLS_IN = 2
"""The match in which students fall that play well before."""


def honest(view: PlayerView, matches: int) -> Any:
    del matches
    return view.rng.choice(view.legal_moves)


def crashes(view: PlayerView, matches: int) -> Any:
    if matches >= FALLS_IN:
        os._exit(1)
    return honest(view, matches)


def hangs(view: PlayerView, matches: int) -> Any:
    """The whole process stands still, its connections stay."""
    if matches >= FALLS_IN:
        os.kill(os.getpid(), signal.SIGSTOP)
    return honest(view, matches)


def nonsense(view: PlayerView, matches: int) -> Any:
    del view, matches
    return "evne"


def raises(view: PlayerView, matches: int) -> Any:
    del matches
    return {}[view.match_id]


OURS: dict[str, Callable[[PlayerView, int], Any]] = {
    each.__name__: each for each in (honest, crashes, hangs, nonsense, raises)
}
BARE = ("late", "cut_off")


def player_of(conduct: str, student: dict[str, str], manager: str, data: Path) -> Player:
    """A student's player of our library."""
    matches: set[str] = set()
    name, secret = student["name"], student.get("secret")
    player = Player(name, manager=manager, outbound=True, data=data / name, join_secret=secret)

    @player.strategy
    def choose(view: PlayerView) -> Any:
        matches.add(view.match_id)
        return OURS[conduct](view, len(matches))

    return player


class BareStudent:
    """Standard library, one thread: it cannot wait while it thinks."""

    def __init__(self, name: str, secret: str | None, manager: str) -> None:
        self.name, self._secret, self._manager = name, secret, manager
        self._ids = itertools.count(1)

    def call(self, url: str, method: str, params: dict[str, Any]) -> Any:
        to = urlsplit(url)
        connection = http.client.HTTPConnection(to.hostname or "", to.port, timeout=60)
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        connection.request("POST", to.path, json.dumps(request), {"content-type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer["result"]

    def play(self, conduct: str) -> None:
        """Play until the league is over, or for good."""
        meta = {"display_name": self.name, "version": "1.0.0", "protocol_version": "2.1.0"}
        meta |= {"game_types": ["even_odd"], "contact_endpoint": "seat:"}
        head = {"protocol": "league.v2", "message_type": "LEAGUE_REGISTER_REQUEST", "sender": f"player:{self.name}"}
        head |= {"timestamp": _now(), "conversation_id": str(uuid.uuid4())}
        shown = {"join_secret": self._secret} if self._secret else {}
        seat = self._registered({**head, "player_meta": meta, **shown})
        after, matches = 0, set[str]()
        while True:
            asked = {"seat_token": seat["seat_token"], "after": after, "seconds": 20, "listener": self.name}
            for message in self.call(seat["seat_endpoint"], "wait_for_message", asked)["messages"]:
                after = message["number"]
                sent = message["arguments"]
                reply = _reply(sent, message["tool"], seat["player_id"])
                if message["tool"] == "choose_parity":
                    matches.add(sent["match_id"])
                    if conduct == "late":
                        time.sleep(LATE_BY * sent["time_limit_sec"])
                    elif len(matches) >= FALLS_IN:
                        time.sleep(600)  # its network is away: nothing more comes, and no connection ends
                brought = {"seat_token": seat["seat_token"], "number": after, "reply": reply}
                self.call(seat["seat_endpoint"], "answer", brought)
                if message["tool"] == "notify_league_completed":
                    return

    def _registered(self, request: dict[str, Any]) -> dict[str, Any]:
        while True:
            try:
                answer = self.call(self._manager, "register_player", request)
            except OSError:
                time.sleep(0.1)
            else:
                assert answer["status"] == "ACCEPTED", answer
                return answer


def _reply(sent: dict[str, Any], tool: str, player_id: str) -> dict[str, Any]:
    same = ("conversation_id", "match_id", "round_id", "league_id", "attempt", "turn")
    reply: dict[str, Any] = {name: sent[name] for name in same if name in sent}
    reply |= {"protocol": "league.v2", "sender": f"player:{player_id}", "timestamp": _now(), "player_id": player_id}
    if tool == "handle_game_invitation":
        return {**reply, "message_type": "GAME_JOIN_ACK", "accept": True, "arrival_timestamp": _now()}
    if tool == "choose_parity":
        return {**reply, "message_type": "CHOOSE_PARITY_RESPONSE", "parity_choice": "even"}
    return {**reply, "message_type": "ACK", "status": "ACKNOWLEDGED"}


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


async def _together(conduct: str, told: dict[str, Any]) -> None:
    players = [player_of(conduct, student, told["manager"], Path(told["data"])) for student in told["students"]]
    await asyncio.gather(*(player.play() for player in players))


def main(conduct: str, file: str) -> None:
    told = json.loads(Path(file).read_text(encoding="utf-8"))
    if conduct in OURS:
        asyncio.run(_together(conduct, told))
    else:
        (student,) = told["students"]
        BareStudent(student["name"], student.get("secret"), told["manager"]).play(conduct)


if __name__ == "__main__":
    main(*sys.argv[1:])
