"""Which contact endpoints a league accepts."""

from urllib.parse import urlsplit

from league_sdk.errors import InvalidEndpoint
from league_sdk.net.addresses import AddressRule

MAX_LENGTH = 2048


def check_endpoint(endpoint: str) -> None:
    """Refuse an endpoint that cannot be called.

    Raises:
        InvalidEndpoint: It is not an absolute http or https URL with a host, or it carries credentials.
    """
    if len(endpoint) > MAX_LENGTH:
        raise InvalidEndpoint(
            f"the contact_endpoint is longer than {MAX_LENGTH} characters",
            field="contact_endpoint",
            expected=f"at most {MAX_LENGTH} characters",
        )
    expected = "an http or https URL such as http://localhost:8101/mcp"
    try:
        url = urlsplit(endpoint)
        usable = url.scheme in ("http", "https") and bool(url.hostname) and (url.port is None or url.port > 0)
    except ValueError:
        usable = False
        url = None
    if not usable or url is None or any(character.isspace() for character in endpoint):
        raise InvalidEndpoint(
            "the contact_endpoint is not one that can be called",
            field="contact_endpoint",
            value=endpoint,
            expected=expected,
        )
    if url.username is not None or url.password is not None:
        raise InvalidEndpoint(
            "the contact_endpoint must not carry credentials", field="contact_endpoint", expected=expected
        )


async def check_reachable(endpoint: str, rule: AddressRule) -> None:
    """Refuse an endpoint that cannot be called, or that this league does not call.

    Args:
        endpoint: Where an agent says that it is.
        rule: Whom the league calls.

    Raises:
        InvalidEndpoint: As for `check_endpoint`; or the rule is against it, or its name cannot be found.
    """
    check_endpoint(endpoint)
    if rule.everything:
        return
    url = urlsplit(endpoint)
    await rule.addresses(url.hostname or "", url.port or (443 if url.scheme == "https" else 80))
