"""TLS contexts of servers and clients, from files."""

import ssl
from dataclasses import dataclass
from functools import cache
from pathlib import Path


class TlsUnusable(OSError):
    """A certificate, key or list of authorities cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """A server's certificate and its key, in PEM."""

    cert: Path  # followed by those that lead to its authority
    key: Path  # without a passphrase


def server_context(files: TlsFiles) -> ssl.SSLContext:
    """A server's context for TLS 1.2 or newer; TlsUnusable if the files do not fit."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # The empty passphrase keeps an encrypted key from asking for one at the terminal.
        context.load_cert_chain(files.cert, files.key, password=lambda: "")
    except (OSError, ValueError) as error:
        raise TlsUnusable(
            f"the certificate {files.cert} with the key {files.key} cannot be used: {error}; give a PEM certificate "
            "with --tls-cert and its key, without a passphrase, with --tls-key"
        ) from error
    return context


def client_context(authorities: Path | None) -> ssl.SSLContext:
    """A client's context, which trusts a PEM file's authorities, or the system's."""
    if authorities is None:
        return _trusts_the_system()
    try:
        return _modern(ssl.create_default_context(cafile=str(authorities)))
    except (OSError, ValueError) as error:
        raise TlsUnusable(
            f"the authorities in {authorities} cannot be used: {error}; give a PEM file with --tls-ca"
        ) from error


@cache
def _trusts_the_system() -> ssl.SSLContext:
    """Shared, as reading a system's authorities takes longer than many a call."""
    return _modern(ssl.create_default_context())


def _modern(context: ssl.SSLContext) -> ssl.SSLContext:
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
