"""A league's referee secret: made by its manager, found by its own referees."""

from league_sdk.clock import Ids
from league_sdk.net.addresses import is_loopback
from league_sdk.net.endpoints import is_endpoint, read_endpoint
from league_sdk.settings import Workspace, read_secret, write_secret
from servers.agent.agent_spec import AgentSpec
from servers.agent.manager_lock import leader


def keep_referee_secret(workspace: Workspace, league_id: str, configured: str | None, ids: Ids) -> str:
    """The secret of a league: as configured, as kept, or a new one; kept from now on."""
    file = workspace.referee_secret_file(league_id)
    secret = configured or read_secret(file) or ids.token()
    write_secret(file, secret)
    return secret


def shown_referee_secret(spec: AgentSpec, configured: str | None) -> str | None:
    """The secret that a referee shows: as configured, else from its data folder.

    The secret of a league is for its own manager: a referee that was not told its league looks for the one that is led
    from this folder at the endpoint where it registers.
    """
    workspace = Workspace(spec.workspace)
    if configured:
        return configured
    league_id = spec.league_id or _led_at(workspace, spec.manager_url)
    return read_secret(workspace.referee_secret_file(league_id)) if league_id else None


def _led_at(workspace: Workspace, url: str) -> str | None:
    folders = sorted(workspace.leagues.iterdir()) if workspace.leagues.is_dir() else []
    return next((folder.name for folder in folders if _same(leader(workspace, folder.name) or "", url)), None)


def _same(endpoint: str, url: str) -> bool:
    """True if the manager that gives itself as `endpoint` is the one at `url`."""
    if not is_endpoint(endpoint) or not is_endpoint(url):
        return False
    own, asked = read_endpoint(endpoint), read_endpoint(url)
    return own.port == asked.port and (own.host == asked.host or is_loopback(asked.host))
