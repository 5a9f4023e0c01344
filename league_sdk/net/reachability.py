"""Diagnosis of endpoints that cannot be reached, in words for a person."""

import asyncio
import contextlib
import errno
import socket
import ssl
from pathlib import Path
from typing import Final

from league_sdk.net.addresses import Endpoint
from league_sdk.net.endpoints import read_endpoint
from league_sdk.net.tls import client_context

LOOK_SEC: Final = 3.0  # seconds for each attempt to connect
TRUST: Final = "--tls-ca or LEAGUE_SECURITY__TLS_CA"  # the settings that name an authority to trust
# OpenSSL's numbers, which Python does not name.
_NOT_YET_VALID, _EXPIRED, _OTHER_HOST, _OTHER_ADDRESS = 9, 10, 62, 64


async def unreachable_because(endpoint: str, authorities: Path | None = None, seconds: float = LOOK_SEC) -> str:
    """The reason why a server cannot be reached; empty if it accepts connections.

    Raises InvalidEndpoint, or TlsUnusable for an unusable file of authorities.
    """
    target = read_endpoint(endpoint)
    context = client_context(authorities) if target.scheme == "https" else None
    try:
        addresses = await asyncio.get_running_loop().getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except OSError as error:
        return f"the name {target.host} cannot be looked up ({error.strerror})"
    reason = ""
    for *_, address in addresses:
        reason = await _looked_at(target, str(address[0]), context, seconds)
        if not reason:
            break
    if not reason and context is None and await _speaks_tls(target, seconds):
        return f"it speaks https, not http: name it {endpoint.replace('http', 'https', 1)}"
    return reason


async def _looked_at(target: Endpoint, address: str, context: ssl.SSLContext | None, seconds: float) -> str:
    name = target.host if context else None
    try:
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection(address, target.port, ssl=context, server_hostname=name)
    except TimeoutError:
        return f"{address} does not answer within {seconds:g} s (another address, or a firewall)"
    except ssl.SSLCertVerificationError as error:
        return _distrust(error, target.host)
    except ssl.SSLError as error:
        if error.reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"):
            return f"it speaks http, not https: name it {target.url.replace('https', 'http', 1)}"
        return f"no secure connection comes about ({error.reason})"
    except ConnectionRefusedError:
        return "nothing listens there yet (connection refused)"
    except OSError as error:
        if error.errno in (errno.EHOSTUNREACH, errno.ENETUNREACH):
            return f"there is no route to {address}"
        return f"no connection comes about ({error.strerror or error})"
    writer.transport.abort()
    return ""


def _distrust(error: ssl.SSLCertVerificationError, host: str) -> str:
    """The reason for distrusting a certificate, and the remedy."""
    said = f"its certificate is not trusted ({error.verify_message.rstrip('.')})"
    if error.verify_code in (_OTHER_HOST, _OTHER_ADDRESS):
        return f"{said}: call it by the name that its certificate is for, not {host}"
    if error.verify_code in (_NOT_YET_VALID, _EXPIRED):
        return f"{said}: it needs a new one, or the clock of this machine is wrong"
    return f"{said}: name the file of its authority with {TRUST}"


async def _speaks_tls(target: Endpoint, seconds: float) -> bool:
    """True if a server that was called by http answers to TLS."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # no data is sent
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection(target.host, target.port, ssl=context)
        writer.transport.abort()
        return True
    return False
