"""Entries of lists of hosts that may be called."""

from typing import Annotated

from pydantic import AfterValidator

from league_sdk.net.addresses import Allowed


def _allow(value: str) -> str:
    try:
        Allowed.parse(value)
    except ValueError as error:
        raise ValueError("a host, *.domain, an address, a network such as 10.1.0.0/16, or public") from error
    return value


Allow = Annotated[str, AfterValidator(_allow)]
