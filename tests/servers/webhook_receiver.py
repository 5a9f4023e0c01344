"""A receiver of webhooks on this machine, over real sockets."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class Receiver:
    """A webhook's receiver on this machine."""

    url: str = ""
    statuses: list[int] = field(default_factory=list[int])  # of its next answers; 200 after them
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list[Any])
    answers: Event = field(default_factory=Event)
    body: bytes = b""  # of its answers, which it calls compressed

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, _, body in self.requests]


@contextmanager
def listening() -> Generator[Receiver]:
    receiver = Receiver()
    receiver.answers.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            receiver.answers.wait(60)
            self.send_response(receiver.statuses.pop(0) if receiver.statuses else 200)
            self.send_header("content-length", str(len(receiver.body)))
            if receiver.body:
                self.send_header("content-encoding", "gzip")
            self.end_headers()
            self.wfile.write(receiver.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver.url = f"http://127.0.0.1:{server.server_port}/hook"
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield receiver
        receiver.answers.set()
        server.shutdown()
        thread.join()
