"""Endpoints that somebody registers who means no good, and a generator of more of their kind."""

from typing import Final

from hypothesis import strategies as st

HOSTILE: Final[dict[str, str]] = {
    "": "does not begin with http://",
    "localhost:8101/mcp": "does not begin with http://",
    "/mcp": "does not begin with http://",
    "ftp://localhost/mcp": "does not begin with http://",
    "stdio:player": "does not begin with http://",
    "http:/localhost/mcp": "does not begin with http://",
    "http:\\\\localhost\\mcp": "does not begin with http://",
    "http://": "has no host",
    "http:///mcp": "has no host",
    "http://?q": "has no host",
    # Hosts that one parser takes and the client does not.
    "http://①:8101/mcp": "is not ASCII",
    "http://\u202e:8101/mcp": "U+202E",
    "http://\u00ad:8101/mcp": "U+00AD",
    "http://\ud800/mcp": "U+D800",
    "http://müller.example/mcp": "xn--",
    "http://127。0。0。1/mcp": "is not ASCII",
    "http://256.1.1.1:8101/mcp": "invalid IPv4 address: '256.1.1.1'",
    "http://[::1]x:80/mcp": "'[::1]x:80' is no host",
    "http://[::1]80/mcp": "'[::1]80' is no host",
    "http://[v1.x]/mcp": "'[v1.x]' is no host",
    "http://[::1/mcp": "'[::1' is no host",
    "http://[1::2::3]/mcp": "invalid IPv6 address",
    "http://[fe80::1%25eth0]/mcp": "is no host",
    "http://[fe80::1%eth0]/mcp": "is no host",
    # Other spellings of addresses, which the system's resolver takes.
    "http://127.1/mcp": "expected 4 octets",
    "http://0x7f.1/mcp": "expected 4 octets",
    "http://0x7f000001/mcp": "expected 4 octets",
    "http://2130706433/mcp": "expected 4 octets",
    "http://0177.0.0.1/mcp": "invalid IPv4 address",
    "http://127.0.0.0x1/mcp": "only decimal digits permitted",
    # Names that no name service knows.
    "http://a..b/mcp": "is no host name",
    "http://.localhost/mcp": "is no host name",
    "http://localhost../mcp": "is no host name",
    "http://-x/mcp": "is no host name",
    "http://" + "a" * 64 + "/mcp": "is no host name",
    "http://" + "a." * 127 + "aa/mcp": "is no host name",
    "http://%6cocalhost/mcp": "is no host",
    "http://local\\host/mcp": "is no host",
    "http://local host/mcp": "U+0020",
    "http://local\u2028host/mcp": "U+2028",
    "http://localhost/mcp\n": "U+000A",
    "http://localhost/\x00": "U+0000",
    "http://localhost/\x01": "U+0001",
    "http://localhost/\x7f": "U+007F",
    "http://localhost/?\x00": "U+0000",
    "http://localhost/\ud800": "U+D800",
    # Ports.
    "http://localhost:0/mcp": "port 0 is not between",
    "http://localhost:99999/mcp": "port 99999 is not between",
    "http://localhost:port/mcp": "is no host, or no host and port",
    "http://localhost:-1/mcp": "is no host, or no host and port",
    "http://localhost:+80/mcp": "is no host, or no host and port",
    "http://localhost:\uff18\uff10/mcp": "is not ASCII",
    "http://localhost:80:80/mcp": "is no host, or no host and port",
    "http://localhost:" + "9" * 5000: "longer than",
    # Whose host is it?
    "http://good.example@127.0.0.1/mcp": "must not carry credentials",
    "http://good.example\\@127.0.0.1/mcp": "must not carry credentials",
    "http://localhost/mcp#@127.0.0.1/": "has a fragment",
    "http://localhost#": "has a fragment",
}
"""Endpoints that cannot be called, and what the refusal says."""

_PIECES = (
    *("http://", "https://", "HTTP://", "//", "/", ":", "@", "#", "?", "[", "]", "%", "%25", "%2f", "\\", ".", ".."),
    *("[::1]", "::1", "127.0.0.1", "256.1.1.1", "0177.0.0.1", "0x7f.1", "127.1", "2130706433", "a", "-", "_"),
    *("localhost", "example.test", "xn--", "xn--a", "\u2460", "\u3002", "\xdf", "\xe9", "\u202e", "\xad"),
    *("\x00", "\x01", "\x7f", " ", "\t", "\n", "\ud800", "\uff18\uff10", ":80", ":0", ":99999"),
)


def endpoint_like() -> st.SearchStrategy[str]:
    """Texts that look more or less like an endpoint."""
    piece = st.one_of(st.sampled_from(_PIECES), st.characters())
    middle = st.lists(piece, max_size=6).map("".join)
    host = st.one_of(st.sampled_from(["localhost", "127.0.0.1", "[::1]", "a.test"]), middle)
    whole = st.tuples(
        st.sampled_from(["http://", "https://", "HTTP://"]), host, st.sampled_from(["", ":80", ":1"]), middle
    )
    return st.one_of(middle, whole.map("".join))
